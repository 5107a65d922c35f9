"""Which rows cannot be worked on here, and why: said of each before an engine is asked for anything.

What is said follows from the recipe, the images' definitions and this machine's processors.  Where only a try could
tell, as of an official image that no registry was asked for yet, nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from orchestrator.images.definition import ImageDefinition, load_definitions
from orchestrator.images.official import unreachable
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.plan.stable_abi import building_pythons, stable_from
from orchestrator.processor import ENGINE_NAMES, Processor, native_arch
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store

if TYPE_CHECKING:  # a row that the store answers must not wait for the engine's client to load
    from orchestrator.images.imageset import Policy

BINFMT = Path("/proc/sys/fs/binfmt_misc")
"""Where the kernel lists interpreters for programs of other processors (binfmt-misc in the kernel's documentation)."""


@dataclass(frozen=True, kw_only=True)
class Here:
    """What rows can be built and tried with.

    `native` is the engine's processor, `engines` are those that have an engine of their own, `emulated` those whose
    programs run under emulation.  `unreachable` are the official images that no registry answered for of late.
    """

    definitions: Mapping[str, ImageDefinition]
    policy: Policy
    native: str
    engines: frozenset[str] = frozenset()
    emulated: frozenset[str] = frozenset()
    unreachable: frozenset[str] = frozenset()


def look_here(
    images: Path, store: Store, *, policy: Policy, engines: Sequence[str] = (), native: str | None = None
) -> Here:
    """What this machine has; `images` is the folder of definitions, `engines` the processors of engines named.

    Raises:
        RecipeError: a definition is malformed.
    """
    definitions = load_definitions(images)
    references = (one for definition in definitions.values() for one in definition.official.values())
    return Here(
        definitions=definitions,
        policy=policy,
        native=native or native_arch(),
        engines=frozenset(engines),
        emulated=frozenset(arch for arch in get_args(Processor) if _is_emulated(arch)),
        unreachable=frozenset(one for one in references if unreachable(store, one)),
    )


def why_not(recipe: Recipe, row: Row, here: Here, *, building: bool = True) -> str | None:
    """Why the row cannot be worked on here; None where nothing speaks against it.

    Of a wheel that is only verified, not `building`, no builder is asked for.
    """
    if building and recipe.build is None:
        wheel = recipe.project.published or recipe.project.source.wheel
        return f"the recipe only verifies a published wheel: nox -s verify -- --recipe {row.recipe} {wheel}"
    if row.arch != here.native and row.arch not in here.engines | here.emulated:
        return (
            f"the engine is for {here.native}, and programs for {row.arch} do not run there under emulation: "
            f"name an engine with --engine {row.arch}=ADDRESS, or let 'nox -s doctor' say how emulation is had"
        )
    return _no_interpreter(recipe, row, here) if building else None


def _no_interpreter(recipe: Recipe, row: Row, here: Here) -> str | None:
    name = recipe.variants[row.variant].builder or recipe.images.builder
    definition = here.definitions.get(name)
    if definition is None or _is_official(definition, row, here):
        return None  # a builder that does not exist is the recipe's error, told where images are made
    layers = [layer.version for layer in definition.stand_in.python]
    known = layers or [definition.python or "none"]
    if set(building_pythons(recipe, row, layers)).intersection(known):
        return None
    floor = stable_from(recipe, row)
    lacking = f"none from {floor} on" if floor else f"not {python_version(row.python)}"
    return f"no interpreter: the stand-in of image '{name}' has Python {', '.join(known)}, and {lacking}"


def _is_official(definition: ImageDefinition, row: Row, here: Here) -> bool:
    """Whether the row may be built in the official image, which has every interpreter."""
    if here.policy == "stand-in" or (row.arch != here.native and row.arch not in here.engines):
        return False
    reference = next((one for arch, one in definition.official.items() if arch == row.arch), None)
    return reference is not None and (here.policy == "official-only" or reference not in here.unreachable)


def _is_emulated(arch: str) -> bool:
    """Whether this machine's kernel runs programs of that processor; Debian names its interpreters by it."""
    if arch not in ENGINE_NAMES:
        return False
    try:
        return (BINFMT / f"qemu-{arch}").read_text("ascii").startswith("enabled")
    except OSError:
        return False
