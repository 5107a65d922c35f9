"""Whether what a result depends on stood still while it was made: only then may it be remembered.

Keys are made at the start, and files are read when they are needed: what is edited meanwhile, and edited back, would
be remembered under the key of what it never was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.build.source import source_files
from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.files import files_stamp
from orchestrator.recipe.load import recipe_files
from orchestrator.recipe.model import Recipe
from orchestrator.reproduce.pins import code_files


@dataclass(frozen=True)
class Untouched:
    """The recipe's files, those of a `source` that was given, the images' definitions and our own code, from now on."""

    recipe: Recipe
    run: Run
    source: Path | None = None
    _stamp: frozenset[tuple[str, tuple[int, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_stamp", files_stamp(self._files()))

    def __call__(self) -> bool:
        """Whether nobody has written to any of them since, not even what was there before."""
        return files_stamp(self._files()) == self._stamp

    def _files(self) -> Iterator[Path]:
        yield from source_files(self.recipe.folder, without=self.run.outputs)
        yield from (self.recipe.folder / path for path in recipe_files(self.recipe))
        if self.source is not None:
            yield from source_files(self.source, without=self.run.outputs)
        yield from source_files(IMAGES)
        yield from code_files()
