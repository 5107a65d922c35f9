"""Images and CMakes that a recipe names, held against those that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.recipe.load import load_recipe
from tests.support.mini_recipe import MINIMAL, PACKAGE, POOL, refusal

WHOLE = PACKAGE.replace("gone.cpp", "main.cpp") + POOL + "[matrix]"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"4.4.5"', '"3.29.0"', "cmake.environments[1].cmake: there is no lock for CMake 3.29.0. Did you mean"),
        ('"4.4.5"', '"3.29.0"', "Known: 3.18.0, 3.20.2, 3.23.3, 3.24.3, 3.27.9, 3.28.4, 3.31.10, 4.4.5."),
        ("targets", 'floor-tried = "3.24.1"\ntargets', "cmake.floor-tried: there is no lock for CMake 3.24.1."),
        ("targets", 'below-floor = "3.1.0"\ntargets', "cmake.below-floor: there is no lock for CMake 3.1.0."),
        ('"Ninja"', '"Make"', "environments[1].generator: must be 'Unix Makefiles' or 'Ninja'; found 'Make'"),
        (
            '"Ninja"',
            '"Ninja", image = "trixi"',
            "environments[1].image: there is no image 'trixi'. Did you mean 'trixie'",
        ),
        (
            '{ cmake = "4.4.5", generator = "Ninja" }',
            '{ cmake = "4.4.5", generator = "Ninja" }, { cmake = "4.4.5", generator = "Ninja", image = "bookworm" }',
            "cmake.environments[2]: is the same as environments[1]",
        ),
        ("[matrix]", '[images]\nruntime = "bare"\n[matrix]', "images.runtime: there is no image 'bare'."),
        ('local = "cpu"', 'builder = "bild"', "variants.cpu.builder: there is no image 'bild'."),
    ],
)
def test_where_wheels_cannot_be_tried_is_told_at_once(recipes: Path, old: str, new: str, said: str) -> None:
    (recipes / "mini" / "main.cpp").write_text("")
    whole = MINIMAL.replace("[matrix]", WHOLE)
    (recipes / "mini" / "recipe.toml").write_text(whole)
    load_recipe("mini", recipes)
    assert said in refusal(recipes, whole.replace(old, new, 1))
