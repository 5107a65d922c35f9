"""What guards judge: what is asked, what the container has, what was built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.build.nvcc import NvccCommand
from orchestrator.build.tools import Tools
from orchestrator.plan.cuda import CudaPlan
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.wheel.model import Wheel


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is known before anything is fetched; `plan` is None for a row without CUDA."""

    recipe: Recipe
    row: Row
    plan: CudaPlan | None

    @property
    def settings(self) -> Mapping[str, str]:
        """What the recipe gives to the build: its config settings and environment variables by name."""
        variant = self.recipe.variants[self.row.variant]
        build = self.recipe.build
        general = {**build.config_settings, **build.env} if build else {}
        return {**general, **variant.config_settings, **variant.env}


@dataclass(frozen=True, kw_only=True)
class Equipped:
    """What is known before anything is compiled.

    `env` are the build's environment variables; `root` is the CUDA toolkit's folder in the container, and
    `claims` what its tools must answer by their lock, empty for an image's own toolkit.
    """

    asked: Asked
    env: Mapping[str, str]
    tools: Tools
    root: str | None = None
    claims: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a build that ran to its end left in its output folder: file names."""

    asked: Asked
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Built:
    """What is known of a finished build: the calls of nvcc but for trials, and the wheel."""

    asked: Asked
    commands: tuple[NvccCommand, ...]
    wheel: Wheel
