"""What a recipe expects of a wheel that is built, where that differs from the published one."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.recipe.built import as_built
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe

RECIPE = """
[project]
name = "mini"
import = "mini"
source = { path = "source" }
[build]
requires-lock = "build.lock"
version = "1.0"
[variants.cpu]
only-requires = ["numpy>=2", "torchao<0.19", "Ruamel.Yaml"]
[variants.bare]
absent = ["pool"]
[matrix]
python = ["3.11"]
[[component]]
name = "pool"
library = "libpool.so"
[[component]]
name = "delegate"
library = "libdelegate.so"
[[member]]
path = "mini/adaptor.*.so"
ships = true
reason = "The side of the delegate that exports."
[[member]]
path = "*/libvendor*.so"
ships = false
reason = "Users bring their own, as its licence asks."
"""

DIFFERS = """
[[build.differs]]
component = "delegate"
reason = "Its SDK is not free, and is not fetched."
[[build.differs]]
member = "mini/adaptor.*.so"
reason = "It is of the delegate, which is not built."
[[build.differs]]
requirement = "ruamel-yaml>=1"
reason = "The revision asks for a newer one of it."
[[build.differs]]
no-requirement = "torchao"
reason = "The revision does not ask for it yet."
"""


def loaded(folder: Path, text: str) -> Recipe:
    (folder / "mini" / "source").mkdir(parents=True, exist_ok=True)
    (folder / "mini" / "build.lock").write_text("")
    (folder / "mini" / "recipe.toml").write_text(text)
    return load_recipe("mini", folder)


def test_a_recipe_that_says_nothing_expects_the_same_of_both(tmp_path: Path) -> None:
    recipe = loaded(tmp_path, RECIPE)
    assert as_built(recipe) is recipe


def test_what_differs_is_expected_of_what_is_built_alone(tmp_path: Path) -> None:
    recipe = loaded(tmp_path, RECIPE + DIFFERS)
    built = as_built(recipe)
    assert built.variants["cpu"].absent == ("delegate",)
    assert built.variants["bare"].absent == ("pool", "delegate")
    assert built.variants["cpu"].only_requires == ("numpy>=2", "ruamel-yaml>=1")
    assert built.variants["bare"].only_requires is None
    adaptor, vendor = built.member
    assert (adaptor.path, adaptor.ships) == ("mini/adaptor.*.so", False)
    assert adaptor.reason == "It is of the delegate, which is not built."
    assert vendor == recipe.member[1]
    # The published wheel is held against the recipe as it stands.
    assert recipe.variants["cpu"].absent == ()
    assert recipe.variants["cpu"].only_requires == ("numpy>=2", "torchao<0.19", "Ruamel.Yaml")
    assert recipe.member[0].ships


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('component = "gone"', "build.differs[1] names the component 'gone', which no [[component]] declares"),
        ('member = "mini/gone.so"', "build.differs[1] names 'mini/gone.so', which no [[member]] says must ship"),
        ('member = "*/libvendor*.so"', "build.differs[1] names '*/libvendor*.so', which no [[member]] says must ship"),
        ('requirement = "a b"', "'a b' is not a requirement"),
        ('component = "pool"\nno-requirement = "torchao"', "give exactly one of 'component', 'member', 'requirement'"),
        ("", "give exactly one of 'component', 'member', 'requirement' and 'no-requirement'"),
    ],
)
def test_a_difference_must_be_one_of_what_the_recipe_describes(tmp_path: Path, entry: str, said: str) -> None:
    text = f"{RECIPE}[[build.differs]]\n{entry}\nreason = 'The SDK is not free, and is not fetched.'\n"
    with pytest.raises(RecipeError) as caught:
        loaded(tmp_path, text)
    assert said in (caught.value.message + str(caught.value.detail))


def test_a_difference_without_a_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        loaded(tmp_path, RECIPE + '[[build.differs]]\ncomponent = "delegate"\n')
    assert "build.differs[1].reason: is required and missing" in str(caught.value.detail)
