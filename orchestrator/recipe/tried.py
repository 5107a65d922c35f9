"""Where a recipe wants its wheels tried, held against the images and the CMakes that there are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orchestrator.errors import nearest
from orchestrator.ground.sessions import ROOT
from orchestrator.recipe.model import Recipe
from orchestrator.store.toolchain import LOCKS, known_cmakes

IMAGES = ROOT / "images"


def cannot_be_tried(recipe: Recipe, images: Path = IMAGES, locks: Path = LOCKS) -> Iterator[str]:
    """What is wrong with the images and CMakes that the recipe names, each by its key and with those that are known.

    So a build of an hour does not end where its checks would begin.
    """
    known_images = {path.stem for path in images.glob("*.toml")}
    named = {
        "images.builder": recipe.images.builder,
        "images.test": recipe.images.test,
        "images.runtime": recipe.images.runtime,
        **{f"variants.{_as_key(name)}.builder": variant.builder for name, variant in recipe.variants.items()},
    }
    cmakes: dict[str, str | None] = {}
    if recipe.cmake is not None:
        cmakes = {"cmake.floor-tried": recipe.cmake.floor_tried, "cmake.below-floor": recipe.cmake.below_floor}
        seen: dict[tuple[str, str, str], int] = {}
        for place, one in enumerate(recipe.cmake.environments, start=1):
            cmakes[f"cmake.environments[{place}].cmake"] = one.cmake
            named[f"cmake.environments[{place}].image"] = one.image
            own = (one.image or recipe.images.test, one.cmake, one.generator)
            if own in seen:
                yield f"cmake.environments[{place}]: is the same as environments[{seen[own]}]"
            seen.setdefault(own, place)
    known = known_cmakes(locks)
    for key, version in cmakes.items():
        if version is not None and version not in known:
            yield f"{key}: there is no lock for CMake {version}. {nearest(version, known)}"
    for key, image in named.items():
        if image is not None and image not in known_images:
            yield f"{key}: there is no image '{image}'. {nearest(image, known_images)}"


def _as_key(name: str) -> str:
    """A variant's name in a TOML key path: in quotes where it has a dot."""
    return f'"{name}"' if "." in name else name
