"""What the results of a row depend on, as its report tells it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from orchestrator.cli.run_context import Run
from orchestrator.processor import cores
from orchestrator.report.model import FilePin, Given, RowReport, SourcePin
from orchestrator.reproduce.pins import code_digest, definitions_digest, recipe_pins, revision_of
from orchestrator.store.git.addresses import shown

if TYPE_CHECKING:  # an inspection must wait for none of it to load
    from orchestrator.build.inputs import BuildInputs
    from orchestrator.recipe.model import Recipe
    from orchestrator.store.store import Store
    from orchestrator.wheel.model import Wheel

_ASKED = ("variant", "version", "policy", "gpus", "emulate", "release", "probe")
"""Options that a result depends on, under their names in `Given`; a verb has some of them."""


def given_of(
    verb: Literal["build", "verify", "inspect"], options: argparse.Namespace, run: Run, recipe: Recipe | None = None
) -> Given:
    """All that is known before anything is worked on: source and wheel are not.

    Raises:
        RecipeError: a file of the recipe cannot be read.
    """
    asked = {name: getattr(options, name) for name in _ASKED if hasattr(options, name)}
    engines = tuple(sorted(word.partition("=")[0] for word in options.engines))
    files = recipe_pins(recipe, without=run.outputs) if recipe else ()
    revision = revision_of(files) if recipe else ""
    if recipe:
        run.kept.recipes[revision] = recipe.folder
    return Given(
        verb=verb,
        code=code_digest(),
        definitions=definitions_digest(),
        recipe=options.recipe if recipe else "",
        revision=revision,
        files=files,
        engines=engines,
        jobs=cores() if verb == "build" else None,
        **asked,
    )


def source_pin(inputs: BuildInputs, other: Path | None, store: Store, run: Run) -> SourcePin:
    """What is built, which the run keeps for a bundle; `other` is a folder that stands for the recipe's source."""
    named, tree = inputs.recipe.project.source, inputs.source
    content: Path | bytes = tree.tar
    sha256 = tree.sha256
    if other is not None:
        kind, name = "folder", str(other)
    elif named.sdist is not None:
        kind, name, sha256 = "sdist", named.sdist, inputs.origin.sha256
        content = store.require(sha256, named.sdist)
    elif named.git is not None:
        kind, name = "git", f"{shown(named.git)} {named.rev}"
    else:
        kind, name = "recipe", named.path or ""
    run.kept.sources[sha256] = content
    size = len(content) if isinstance(content, bytes) else content.stat().st_size
    return SourcePin.model_validate({"kind": kind, "name": name, "sha256": sha256, "size": size})


def judged(given: Given, wheel: Wheel, run: Run, *, published: str = "") -> Given:
    """The same with the wheel that is judged; `published` is name and version of one from an index."""
    run.kept.wheels[wheel.sha256] = wheel.path
    pin = FilePin(path=wheel.filename, sha256=wheel.sha256, size=wheel.size)
    return given.model_copy(update={"wheel": pin, "published": published})


def asked_again(report: RowReport, given: Given) -> RowReport:
    """The report of a row that the store answered, as it was asked for now: what it was given is known from then."""
    if report.given is None:
        return report
    then = {name: getattr(report.given, name) for name in ("source", "wheel", "published")}
    return report.model_copy(update={"given": given.model_copy(update=then)})
