"""What a build is given: names and values of variables and settings, memory, deadline."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from orchestrator.recipe.load import load_recipe, recipe_schema_text
from tests.support.mini_recipe import MINIMAL, refusal

NAME = r"must match pattern '^[A-Za-z_][A-Za-z0-9_]*$'"


SETTING = r"must match pattern '^[^=\s\x00]+$'"


BAD_NAMES = [r'""', '"A=B"', '"A B"', r'"A\u0000"', r'"A\n"', '"1A"', '"É"']


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize(
    ("where", "key"),
    [
        ("build", "version-variable = {}"),
        ("build", "arch-variable = {}"),
        ("build", 'env = {{ {} = "x" }}'),
        ("variants.cpu", 'env = {{ {} = "x" }}'),
    ],
)
def test_names_of_environment_variables_are_names(recipes: Path, where: str, key: str, name: str) -> None:
    def text(name: str) -> str:
        return MINIMAL.replace(f"[{where}]", f"[{where}]\n{key.format(name)}")

    said = refusal(recipes, text(name))
    assert f"{where}.{key.split(' =')[0]}" in said
    assert NAME in said
    schema = json.loads(recipe_schema_text())
    if name != r'"A\n"':  # in Python's regular expressions, which this validator takes, $ is before a newline too
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text(name)), schema)
    jsonschema.validate(tomllib.loads(text('"_My_2nd"')), schema)
    (recipes / "mini" / "recipe.toml").write_text(text('"_My_2nd"'))
    assert load_recipe("mini", recipes)


@pytest.mark.parametrize("name", [r'""', '"A=B"', '"A B"', r'"A\u0000"', r'"A\n"'])
@pytest.mark.parametrize("key", ["cuda-switch = {}", 'config-settings = {{ {} = "x" }}'])
def test_names_of_settings_have_no_value_in_them(recipes: Path, key: str, name: str) -> None:
    assert SETTING in refusal(recipes, MINIMAL.replace("[build]", f"[build]\n{key.format(name)}"))
    (recipes / "mini" / "recipe.toml").write_text(MINIMAL.replace("[build]", "[build]\n" + key.format('"cmake.d.X-Y"')))
    assert load_recipe("mini", recipes)


@pytest.mark.parametrize("where", ["build", "variants.cpu"])
def test_values_of_environment_variables_have_no_nul(recipes: Path, where: str) -> None:
    said = refusal(recipes, MINIMAL.replace(f"[{where}]", f'[{where}]\nenv = {{ A = "x\\u0000" }}'))
    assert f"{where}.env.A: must match pattern" in said
    (recipes / "mini" / "recipe.toml").write_text(
        MINIMAL.replace(f"[{where}]", f'[{where}]\nenv = {{ A = "", B = "a b=\\n" }}')
    )
    assert load_recipe("mini", recipes)


@pytest.mark.parametrize("key", ["arch-variable", "version-variable"])
@pytest.mark.parametrize("name", ["PATH", "HOME", "CUDACXX", "CUDA_HOME", "CMAKE_CUDA_COMPILER_LAUNCHER"])
def test_what_builds_set_themselves_carries_nothing_else(recipes: Path, key: str, name: str) -> None:
    said = refusal(recipes, MINIMAL.replace("[build]", f'[build]\n{key} = "{name}"'))
    assert f"build.{key}: '{name}' is what builds set themselves; name a variable that" in said


@pytest.mark.parametrize("other", ["version-variable", "cuda-switch"])
def test_the_architectures_have_a_variable_of_their_own(recipes: Path, other: str) -> None:
    both = MINIMAL.replace("[build]", f'[build]\narch-variable = "ARCHS"\n{other} = "ARCHS"')
    assert "build: 'ARCHS' cannot carry both the CUDA architectures and something else" in refusal(recipes, both)
    (recipes / "mini" / "recipe.toml").write_text(both.replace(f'{other} = "ARCHS"', f'{other} = "OTHER"'))
    assert load_recipe("mini", recipes)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('memory = "8"', "build.memory"),
        ('memory = "8GB"', "build.memory"),
        ('memory = "63M"', "'63M' is less than the 64M that a build needs to start"),
        ("minutes = 0", "build.minutes: must be greater than 0"),
        ("minutes = inf", "build.minutes"),
    ],
)
def test_a_builds_memory_and_deadline_are_sizes_that_can_be(recipes: Path, line: str, said: str) -> None:
    assert said in refusal(recipes, MINIMAL.replace('version = "1.0"', f'version = "1.0"\n{line}'))
    good = MINIMAL.replace('version = "1.0"', 'version = "1.0"\nmemory = "500M"\nminutes = 0.1')
    (recipes / "mini" / "recipe.toml").write_text(good)
    build = load_recipe("mini", recipes).build
    assert build is not None
    assert (build.memory, build.minutes) == ("500M", 0.1)
