"""Workflows of GitHub Actions: which changes start them (GitHub Docs, Workflow syntax, `on`)."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from orchestrator.recipe.model import Recipe
from orchestrator.recipe.promises import Workflow
from orchestrator.verify.project_files import project_file
from orchestrator.verify.static.path_filter import selects
from orchestrator.verify.subject import StaticSubject

CHANGES = ("push", "pull_request", "pull_request_target")
"""Events of changes; only theirs have path filters."""

FOLDER = ".github/workflows"
_CHANGING = frozenset({"opened", "reopened", "synchronize"})
"""Types of pull requests by which a change is told, and those that are meant where none are given."""
_SETTINGS = frozenset({"branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore", "types"})
_PASSED_OVER = frozenset({".git", "__pycache__"})


class WorkflowError(ValueError):
    """A workflow cannot be judged; the message is a reason of a failure."""


@dataclass(frozen=True)
class Trigger:
    """An event that starts a workflow; without `paths` and `ignored` every change does."""

    event: str
    paths: tuple[str, ...] | None = None
    ignored: tuple[str, ...] | None = None

    def covers(self, path: str) -> bool:
        """Whether a change of that file alone starts the workflow."""
        if self.paths is not None:
            return selects(self.paths, path)
        return self.ignored is None or not selects(self.ignored, path)

    @property
    def rules(self) -> tuple[str, ...]:
        """Its filters as they are written."""
        key, rules = ("paths", self.paths) if self.paths is not None else ("paths-ignore", self.ignored or ())
        return tuple(f"on.{self.event}.{key}: {rule}" for rule in rules)


def root_of(workflow: Workflow) -> str:
    """The folder, relative to the recipe's, of the repository that a workflow is of; '' for the recipe's own.

    Raises:
        WorkflowError: GitHub would not find it there.
    """
    path = PurePosixPath(workflow.file)
    if path.parent.parts[-2:] != PurePosixPath(FOLDER).parts or path.suffix not in (".yml", ".yaml"):
        raise WorkflowError(f"is no .yml file of a folder {FOLDER}: GitHub does not look there")
    return "/".join(path.parts[:-3])


def triggers(subject: StaticSubject, recipe: Recipe, workflow: Workflow) -> tuple[Trigger, ...]:
    """The changes that start a workflow of the recipe.

    Raises:
        WorkflowError: it is missing, is no workflow, or no change starts it.
    """
    try:
        text = project_file(subject, recipe, workflow.file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WorkflowError("does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowError(f"cannot be read: {error}") from error
    return read_triggers(text)


def read_triggers(text: str) -> tuple[Trigger, ...]:
    """The changes that start a workflow of this text.

    Raises:
        WorkflowError: it is no workflow, or no change starts it.
    """
    document = _document(text)
    events = document.get("on") if isinstance(document, dict) else None
    if isinstance(events, str):
        events = [events]
    if isinstance(events, list):
        events = {event: "" for event in events if isinstance(event, str)}
    if not isinstance(events, dict):
        raise WorkflowError("has no table 'on': nothing starts it")
    found = tuple(_trigger(name, events[name]) for name in CHANGES if name in events and _is_of_branches(events[name]))
    if not found:
        raise WorkflowError("no change starts it: it has neither of the events push and pull_request for branches")
    return found


def _document(text: str) -> Any:
    """What the YAML says; every scalar stays text, for YAML 1.1 reads the key `on` as true."""
    import yaml  # here: most wheels are judged without a workflow

    class Loader(yaml.BaseLoader):
        """Refuses what GitHub refuses: a key that a table has twice."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
            for key, count in keys.items():
                if count > 1:
                    raise WorkflowError(f"has the key '{key}' twice in one table, which GitHub refuses")
            return super().construct_mapping(node, deep=deep)

    try:
        return yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise WorkflowError(f"is not YAML: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise WorkflowError("is nested too deeply to be read") from None


def files_below(place: Path) -> tuple[str, ...]:
    """What to add to the place's path for each file that it holds; '' if it is one, nothing if it does not exist."""
    if place.is_file():
        return ("",)
    found = []
    for current, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        found += [f"/{(Path(current) / name).relative_to(place).as_posix()}" for name in sorted(names)]
    return tuple(found)


def _is_of_branches(settings: Any) -> bool:
    """Whether an event is about changes of branches: not a push with filters for tags alone, nor a pull request
    that is closed, labelled or the like.
    """
    if not isinstance(settings, Mapping):
        return True
    if "types" in settings and not _CHANGING.intersection(_texts(settings["types"])):
        return False
    tags = settings.keys() & {"tags", "tags-ignore"}
    return not tags or bool(settings.keys() & {"branches", "branches-ignore"})


def _texts(settings: Any) -> tuple[str, ...]:
    """A text, or the texts of a list."""
    listed = settings if isinstance(settings, list) else [settings]
    return tuple(one for one in listed if isinstance(one, str))


def _trigger(event: str, settings: Any) -> Trigger:
    if not isinstance(settings, Mapping):
        return Trigger(event)
    unknown = sorted(str(key) for key in settings.keys() - _SETTINGS)
    if unknown:
        raise WorkflowError(f"on.{event} has '{unknown[0]}', which GitHub does not know and refuses")
    if {"paths", "paths-ignore"} <= settings.keys():
        raise WorkflowError(f"on.{event} has both paths and paths-ignore, which GitHub refuses")
    return Trigger(event, _rules(event, settings, "paths"), _rules(event, settings, "paths-ignore"))


def _rules(event: str, settings: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    if key not in settings:
        return None
    rules = settings[key]
    rules = [rules] if isinstance(rules, str) else rules
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise WorkflowError(f"on.{event}.{key} is no list of patterns")
    for rule in rules:
        try:
            selects((rule,), "")
        except re.error as error:
            raise WorkflowError(f"on.{event}.{key} has '{rule}', which is no pattern: {error}") from None
    return tuple(rules)
