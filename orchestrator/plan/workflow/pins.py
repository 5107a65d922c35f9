"""Revisions of actions and names of runners, from `pins.toml`: nothing that it lacks is ever made up."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from orchestrator.errors import RecipeError, nearest
from orchestrator.processor import Processor
from orchestrator.recipe.part import Part
from orchestrator.recipe.source import Commit

PINS = Path(__file__).with_name("pins.toml")


class Action(Part):
    """A revision of an action; `version` is its tag, for people."""

    version: Annotated[str, StringConstraints(pattern=r"^v\d+(\.\d+)*$")]
    commit: Commit


class Pins(Part):
    """What a workflow may name."""

    runners: dict[Processor, Annotated[str, StringConstraints(min_length=1)]] = Field(
        description="Labels of the machines (GitHub's documentation, choosing the runner for a job)."
    )
    actions: dict[str, Action]

    def action(self, name: str) -> str:
        """The action as a step names it: `owner/name@commit`.

        Raises:
            RecipeError: no revision of it is known.
        """
        if name not in self.actions:
            raise RecipeError(
                f"No revision of the action '{name}' is known, and none is made up.",
                advice=f"Add its commit to {PINS.name}, read from the action's own repository. "
                f"{nearest(name, self.actions)}",
            )
        return f"{name}@{self.actions[name].commit}"

    def runner(self, arch: str) -> str:
        """The runner for a processor.

        Raises:
            RecipeError: none is known.
        """
        for known, label in self.runners.items():
            if known == arch:
                return label
        raise RecipeError(
            f"No runner for {arch} is known.", advice=f"Add its label to {PINS.name}. {nearest(arch, self.runners)}"
        )


def load_pins(path: Path = PINS) -> Pins:
    """The pins of a file.

    Raises:
        RecipeError: it is malformed, such as by a revision that is no full commit; names the key.
    """
    try:
        return Pins.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {error}.", advice="Restore it from the repository.") from error
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise RecipeError(
            f"{path}: not valid pins of actions.",
            detail="\n".join(lines),
            advice="A revision is a full commit of 40 hexadecimal digits; a tag or branch may be moved.",
        ) from error
