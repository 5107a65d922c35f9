"""Wheels that cannot be judged, or not here: a clear message, the documented code, nothing written."""

from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.tiny import tiny_recipe
from tests.support.wheels import TAG, make_wheel

FILES = {"minirt/__init__.py": b"x = 1\n" * 100}
RECIPE = ("verify", "--recipe", "minirt")


def wheel(folder: Path, *, version: str = "1.2.0+cpu", tag: str = TAG) -> Path:
    return make_wheel(folder, FILES, name="minirt", version=version, tag=tag)


def refused(code: int, *arguments: str, cwd: Path) -> str:
    before = sorted(cwd.rglob("*"))
    done = run(*arguments, cwd=cwd, env={"DOCKER_HOST": "unix:///nowhere/engine.sock"}).require(code)
    assert done.out == ""
    assert sorted(cwd.rglob("*")) == before
    return done.err


def test_another_processor_than_was_asked_or_the_recipe_has(tmp_path: Path) -> None:
    path = wheel(tmp_path, tag="cp311-cp311-manylinux_2_28_aarch64")
    recipe = tiny_recipe(tmp_path)
    said = refused(2, "verify", "--recipe", str(recipe), path.name, cwd=tmp_path)
    assert "is for aarch64; the recipe has rows for x86_64." in said
    assert "Add it to matrix.arch in the recipe; 'inspect' judges" in said
    assert run("inspect", path.name, cwd=tmp_path).code in (0, 1)
    asked = refused(2, "verify", "--recipe", "minirt", "--arch", "x86_64", path.name, cwd=tmp_path)
    assert f"'{path.name}' is for aarch64, not x86_64." in asked
    assert "Leave --arch out" in asked


def test_another_python_is_said_with_the_recipes(tmp_path: Path) -> None:
    path = wheel(tmp_path, tag="cp312-cp312-manylinux_2_28_x86_64")
    said = refused(2, "verify", "--recipe", str(tiny_recipe(tmp_path)), path.name, cwd=tmp_path)
    assert f"'{path.name}' is for Python 3.12" in said
    assert "3.11, 3.13" in said
    other = wheel(tmp_path, tag="cp313-cp313-manylinux_2_28_x86_64")
    asked = refused(2, *RECIPE, "--python", "3.11", other.name, cwd=tmp_path)
    assert f"'{other.name}' is for Python 3.13, not 3.11" in asked


@pytest.mark.parametrize("verb", [RECIPE, ("inspect",)])
def test_a_wheel_that_cannot_be_read(tmp_path: Path, verb: tuple[str, ...]) -> None:
    path = wheel(tmp_path)
    whole = path.read_bytes()
    for content in (b"", b"not a zip", whole[:-40], whole[:200]):
        path.write_bytes(content)
        assert path.name in refused(4, *verb, path.name, cwd=tmp_path)


@pytest.mark.parametrize("name", ["minirt.whl", "minirt-1.2.0.zip", "minirt-one-cp311-cp311-linux_x86_64.whl"])
def test_a_name_that_is_no_wheels(tmp_path: Path, name: str) -> None:
    path = wheel(tmp_path).rename(tmp_path / name)
    assert f"{name}: is not a wheel's file name" in refused(4, *RECIPE, path.name, cwd=tmp_path)
    done = run("inspect", path.name, cwd=tmp_path).require(1)
    assert name in done.out


def test_a_path_with_spaces_and_a_local_version(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    path = wheel(folder, version="1.2.0+local.7")
    done = run("inspect", "--json", f"two words/{path.name}", cwd=tmp_path)
    assert done.code in (0, 1), done.err
    assert path.name in done.out
    said = refused(2, *RECIPE, f"two words/{path.name}", cwd=tmp_path)
    assert f"No variant of recipe 'minirt' has the local label 'local.7' of '{path.name}'" in said
    assert "Say which with --variant. Known: cpu, cuda-12.6, " in said
    # Nothing is wrong with it then but that there is no engine to go on.
    refused(6, *RECIPE, f"two words/{path.name}", "--variant", "cpu", cwd=tmp_path)


def test_verify_without_a_wheel_of_a_recipe_that_builds(tmp_path: Path) -> None:
    assert "Which wheel?" in refused(2, *RECIPE, cwd=tmp_path)


def test_a_record_that_is_wrong_is_a_finding(tmp_path: Path) -> None:
    path = make_wheel(
        tmp_path, FILES, name="minirt", version="1.2.0+cpu", after_record={"minirt/__init__.py": b"changed\n"}
    )
    done = run("inspect", path.name, cwd=tmp_path).require(1)
    assert "J7" in done.out
    assert "minirt/__init__.py" in done.out
