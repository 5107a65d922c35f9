"""Objects of a repository: read as they were committed, and none that is another than its name says."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.git.objects import GitEntry, Objects
from tests.support.gits import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_a_commits_tree_is_files_links_and_submodules(repository: Repository) -> None:
    commit = repository.commit(
        {"a": b"one", "deep/er/b": b"two"},
        programs={"deep/run": b"#!/bin/sh\n"},
        links={"link": "deep/er/b"},
        modules={"sub": "1" * 40},
    )
    with Objects(repository.folder) as objects:
        assert objects.has(commit)
        assert not objects.has("2" * 40)
        tree = {entry.path: entry for entry in objects.tree(commit)}
        assert list(tree) == ["a", "deep/er/b", "deep/run", "link", "sub"]
        assert objects.read(tree["deep/er/b"].name, "blob") == b"two"
        assert objects.read(tree["link"].name, "blob") == b"deep/er/b"
        assert tree["sub"] == GitEntry(path="sub", mode=0o160000, name="1" * 40)
        assert objects.absent([tree["a"].name, "3" * 40]) == {"3" * 40}
    assert [path for path, entry in tree.items() if entry.program] == ["deep/run"]
    assert [path for path, entry in tree.items() if entry.link] == ["link"]
    assert [path for path, entry in tree.items() if entry.module] == ["sub"]


def test_a_replaced_object_is_read_as_it_was(repository: Repository) -> None:
    one, two = repository.object(b"one"), repository.object(b"two")
    repository.git("replace", one, two)
    assert repository.git("cat-file", "blob", one) == "two"
    with Objects(repository.folder) as objects:
        assert objects.read(one, "blob") == b"one"


def test_another_content_under_a_name_is_refused(repository: Repository) -> None:
    name = repository.object(b"one")
    file = repository.loose(name)
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 3\0two"))
    with Objects(repository.folder) as objects, pytest.raises(FetchError) as caught:
        objects.read(name, "blob")
    assert f"has another content under the name of the blob {name}" in caught.value.message
    assert "git fsck" in caught.value.advice


def test_a_damaged_object_is_refused_with_what_git_says(repository: Repository) -> None:
    name = repository.object(b"one")
    file = repository.loose(name)
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    with Objects(repository.folder) as objects, pytest.raises(FetchError) as caught:
        objects.read(name, "blob")
    assert f"the blob {name}" in caught.value.message


def test_a_lacking_object_and_one_of_another_kind_are_refused(repository: Repository) -> None:
    name = repository.object(b"one")
    with Objects(repository.folder) as objects:
        with pytest.raises(FetchError, match=f"has not the tree {'4' * 40}, which something in it names"):
            objects.read("4" * 40, "tree")
        with pytest.raises(FetchError, match=f"has a blob named {name} where a commit is asked for") as caught:
            objects.has(name)
    assert caught.value.advice == "Give the name of a commit: git rev-parse NAME^{commit}."


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"a/b"])
def test_names_that_no_checkout_may_have_are_refused(repository: Repository, name: bytes) -> None:
    blob = bytes.fromhex(repository.object(b"one"))
    good = repository.commit_tree(repository.object(b"100644 git\0" + blob, "tree"))
    bad = repository.commit_tree(repository.object(b"100644 " + name + b"\0" + blob, "tree"))
    with Objects(repository.folder) as objects:
        assert [entry.path for entry in objects.tree(good)] == ["git"]
        with pytest.raises(FetchError, match="which no checkout may have"):
            list(objects.tree(bad))


def test_a_tree_that_is_none_is_refused(repository: Repository) -> None:
    # Its last entry has no object.
    commit = repository.commit_tree(repository.object(b"100644 a\0" + b"short", "tree"))
    with Objects(repository.folder) as objects, pytest.raises(FetchError, match="which is malformed"):
        list(objects.tree(commit))


def test_a_name_twice_in_a_tree_is_refused(repository: Repository) -> None:
    blob = bytes.fromhex(repository.object(b"one"))
    entry = b"100644 a\0" + blob
    commit = repository.commit_tree(repository.object(entry + entry, "tree"))
    with Objects(repository.folder) as objects, pytest.raises(FetchError, match="has the name 'a' twice in the tree"):
        list(objects.tree(commit))


def test_trees_that_are_nested_without_end_are_refused(repository: Repository) -> None:
    # No path is as long as these go deep: each tree has a folder `d`.
    tree = repository.object(b"100644 a\0" + bytes.fromhex(repository.object(b"one")), "tree")
    made = {}
    for depth in range(1, 601):
        tree = _write_tree(repository, b"40000 d\0" + bytes.fromhex(tree))
        made[depth] = tree
    deep, too_deep = repository.commit_tree(made[400]), repository.commit_tree(made[600])
    with Objects(repository.folder) as objects:
        assert [entry.path for entry in objects.tree(deep)] == ["d/" * 400 + "a"]
        with pytest.raises(FetchError, match="deeper than a file's path may be long"):
            list(objects.tree(too_deep))


def _write_tree(repository: Repository, data: bytes) -> str:
    """Add a tree, without a process for each."""
    whole = b"tree %d\0" % len(data) + data
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    repository.loose(name).parent.mkdir(exist_ok=True)
    repository.loose(name).write_bytes(zlib.compress(whole))
    return name


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with Objects(tmp_path) as objects, pytest.raises(FetchError) as caught:
        objects.has("1" * 40)
    assert "not a git repository" in caught.value.detail
