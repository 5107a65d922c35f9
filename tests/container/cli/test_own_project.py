"""A project that is not ours: its recipe lies elsewhere, its source is an sdist, a checkout, or patched by hooks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Ended, run
from tests.support.index import serve
from tests.support.sdists import file, sdist
from tests.support.tiny import BAD, tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

TOP = "tiny-1.0"


def published(folder: Path, sha256: str, *, before: str = "") -> Path:
    """The tiny recipe, with what was its source folder moved away and an sdist in its place."""
    recipe = tiny_recipe(folder)
    (recipe / "source").rename(folder / "checkout")
    text = (recipe / "recipe.toml").read_text()
    text = text.replace('{ path = "source" }', f'{{ sdist = "tiny==1.0", sha256 = "{sha256}" }}')
    (recipe / "recipe.toml").write_text(text.replace("minutes = 2", f"minutes = 2\n{before}"))
    return recipe


def source_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def build(recipe: Path | str, *options: str, cwd: Path, env: Mapping[str, str] | None = None) -> Ended:
    return run("build", "--stand-in", "--json", "--recipe", str(recipe), *options, cwd=cwd, env=env)


def only_row(done: Ended) -> dict[str, Any]:
    (row,) = json.loads(done.require(0).out)["rows"]
    assert row["verdict"] == "pass"
    return dict(row)


def test_an_sdist_is_built_by_a_recipe_elsewhere_and_again_without_its_index(tmp_path: Path) -> None:
    stand, elsewhere = tmp_path / "here", tmp_path / "some where"
    stand.mkdir()
    # The published file does not compile: the hook repairs it.
    before = 'before = ["sed -i s/undeclared_name/42/ tiny.c"]'
    recipe = published(elsewhere, "0" * 64, before=before)
    files = source_files(elsewhere / "checkout") | {"tiny.c": BAD.encode()}
    data = sdist(file(f"{TOP}/PKG-INFO", b"Name: tiny\nVersion: 1.0\n"), files=files, top=TOP)
    sha256 = hashlib.sha256(data).hexdigest()
    with serve(tmp_path / "index") as index:
        index.publish("tiny", "tiny-1.0.tar.gz", data)
        env = {"WHEEL_ORCHESTRATOR_INDEX": index.address}
        refused = build(recipe, cwd=stand, env=env).require(5)
        assert "tiny==1.0 (sdist): the file does not have the SHA-256" in refused.err
        assert sha256 in refused.err
        text = (recipe / "recipe.toml").read_text()
        (recipe / "recipe.toml").write_text(text.replace("0" * 64, sha256))
        row = only_row(build(recipe, cwd=stand, env=env))
    assert {"name": "tiny (sdist)", "version": "1.0", "sha256": sha256} in row["inputs"]
    assert "hook 1" in [step["name"] for step in row["steps"]]
    assert [path.name for path in (stand / "dist").iterdir()] == [row["wheel"]["name"]]
    again = only_row(build(f"{recipe}/recipe.toml", "--fresh", cwd=stand, env=env))
    assert again["wheel"]["sha256"] == row["wheel"]["sha256"]


def test_a_checkout_stands_for_the_sdist_and_is_named_as_such(tmp_path: Path) -> None:
    recipe = published(tmp_path, "0" * 64)
    env = {"WHEEL_ORCHESTRATOR_INDEX": "http://127.0.0.1:9/simple"}
    row = only_row(build(recipe, "--fresh", "--source", "checkout", cwd=tmp_path, env=env))
    assert row["inputs"][0]["name"] == "tiny (source)"
    refused = build(recipe, cwd=tmp_path, env=env).require(5)
    assert "The sdist tiny==1.0 is not in the store, and the package index cannot be reached." in refused.err
    assert "--source DIR" in refused.err
