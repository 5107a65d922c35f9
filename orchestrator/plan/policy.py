"""The policy of a release: which rows it must have, whatever a generator offers.

It lies beside the recipe as `policy.toml`, and is written by hand: it is never derived from the recipe's axes,
nor from a matrix, so that a combination which somebody drops there is missed here.
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from orchestrator.errors import RecipeError
from orchestrator.plan.rows import Row
from orchestrator.plan.select import interpreter_tag
from orchestrator.processor import Processor
from orchestrator.recipe.part import Name, Part, PythonVersion, Reason

FILE = "policy.toml"


class Release(Part):
    """The rows of a release: every one of these variants, on each processor, for each Python."""

    variants: tuple[Name, ...] = Field(min_length=1, description="Variants of the recipe.")
    arch: tuple[Processor, ...] = Field(min_length=1, description="Processors.")
    python: tuple[PythonVersion, ...] = Field(min_length=1, description="Versions of CPython, such as 3.11.")

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        for key in Release.model_fields:
            if twice := {word for word, count in Counter(getattr(self, key)).items() if count > 1}:
                raise ValueError(f"'{key}' names '{min(twice)}' twice")
        return self


class PullRequest(Part):
    """The one row that a pull request builds."""

    variant: Name = Field(description="Its variant.")
    arch: Processor = Field(default="x86_64", description="Its processor.")
    python: PythonVersion = Field(description="Its Python.")


class Refused(Part):
    """A family of rows that is published nowhere, and is refused by its reason (A7)."""

    family: Annotated[str, StringConstraints(min_length=1)] = Field(description="Word in a row's name.")
    reason: Reason = Field(description="Why: shown where a matrix has it.")


class MayNotRun(Part):
    """Rows that a release may have without a verdict, or without that of one check."""

    row: str = Field(description="Glob over row ids, such as minirt/*/*/cp310.")
    check: Annotated[str, StringConstraints(pattern=r"^[A-Z]\d+$")] | None = Field(
        default=None, description="Catalogue id of the check that may not run; without it, the row as a whole."
    )
    reason: Reason = Field(description="Why: shown beside what did not run.")


class Policy(Part):
    """Which rows a release must have, and the one of a pull request."""

    release: Release = Field(description="The rows that a release must have.")
    pull_request: PullRequest = Field(description="The row that a pull request builds: one of the release's.")
    refused: tuple[Refused, ...] = Field(default=(), description="What no matrix may have.")
    may_not_run: tuple[MayNotRun, ...] = Field(default=(), description="What `--release` forgives.")

    def rows(self, recipe: str) -> tuple[Row, ...]:
        """The rows of a release."""
        return tuple(
            Row(recipe=recipe, variant=variant, arch=arch, python=interpreter_tag(python))
            for variant in self.release.variants
            for arch in self.release.arch
            for python in self.release.python
        )

    def pull_request_row(self, recipe: str) -> Row:
        """The row of a pull request."""
        one = self.pull_request
        return Row(recipe=recipe, variant=one.variant, arch=one.arch, python=interpreter_tag(one.python))

    def permits(self, row: str, check: str | None = None) -> str | None:
        """Why a release may have the row of that id without a verdict, or that of one check; None where it may not."""
        fitting = (one for one in self.may_not_run if one.check == check and fnmatch.fnmatchcase(row, one.row))
        return next((one.reason for one in fitting), None)


def policy_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of `policy.toml`, with keys as they are written in the file."""
    return Policy.model_json_schema(by_alias=True, mode="validation")


def load_policy(folder: Path) -> Policy | None:
    """The policy of the recipe in `folder`, or None where it has none.

    Raises:
        RecipeError: it is malformed; names file, key and what was expected.
    """
    path = folder / FILE
    try:
        return Policy.model_validate(tomllib.loads(path.read_text("utf-8")), by_alias=True, by_name=False)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: cannot be read: {error}.", advice="Write it anew, in UTF-8.") from error
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, one['loc'])) or '(whole file)'}: {one['msg']}" for one in error.errors()]
        raise RecipeError(
            f"{path}: not a valid policy.",
            detail="\n".join(lines),
            advice=f"Its tables are {', '.join(field.alias or name for name, field in Policy.model_fields.items())}.",
        ) from error
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError of Python's own
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RecipeError(f"{path}: is not TOML: {what}.", advice="The syntax is at https://toml.io.") from error
