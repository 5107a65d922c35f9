"""Loading recipes: what is accepted, and what each refusal says."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from orchestrator.errors import RecipeError, UsageError
from orchestrator.recipe.load import SCHEMA_FILE, find_recipe, load_recipe, recipe_names, recipe_schema_text

MINIMAL = """
[project]
name = "mini"
import = "mini"
source = { path = "source" }
[build]
requires-lock = "build.lock"
version = "1.0"
[variants.cpu]
local = "cpu"
[matrix]
python = ["3.11"]
"""

REPOSITORY_RECIPES = Path(__file__).resolve().parents[3] / "recipes"


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    """A folder of recipes that holds one, `mini`."""
    folder = tmp_path / "recipes"
    (folder / "mini" / "source").mkdir(parents=True)
    (folder / "mini" / "build.lock").write_text("")
    (folder / "mini" / "recipe.toml").write_text(MINIMAL)
    return folder


PLUGIN = '[plugin]\nsources=["gone.cpp"]\ncomponents=["pool"]\nadds=["x"]\n'
PACKAGE = """[cmake]
package = "mini"
floor = "3.24"
targets-from = "3.28"
prefixes = ["mini"]
environments = [{ cmake = "4.4.5", generator = "Ninja" }]
[consumer]
name = "app"
sources = ["gone.cpp"]
"""
POOL = '[[component]]\nname="pool"\nlibrary="libpool.so"\n'
THREADS = 'component="pool"\ndefinition="D"\nmodel="m"\n'


def refusal(recipes: Path, text: str) -> str:
    """What loading `text` as the recipe says."""
    (recipes / "mini" / "recipe.toml").write_text(text)
    with pytest.raises(RecipeError) as caught:
        load_recipe("mini", recipes)
    return str(caught.value)


def test_by_name_by_folder_and_by_file(recipes: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    (recipes / "mini").rename(other)
    (recipes / "mini").mkdir()
    for given in (str(other), str(other / "recipe.toml")):
        assert load_recipe(given, recipes).folder == other
    (recipes / "mini").rmdir()
    other.rename(recipes / "mini")
    recipe = load_recipe("mini", recipes)
    assert (recipe.folder, recipe.project.import_) == (recipes / "mini", "mini")
    assert recipe_names(recipes) == ("mini",)


def test_unknown_name_is_usage_and_names_the_nearest(recipes: Path) -> None:
    with pytest.raises(UsageError, match=r"no recipe 'mimi'.*\n.*Did you mean 'mini'\?") as caught:
        load_recipe("mimi", recipes)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("given", "text"), [("no/where", "no recipe at no/where"), ("odd.toml", "no recipe at odd")])
def test_path_without_recipe(recipes: Path, given: str, text: str) -> None:
    with pytest.raises(RecipeError, match=text):
        find_recipe(given, recipes)


def test_folder_without_recipe(recipes: Path) -> None:
    with pytest.raises(RecipeError, match=r"holds no recipe\.toml"):
        find_recipe(str(recipes / "mini" / "source"), recipes)


def test_syntax_error_names_file_and_line(recipes: Path) -> None:
    said = refusal(recipes, MINIMAL + "x = = 1\n")
    assert str(recipes / "mini" / "recipe.toml") in said
    assert "line 13" in said
    assert "end of the document, line 2" in refusal(recipes, "[a]\nx = [")


def test_not_utf8(recipes: Path) -> None:
    (recipes / "mini" / "recipe.toml").write_bytes(b"x = '\xff'")
    with pytest.raises(RecipeError, match="not UTF-8 text: byte 5"):
        load_recipe("mini", recipes)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("requires-lock", "require-lock", "build.require-lock: is not a known key. Did you mean 'requires-lock'?"),
        ("requires-lock", "requires_lock", "build.requires_lock: is not a known key. Did you mean 'requires-lock'?"),
        ("[project]", "folder = 'x'\n[project]", "folder: is not a known key."),
        ('version = "1.0"', "", "build.version: is required and missing"),
        ('version = "1.0"', "version = 1", "build.version: must be a valid string; found 1"),
        ('local = "cpu"', "locl = 'cpu'", "variants.cpu.locl: is not a known key. Did you mean 'local'?"),
        ('["3.11"]', '["3.11", "2.7"]', r"matrix.python[2]: must match pattern '^3\.(0|[1-9][0-9]?)$'; found '2.7'"),
        ('{ path = "source" }', '{ path = "../x" }', "project.source.path: '../x' must be a relative path"),
        ('{ path = "source" }', "{}", "project.source: give exactly one of 'path', 'sdist', 'git' and 'wheel'"),
        ('["3.11"]', '["3.11"]\narch = ["x86"]', "matrix.arch[1]: must be 'x86_64' or 'aarch64'; found 'x86'"),
        ("[variants.cpu]", '[variants."../x"]\n[variants.cpu]', 'variants."../x" (the key): must match pattern'),
        ("[variants.cpu]", '[variants."a.b"]\nx = 1\n[variants.cpu]', 'variants."a.b".x: is not a known key.'),
        ("build.lock", "other.lock", "build.requires-lock: names the file 'other.lock', which does not exist; 'nox -s"),
        ("build.lock", "other.lock", "makes it of other.in"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m.bin"\nreference="r"\ntolerance=1.0\n[matrix]',
            "model[1].reference: names the file 'r'",
        ),
        (
            'local = "cpu"',
            'requires = ["a >="]',
            "variants.cpu.requires[1]: 'a >=' is not a requirement (PEP 508): ",
        ),
        ("[matrix]", '[python]\nscript="run.py"\n[matrix]', "python.script: names the file 'run.py'"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m"\nreference="r"\ntolerance=1.0\nneeds=["gone"]\n[matrix]',
            "model 'm' names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            '[document]\nfile="cpp.md"\nheading="# Use"\n[matrix]',
            "[document] needs a [cmake] table: its example is built against the CMake package",
        ),
        (
            'local = "cpu"',
            'local = "cpu"\nabsent = ["gone"]',
            "variant 'cpu' names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            '[threads]\ncomponent="gone"\ndefinition="D"\nmodel="m"\n[matrix]',
            "[threads] names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            f"{POOL}[threads]\n{THREADS}[matrix]",
            "[threads] names the model 'm', which no [[model]] declares",
        ),
        (
            "[matrix]",
            f'{POOL}[threads]\n{THREADS}tasks-pattern="tasks"\n[matrix]',
            "threads.tasks-pattern must have exactly one group",
        ),
        (
            "[matrix]",
            f"{PLUGIN}{POOL}{PACKAGE}[matrix]",
            "plugin.sources[1]: names the file 'gone.cpp', which does not exist",
        ),
        (
            "[matrix]",
            f"{PLUGIN}{POOL}[matrix]",
            "[plugin] needs a [consumer] table: that is the program that is asked",
        ),
        ("[matrix]", PACKAGE.replace("3.24", "") + "[matrix]", "cmake.floor: must match pattern"),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'relocatable-variables = "yes"\ntargets') + "[matrix]",
            "cmake.relocatable-variables: must be a valid boolean; found 'yes'",
        ),
        ('version = "1.0"', 'version = "1.0"\nminutes = "5"', "build.minutes: must be a valid number; found '5'"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m.bin"\nreference="r"\ntolerance=inf\n[matrix]',
            "model[1].tolerance: must be a finite number; found inf",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'floor-tried = "4.5.0"\ntargets') + "[matrix]",
            "cmake: floor-tried, 4.5.0, is newer than an environment's CMake, 4.4.5",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'floor-tried = "3.23.9"\ntargets') + "[matrix]",
            "cmake: floor-tried, 3.23.9, is older than the floor, 3.24",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'below-floor = "3.24.0"\ntargets') + "[matrix]",
            "cmake: below-floor, 3.24.0, is not older than the floor, 3.24",
        ),
        (
            "[matrix]",
            '[libraries]\nfolders=["mini"]\nothers=[{library="*.so", reason="shipped for others"}]\n[matrix]',
            "libraries.others[1].library is not a regular expression: nothing to repeat",
        ),
        (
            'local = "cpu"',
            'runs = [["-m", "mini"], ["check.py", "1"]]',
            "variants.cpu: runs[2] must be '-c' and code, or '-m' and a module",
        ),
        ("build.lock", r"a\u0000b", r"build.requires-lock: 'a\x00b' is no path that a file can have"),
        ("build.lock", "a" * 256, "aaa' is no path that a file can have"),
    ],
)
def test_refusals_name_key_and_expectation(recipes: Path, old: str, new: str, said: str) -> None:
    assert old in MINIMAL
    text = refusal(recipes, MINIMAL.replace(old, new, 1))
    assert said in text
    assert str(recipes / "mini" / "recipe.toml") in text


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


NAME = r"must match pattern '^[A-Za-z_][A-Za-z0-9_]*$'"
SETTING = r"must match pattern '^[^=\s\x00]+$'"
BAD_NAMES = [r'""', '"A=B"', '"A B"', r'"A\u0000"', r'"A\n"', '"1A"', '"É"']


def test_paths_are_compared_as_wheels_write_them(recipes: Path) -> None:
    file = recipes / "mini" / "recipe.toml"
    member = '[[member]]\npath="./mini//a/*.h/"\nships=false\nreason="internal headers"\n'
    file.write_text(MINIMAL + member)
    assert load_recipe("mini", recipes).member[0].path == "mini/a/*.h"


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


def test_every_problem_is_listed_once(recipes: Path) -> None:
    said = refusal(recipes, MINIMAL.replace('"3.11"', '"2.7"').replace("local", "lokal"))
    assert "(2 problems)" in said
    assert "matrix.python:" not in said  # the list is not called too short because its one item is bad


def test_published_schema_is_the_models() -> None:
    assert SCHEMA_FILE.read_text() == recipe_schema_text(), (
        "the recipe model changed: python -m orchestrator.recipe.load rewrites the schema"
    )


def test_schema_has_file_keys_and_not_the_folder() -> None:
    schema = json.loads(SCHEMA_FILE.read_text())
    assert "folder" not in schema["properties"]
    assert "forbid-copies" in schema["properties"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", recipe_names(REPOSITORY_RECIPES))
def test_recipes_of_the_repository_fit_the_published_schema(name: str) -> None:
    schema = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
    document = tomllib.loads((REPOSITORY_RECIPES / name / "recipe.toml").read_text())
    schema.validate(json.loads(json.dumps(document, default=str)))  # dates are text in JSON
    document["project"]["nmae"] = "x"
    assert "'nmae' was unexpected" in str(next(schema.iter_errors(json.loads(json.dumps(document, default=str)))))


@pytest.mark.parametrize("name", recipe_names(REPOSITORY_RECIPES))
def test_recipes_of_the_repository_load(name: str) -> None:
    recipe = load_recipe(name, REPOSITORY_RECIPES)
    assert recipe.folder == REPOSITORY_RECIPES / name


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 100_000, "is not TOML: nested too deeply."), ("9" * 5000, "is not TOML: Exceeds the limit")],
)
def test_what_python_cannot_hold_is_refused(recipes: Path, value: str, said: str) -> None:
    file = recipes / "mini" / "recipe.toml"
    file.write_text(f"x = {value}")
    with pytest.raises(RecipeError) as error:
        load_recipe("mini", recipes)
    assert error.value.message.startswith(f"{file}: {said}")


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
