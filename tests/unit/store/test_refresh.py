from __future__ import annotations

import io
import tomllib
from collections.abc import Iterator
from pathlib import Path

import packaging.requirements
import pytest
from packaging.utils import canonicalize_name
from rich.console import Console

from orchestrator.errors import FetchError, UsageError
from orchestrator.ground.sessions import ROOT
from orchestrator.store.locks import Requirement, parse_lock
from orchestrator.store.refresh import changes_table, compare_locks, lock_sources, refresh_locks
from tests.support.index import Index, serve


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with serve(tmp_path / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield index


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "images" / "toolchains").mkdir(parents=True)
    (folder / "images" / "toolchains" / "ant.in").write_text("ant\n")
    (folder / "recipes" / "some").mkdir(parents=True)
    return folder


def _table(root: Path, *, check: bool = False) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(changes_table(refresh_locks(root, check=check), root))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_lock_is_made_shown_and_refreshed(index: Index, root: Path) -> None:
    lock = root / "images" / "toolchains" / "ant.lock"
    first = index.add("ant", "1")
    assert "added, 1" in _table(root)
    assert lock.read_text() == f"ant==1 \\\n    --hash=sha256:{first}\n"
    assert "unchanged" in _table(root)

    second = index.add("ant", "2")
    assert "1 -> 2" in _table(root, check=True)
    assert first in lock.read_text()
    _table(root)
    assert second in lock.read_text()
    assert [path.name for path in lock.parent.iterdir() if path.name.startswith(".")] == []


def test_the_folder_of_a_recipe_elsewhere_gets_its_locks(
    index: Index, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = index.add("ant", "1")
    recipe = tmp_path / "mine"
    recipe.mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="The folder 'mine' has no requirements") as caught:
        refresh_locks(root, only=["mine"])
    assert "build.in" in caught.value.advice
    (recipe / "build.in").write_text("ant\n")
    results = refresh_locks(root, only=["mine"])
    assert (recipe / "build.lock").read_text() == f"ant==1 \\\n    --hash=sha256:{first}\n"
    assert not (root / "images" / "toolchains" / "ant.lock").exists()
    console = Console(file=io.StringIO(), width=200)
    console.print(changes_table(results, root))
    assert isinstance(console.file, io.StringIO)
    assert str(recipe / "build.lock") in console.file.getvalue()


def test_another_hash_of_the_same_version_is_shown(index: Index, root: Path) -> None:
    index.add("ant", "1")
    lock = root / "images" / "toolchains" / "ant.lock"
    lock.write_text(f"ant==1 --hash=sha256:{'0' * 64}\n")
    assert "1: 1 hashes more, 1 fewer" in _table(root, check=True)
    assert "0" * 64 in lock.read_text()


def test_what_came_went_changed_and_was_rebuilt_is_told_apart() -> None:
    def pins(*entries: tuple[str, str, str]) -> list[Requirement]:
        return [Requirement(name=name, version=version, hashes=(sha256,)) for name, version, sha256 in entries]

    old = pins(("ant", "1", "a"), ("bee", "1", "b"), ("cat", "1", "c"), ("dog", "1", "d"))
    new = pins(("ant", "1", "a"), ("bee", "2", "x"), ("cat", "1", "x"), ("eel", "1", "e"))
    assert {change.name: change.describe() for change in compare_locks(old, new)} == {
        "bee": "1 -> 2",
        "cat": "1: 1 hashes more, 1 fewer",
        "dog": "removed, was 1",
        "eel": "added, 1",
    }


def test_a_lock_that_cannot_be_resolved_stays(index: Index, root: Path) -> None:
    lock = root / "images" / "toolchains" / "ant.lock"
    before = f"ant==1 --hash=sha256:{'0' * 64}\n"
    lock.write_text(before)
    with pytest.raises(FetchError, match=r"ant\.in' cannot be resolved"):
        refresh_locks(root)
    assert lock.read_text() == before


def test_a_lock_that_does_not_exist_gets_the_nearest(root: Path) -> None:
    with pytest.raises(UsageError, match="no lock 'toolchains/amt'") as caught:
        refresh_locks(root, only=["toolchains/amt"])
    assert "images/toolchains/ant.lock" in caught.value.advice


def test_recipes_and_the_project_have_locks_too(root: Path) -> None:
    (root / "recipes" / "some" / "build.in").write_text("ant\n")
    (root / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert [str(source.lock.relative_to(root)) for source in lock_sources(root)] == [
        "images/toolchains/ant.lock",
        "recipes/some/build.lock",
        "requirements.lock",
    ]


def test_every_requirement_of_this_repository_is_in_its_lock_and_fits() -> None:
    """A person who adds one and installs it by hand sees no difference; a new machine does."""
    for source in lock_sources(ROOT):
        if source.source.name == "pyproject.toml":
            project = tomllib.loads(source.source.read_text())["project"]
            asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
        else:
            lines = (line.split(" #")[0].strip() for line in source.source.read_text().splitlines())
            asked = [line for line in lines if line and line[0] not in "#-"]
        locked = {canonicalize_name(entry.name): str(entry.version) for entry in parse_lock(source.lock)}
        assert asked
        for wanted in map(packaging.requirements.Requirement, asked):
            version = locked[canonicalize_name(wanted.name)]
            assert wanted.specifier.contains(version, prereleases=True), f"{source.source}: {wanted}, {version}"
