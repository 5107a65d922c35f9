"""Which rows cannot be worked on here, and why: said of each before an engine is asked for anything.

What is said follows from the recipe, the images' definitions and this machine's processors.  Where only a try could
tell, as of an official image that no registry was asked for yet, nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from orchestrator.ground.emulation import engine_is_elsewhere, interpreters
from orchestrator.images.definition import ImageDefinition, load_definitions
from orchestrator.images.official import unreachable
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.plan.stable_abi import building_pythons, stable_from
from orchestrator.processor import Processor, native_arch
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store
from orchestrator.store.target_python import known_pythons

if TYPE_CHECKING:  # a row that the store answers must not wait for the engine's client to load
    from orchestrator.images.imageset import Policy


@dataclass(frozen=True, kw_only=True)
class Here:
    """What rows can be built and tried with.

    `native` is the engine's processor, `engines` are those that have an engine of their own, `emulated` those whose
    programs run under emulation, and `emulate` whether builds do too.  `unreachable` are the official images that no
    registry answered for of late, `targets` by processor the Pythons that wheels can be cross-compiled for.
    """

    definitions: Mapping[str, ImageDefinition]
    policy: Policy
    native: str
    engines: frozenset[str] = frozenset()
    emulated: frozenset[str] = frozenset()
    emulate: bool = False
    unreachable: frozenset[str] = frozenset()
    targets: Mapping[str, Collection[str]] = field(default_factory=dict)


def look_here(
    images: Path,
    store: Store,
    *,
    policy: Policy,
    engines: Sequence[str] = (),
    emulate: bool = False,
    native: str | None = None,
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
        emulated=frozenset(get_args(Processor) if engine_is_elsewhere() else interpreters()),
        emulate=emulate,
        unreachable=frozenset(one for one in references if unreachable(store, one)),
        targets={arch: known_pythons(arch, images / "debian") for arch in get_args(Processor)},
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
    """Why no interpreter builds the row; a builder that does not exist is told where images are made."""
    name = recipe.variants[row.variant].builder or recipe.images.builder
    definition = here.definitions.get(name)
    cross = row.arch != here.native and row.arch not in here.engines and not here.emulate
    if definition is not None and cross:
        other = next((one for arch, one in definition.cross.items() if arch == row.arch), None)
        if other is None:
            return f"image '{name}' names no other that builds for {row.arch} on {here.native} (cross.{row.arch})"
        name, definition = other, here.definitions.get(other)
    if definition is None or (not cross and _is_official(definition, row, here)):
        return None
    layers = [layer.version for layer in definition.stand_in.python]
    known = layers or [definition.python or "none"]
    usable = [python for python in building_pythons(recipe, row, layers) if python in known]
    floor = stable_from(recipe, row)
    lacking = f"none from {floor} on" if floor else f"not {python_version(row.python)}"
    if not usable:
        return f"no interpreter: the stand-in of image '{name}' has Python {', '.join(known)}, and {lacking}"
    targets = here.targets.get(row.arch, ())
    if cross and usable[0] not in targets:
        there = ", ".join(targets) or "none"
        return f"the headers of Python {usable[0]} for {row.arch} are not locked: those of {there} are"
    return None


def _is_official(definition: ImageDefinition, row: Row, here: Here) -> bool:
    """Whether the row may be built in the official image, which has every interpreter."""
    reference = next((one for arch, one in definition.official.items() if arch == row.arch), None)
    if reference is None or here.policy == "stand-in":
        return False
    return here.policy == "official-only" or reference not in here.unreachable
