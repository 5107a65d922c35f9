"""What a CUDA row must have before anything is compiled: its train, toolkit and architectures.

A row that lost one of them would still build: for the one GPU that a compiler assumes by itself, or
with no CUDA at all under a CUDA name.  So each loss is a refusal of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from orchestrator.errors import RecipeError, nearest
from orchestrator.plan.rows import Row, names_cuda
from orchestrator.recipe.model import Recipe, Variant

TORCH_VARIABLE = "TORCH_CUDA_ARCH_LIST"


@dataclass(frozen=True, kw_only=True)
class CudaPlan:
    """The CUDA side of a row.

    `train` is a release such as `13.0`; `architectures` are compute capabilities without the dot
    (`9.0` is `90`), oldest first, the last of which is shipped as PTX too; `variable` carries them to
    the build, and is None where nothing is built.
    """

    train: str
    architectures: tuple[str, ...]
    variable: str | None

    @property
    def major(self) -> int:
        """The train's major number, which the runtime library's SONAME bears."""
        return int(self.train.partition(".")[0])

    @property
    def newest(self) -> str:
        """The newest architecture."""
        return self.architectures[-1]

    @property
    def value(self) -> str:
        """The architectures as the variable wants them: real code for each, PTX for the newest.

        PyTorch's spelling is `8.0;9.0+PTX`; CMake's is `80-real;90-real;90-virtual` (CMake manual,
        CUDA_ARCHITECTURES: a bare number would mean both, for each).
        """
        if self.variable == TORCH_VARIABLE:
            dotted = [re.sub(r"(\d)([a-z]?)$", r".\1\2", name) for name in self.architectures]
            return f"{';'.join(dotted)}+PTX"
        return ";".join([*(f"{name}-real" for name in self.architectures), f"{self.newest}-virtual"])


def cuda_plan(recipe: Recipe, row: Row, trains: Collection[str], *, building: bool = True) -> CudaPlan | None:
    """The CUDA side of a row; None for a row without CUDA.

    `trains` are the releases that there are toolkits for.  A row that is only verified, not
    `building`, needs neither toolkit nor variable, but what it has must fit.

    Raises:
        RecipeError: the row names CUDA and lost its version, toolkit, architectures or their variable,
            or a row without CUDA has some of these; each with its own message.
    """
    variant = recipe.variants[row.variant]
    where = f"Variant '{row.variant}' of recipe '{recipe.project.name}'"
    if not row.is_cuda:
        _check_free_of_cuda(where, variant)
        return None
    train = _train(where, row.variant, trains)
    _check_label(where, variant, train)
    if variant.toolchain is None and building:
        raise RecipeError(
            f"{where} names no CUDA toolkit: it would be built with whatever the image has, or without CUDA.",
            advice=f'Give it: toolchain = "cuda-{train}".',
        )
    if variant.toolchain not in (None, f"cuda-{train}"):
        raise RecipeError(
            f"{where} names the toolkit {variant.toolchain}, which is not that of CUDA {train}.",
            advice=f'Give it: toolchain = "cuda-{train}".',
        )
    return CudaPlan(
        train=train,
        architectures=_architectures(where, variant, row),
        variable=_variable(recipe, where) if building else None,
    )


def has_cuda_variants(recipe: Recipe) -> bool:
    """Whether any variant of the recipe names CUDA."""
    return any(names_cuda(name) for name in recipe.variants)


def _check_free_of_cuda(where: str, variant: Variant) -> None:
    found = {
        "a toolchain": variant.toolchain,
        "CUDA architectures (arch)": variant.arch,
        "CUDA requirements (requires)": variant.requires,
        f"the label '{variant.local}'": names_cuda(variant.local),
    }
    kept = [what for what, value in found.items() if value]
    if kept:
        raise RecipeError(
            f"{where} names no CUDA version, but has {', '.join(kept)}.",
            advice="Call it cuda-<version>, or remove what only CUDA rows have.",
        )


def _train(where: str, name: str, trains: Collection[str]) -> str:
    match = re.fullmatch(r"cuda-(\d+\.\d+)", name)
    if match is None:
        raise RecipeError(
            f"{where} names CUDA, but no version of it that can be read.",
            advice=f"Call it cuda-<version>, with one of: {', '.join(sorted(trains))}.",
        )
    if match[1] not in trains:
        raise RecipeError(f"{where}: there is no toolkit for CUDA {match[1]}.", advice=nearest(match[1], trains))
    return match[1]


def _check_label(where: str, variant: Variant, train: str) -> None:
    label = f"cu{train.replace('.', '')}"
    if variant.local and variant.local != label:
        raise RecipeError(
            f"{where} has the local version label '{variant.local}', but its CUDA version is {train}.",
            advice=f'Give it: local = "{label}", or none.',
        )


def _architectures(where: str, variant: Variant, row: Row) -> tuple[str, ...]:
    listed = variant.arch_on(row.arch)
    if not listed:
        raise RecipeError(
            f"{where} lists no CUDA architectures for {row.arch}: nvcc would build for one of its own choice.",
            advice=f'Give it: arch.{row.arch} = ["8.0", …], oldest first.',
        )
    for name in listed:
        if not re.fullmatch(r"[1-9][0-9]?\.[0-9][af]?", name):
            raise RecipeError(
                f"{where}: '{name}' is not a CUDA architecture.",
                advice="Write compute capabilities such as 9.0 or 9.0a; the newest gets PTX by itself.",
            )
    if len(set(listed)) != len(listed):
        raise RecipeError(f"{where} lists a CUDA architecture twice.", advice="List each once.")
    return tuple(sorted((name.replace(".", "") for name in listed), key=age))


def age(name: str) -> tuple[int, bool, str]:
    """What sorts architectures by age (`90a` is as old as `90`): the last gets PTX.

    That is a plain number where there is one of its age, since only its PTX runs on newer GPUs too.
    """
    return int(name.rstrip("af")), name.isdigit(), name


def _variable(recipe: Recipe, where: str) -> str:
    if recipe.build is None or recipe.build.arch_variable is None:
        raise RecipeError(
            f"{where}: the recipe names no variable that carries the CUDA architectures to the build.",
            advice="Set build.arch-variable, for example to CUDAARCHS, which CMake reads.",
        )
    return recipe.build.arch_variable
