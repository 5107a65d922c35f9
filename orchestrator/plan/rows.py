"""Rows: recipe + variant + processor + Python."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One wheel of a release.

    `arch` is the processor as `platform.machine()` names it; `python` is a PEP 425 interpreter
    tag such as `cp311`.  `variant` is `-` for a wheel that is inspected without a recipe.
    """

    recipe: str
    variant: str
    arch: str
    python: str

    @property
    def id(self) -> str:
        """The row's name, such as `minirt/cuda-13.0/x86_64/cp311`."""
        return f"{self.recipe}/{self.variant}/{self.arch}/{self.python}"

    @property
    def is_cuda(self) -> bool:
        """Whether the variant's name says CUDA, even where it names no train that exists."""
        return names_cuda(self.variant)


def names_cuda(name: str) -> bool:
    """Whether a word of a variant's name or label is CUDA: `cuda-13.0`, `CUDA`, `cu130`, `gpu_cuda13`."""
    return re.search(r"(^|[\W_])cu(da)?([\W_\d]|$)", name.lower()) is not None
