"""A recipe's files by their hashes, wherever it lies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.ground.sessions import ROOT
from orchestrator.recipe.load import load_recipe
from orchestrator.reproduce.pins import recipe_pins, revision_of
from tests.support.tiny import tiny_recipe

POLICY = '[release]\nvariants = ["cpu"]\n'


def pins(folder: Path, without: tuple[Path, ...] = ()) -> dict[str, str]:
    return {pin.path: pin.sha256 for pin in recipe_pins(load_recipe(str(folder), folder), without=without)}


def revision(folder: Path) -> str:
    return revision_of(recipe_pins(load_recipe(str(folder), folder)))


def test_what_the_recipe_names_its_policy_and_no_source(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    assert set(pins(folder)) == {"recipe.toml", "build.lock"}
    (folder / "notes.txt").write_text("no part of it")
    (folder / "policy.toml").write_text(POLICY)
    assert set(pins(folder)) == {"recipe.toml", "build.lock", "policy.toml"}


def test_the_revision_is_that_of_contents_and_of_no_place(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    first = revision(folder)
    elsewhere = Path(shutil.copytree(folder, tmp_path / "elsewhere" / "by-another-name"))
    assert revision(elsewhere) == first
    (elsewhere / "source" / "tiny.c").write_text("another")
    assert revision(elsewhere) == first  # the source has its own hash
    for change in ("recipe.toml", "build.lock"):
        again = Path(shutil.copytree(folder, tmp_path / change / "tiny"))
        (again / change).write_text(f"{(again / change).read_text()}\n# more\n")
        assert revision(again) != first
    (elsewhere / "policy.toml").write_text(POLICY)
    assert revision(elsewhere) != first


def test_where_workflows_cover_files_each_file_counts(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    with (folder / "recipe.toml").open("a") as file:
        file.write('\n[[workflow]]\nfile = "source/.github/workflows/wheels.yml"\ncovers = ["."]\n')
    (folder / "reports").mkdir()
    (folder / "reports" / "old").touch()
    found = pins(folder, without=(folder / "reports",))
    assert {"source/tiny.c", "source/backend.py", "recipe.toml"} <= set(found)
    assert "reports/old" not in found


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_recipe(tmp_path)
    recipe = load_recipe(str(folder), folder)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)  # root may read everything
    with pytest.raises(RecipeError, match=r"build.lock' cannot be read: Permission denied"):
        recipe_pins(recipe)


@pytest.mark.parametrize("name", ["minirt", "executorch", "apache-tvm-ffi"])
def test_our_own_recipes_are_small_and_whole(name: str) -> None:
    recipe = load_recipe(name, ROOT / "recipes")
    found = recipe_pins(recipe)
    assert {"recipe.toml", "build.lock"} <= {pin.path for pin in found}
    assert sum(pin.size for pin in found) < 1 << 20
