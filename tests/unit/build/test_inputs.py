"""What a build is made of, and what the report says of its source."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from orchestrator.build.inputs import BuildInputs, collect_inputs
from orchestrator.errors import FetchError, RecipeError
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import Pinned
from orchestrator.store.git.mirrors import read_mirrors
from orchestrator.store.store import Store
from tests.support.gits import Repository, git
from tests.support.index import serve
from tests.support.sdists import TOP, sdist
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")
DATA = sdist()
SHA256 = hashlib.sha256(DATA).hexdigest()


def collect(folder: Path, recipe: Path, *, source: Path | None = None, outputs: tuple[Path, ...] = ()) -> BuildInputs:
    loaded = load_recipe(str(recipe), folder)
    return collect_inputs(Store(folder / "store"), loaded, ROW, "sha256:image", source=source, without=outputs)


def published(folder: Path, sha256: str = SHA256) -> Path:
    """A recipe whose source is a published sdist."""
    recipe = tiny_recipe(folder)
    file = recipe / "recipe.toml"
    named = f'source = {{ sdist = "ant==1.0", sha256 = "{sha256}" }}'
    file.write_text(file.read_text().replace('source = { path = "source" }', named))
    return recipe


def test_a_folder_is_named_by_the_hash_of_its_tree(tmp_path: Path) -> None:
    inputs = collect(tmp_path, tiny_recipe(tmp_path))
    assert inputs.origin == Pinned(name="tiny (source)", version="1.0+cpu", sha256=inputs.source.sha256)


def test_an_sdist_is_named_by_its_own_name_version_and_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = published(tmp_path)
    with serve(tmp_path / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        index.publish("ant", "ant-1.0.tar.gz", DATA)
        inputs = collect(tmp_path, recipe)
    assert inputs.origin == Pinned(name="ant (sdist)", version="1.0", sha256=SHA256)
    # The index is gone: the store has it.
    assert collect(tmp_path, recipe) == inputs


def test_a_folder_stands_for_the_sdist_and_needs_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "http://127.0.0.1:9/simple")
    recipe = published(tmp_path)
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "pyproject.toml").touch()
    inputs = collect(tmp_path, recipe, source=checkout)
    assert inputs.origin == Pinned(name="tiny (source)", version="1.0+cpu", sha256=inputs.source.sha256)
    with pytest.raises(FetchError, match=r"The sdist ant==1\.0 is not in the store"):
        collect(tmp_path, recipe)


def test_a_commit_is_named_by_itself_and_no_mirror_changes_the_build(tmp_path: Path) -> None:
    one = Repository(tmp_path / "one")
    commit = one.commit({"pyproject.toml": b""})
    git("clone", "--quiet", "--mirror", str(one.folder), str(tmp_path / "two"))
    url = "https://git.invalid/tiny"
    file = tiny_recipe(tmp_path) / "recipe.toml"
    file.write_text(file.read_text().replace('{ path = "source" }', f'{{ git = "{url}", rev = "{commit}" }}'))
    recipe = load_recipe(str(file), tmp_path)
    found = [
        collect_inputs(
            Store(tmp_path / f"store-{name}"),
            recipe,
            ROW,
            "sha256:image",
            mirrors=read_mirrors([f"{url}={tmp_path / name}"], None),
        )
        for name in ("one", "two")
    ]
    assert found[0].key == found[1].key
    assert found[0].origin == Pinned(name=f"tiny ({url})", version=commit, sha256=found[0].source.sha256)
    with pytest.raises(FetchError, match=f"commit {commit} of {url}: the repository cannot be reached"):
        collect(tmp_path, file)


def test_the_same_tree_of_another_origin_is_another_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = published(tmp_path)
    with serve(tmp_path / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        index.publish("ant", "ant-1.0.tar.gz", DATA)
        fetched = collect(tmp_path, recipe)
    folder = tmp_path / TOP
    (folder / "src").mkdir(parents=True)
    (folder / "pyproject.toml").write_bytes(b"[build-system]\n")
    (folder / "src" / "ant.cpp").write_bytes(b"int ant;\n")
    given = collect(tmp_path, recipe, source=folder)
    assert given.source == fetched.source
    assert given.key != fetched.key


def test_a_variant_may_have_a_lock_of_its_own(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    general = collect(tmp_path, recipe)
    assert general.lock == recipe / "build.lock"
    file = recipe / "recipe.toml"
    file.write_text(file.read_text().replace("[variants.cpu]", '[variants.cpu]\nrequires-lock = "cpu.lock"'))
    with pytest.raises(RecipeError) as caught:
        collect(tmp_path, recipe)
    assert "variants.cpu.requires-lock: names the file 'cpu.lock', which does not exist" in str(caught.value.detail)
    (recipe / "cpu.lock").write_bytes(general.lock.read_bytes())
    own = collect(tmp_path, recipe)
    assert own.lock == recipe / "cpu.lock"
    assert own.key != general.key
    (recipe / "cpu.lock").write_bytes(b"# another\n" + general.lock.read_bytes())
    assert collect(tmp_path, recipe).key != own.key
