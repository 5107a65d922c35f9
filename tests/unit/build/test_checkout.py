"""Sources from git: what a checkout is made of, that it is the same from anywhere, and what is said of what lacks."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.checkout import Checkout, fetch_checkout
from orchestrator.build.source import EPOCH
from orchestrator.errors import FetchError, OrchestratorError, RecipeError
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.source import Source
from orchestrator.report.model import Note, Pinned
from orchestrator.store.git.mirrors import NO_MIRRORS, Mirrors, read_mirrors
from orchestrator.store.store import Store
from tests.support.gits import Repository, git, gitmodules
from tests.support.index import serve
from tests.support.sdists import file, sdist
from tests.support.tiny import tiny_recipe

# No host has these names (RFC 2606): what is not mirrored cannot be reached.
PROJECT, PARTS, NESTED = (f"https://git.invalid/owner/{name}" for name in ("project", "parts", "nested"))
WHY = "the pin is nowhere to be had"


@dataclass(frozen=True)
class World:
    """A project with a submodule `parts`, in which is `nested`, and one that nobody needs."""

    folder: Path
    project: Repository
    parts: Repository
    nested: Repository
    commits: Mapping[str, str]

    @property
    def mirrors(self) -> Mirrors:
        """All three repositories."""
        return mirrors({PROJECT: self.project, PARTS: self.parts, NESTED: self.nested})

    def source(self, **more: Any) -> Source:
        """The project with both submodules, or as `more` says."""
        keys = {"git": PROJECT, "rev": self.commits["project"], "submodules": ("parts", "parts/in/nested")}
        return Source.model_validate(keys | more)

    def checkout(self, source: Source, given: Mirrors | None = None, store: str = "store") -> Checkout:
        """The checkout of a recipe with that source."""
        folder = self.folder / "recipe"
        recipe = load_recipe(str(folder / "tiny" if folder.exists() else tiny_recipe(folder)), folder)
        named = recipe.model_copy(update={"project": recipe.project.model_copy(update={"source": source})})
        return fetch_checkout(Store(self.folder / store), named, self.mirrors if given is None else given)


def mirrors(named: Mapping[str, Repository]) -> Mirrors:
    return read_mirrors([f"{url}={repository.folder}" for url, repository in named.items()], None)


@pytest.fixture
def world(tmp_path: Path) -> World:
    project, parts, nested = (Repository(tmp_path / name) for name in ("project", "parts", "nested"))
    commits = {"nested": nested.commit({"nested.h": b"// nested\n"})}
    modules = gitmodules({"in/nested": "../nested.git"})
    commits["parts"] = parts.commit(
        {".gitmodules": modules, "part.c": b"int part;\n"}, modules={"in/nested": commits["nested"]}
    )
    commits["project"] = project.commit(
        {
            ".gitattributes": b"kept.txt export-ignore\nid.txt export-subst\nlines.txt eol=crlf\n",
            ".gitmodules": gitmodules({"parts": PARTS, "unneeded": "https://git.invalid/unneeded"}),
            "id.txt": b"$Format:%H$\n",
            "kept.txt": b"kept\n",
            "lines.txt": b"one\ntwo\n",
            "a.b": b"",
        },
        programs={"a/run.sh": b"#!/bin/sh\n"},
        links={"to": "parts/part.c", "a/up": "../to"},
        modules={"parts": commits["parts"], "unneeded": "1" * 40},
    )
    return World(tmp_path, project, parts, nested, commits)


def members(checkout: Checkout) -> dict[str, bytes | str | None]:
    """Contents of files, targets of links and None for folders, by their paths."""
    found: dict[str, bytes | str | None] = {}
    with tarfile.open(fileobj=io.BytesIO(b"".join(checkout.tree.pieces()))) as archive:
        for member in archive:
            assert member.mtime == EPOCH
            stream = archive.extractfile(member) if member.isreg() else None
            found[member.name] = stream.read() if stream else member.linkname if member.issym() else None
    return found


def refused(world: World, source: Source, kind: type[OrchestratorError], given: Mirrors | None = None) -> str:
    with pytest.raises(kind) as caught:
        world.checkout(source, given)
    assert caught.value.advice
    return str(caught.value)


def test_a_checkout_is_the_commit_with_its_submodules_as_they_were_committed(world: World) -> None:
    checkout = world.checkout(world.source())
    assert members(checkout) == {
        ".gitattributes": b"kept.txt export-ignore\nid.txt export-subst\nlines.txt eol=crlf\n",
        ".gitmodules": gitmodules({"parts": PARTS, "unneeded": "https://git.invalid/unneeded"}),
        "a/run.sh": b"#!/bin/sh\n",
        "a/up": "../to",
        "a.b": b"",
        "id.txt": b"$Format:%H$\n",
        "kept.txt": b"kept\n",
        "lines.txt": b"one\ntwo\n",
        "parts/.gitmodules": gitmodules({"in/nested": "../nested.git"}),
        "parts/in/nested/nested.h": b"// nested\n",
        "parts/part.c": b"int part;\n",
        "to": "parts/part.c",
        "unneeded": None,
    }
    with tarfile.open(fileobj=io.BytesIO(b"".join(checkout.tree.pieces()))) as archive:
        assert {member.name for member in archive if member.isreg() and member.mode == 0o755} == {"a/run.sh"}
        assert len(archive.getnames()) == len(members(checkout))


def test_a_report_has_every_commit_by_its_place_and_repository(world: World) -> None:
    checkout = world.checkout(world.source())
    assert checkout.origin == Pinned(
        name=f"tiny ({PROJECT})", version=world.commits["project"], sha256=checkout.tree.sha256
    )
    assert [(one.name, one.version) for one in checkout.trees] == [
        (f"parts ({PARTS})", world.commits["parts"]),
        ("parts/in/nested (https://git.invalid/owner/nested.git)", world.commits["nested"]),
    ]
    assert len({one.sha256 for one in checkout.trees}) == 2
    assert checkout.notes == ()
    assert checkout.tree.sha256 == hashlib.sha256(b"".join(checkout.tree.pieces())).hexdigest()


def test_where_the_repositories_are_changes_nothing(world: World) -> None:
    clone = world.folder / "clone"
    git("clone", "--quiet", "--no-checkout", str(world.project.folder), str(clone))
    nested = f"git@git.invalid:owner/nested={world.nested.folder}"
    given = read_mirrors([f"{PROJECT}.git={clone}", f"{PARTS}={world.parts.folder}", nested], None)
    one, two = world.checkout(world.source()), world.checkout(world.source(), given, "another-store")
    assert replace(two, tree=one.tree) == one
    assert two.tree.sha256 == one.tree.sha256
    assert two.tree.tar != one.tree.tar


def test_an_assembled_tree_is_had_from_the_store_unless_it_is_damaged(world: World) -> None:
    one = world.checkout(world.source())
    for repository in (world.project, world.parts, world.nested):
        repository.folder.rename(repository.folder.with_suffix(".gone"))
    assert world.checkout(world.source(), NO_MIRRORS) == one
    assert isinstance(one.tree.tar, Path)
    one.tree.tar.chmod(0o644)
    one.tree.tar.write_bytes(b"")
    said = refused(world, world.source(), FetchError, NO_MIRRORS)
    assert f"the checkout: commit {world.commits['project']} of {PROJECT}: the repository cannot be reached" in said
    for repository in (world.project, world.parts, world.nested):
        repository.folder.with_suffix(".gone").rename(repository.folder)
    assert world.checkout(world.source()).tree == one.tree


def test_without_a_network_each_repository_is_named_and_what_hangs_on_it(world: World) -> None:
    extra = {"path": "more", "git": "https://other.invalid/more", "rev": "2" * 40, "reason": WHY}
    source = world.source(extra=[extra], substitute=[extra | {"path": "parts", "git": "https://third.invalid/parts"}])
    said = refused(world, source, FetchError, NO_MIRRORS).splitlines()
    assert said[0] == "The source of 'tiny' cannot be assembled. What cannot be had:"
    resolved = "the repository cannot be reached: Could not resolve host:"
    assert said[1:5] == [
        f"  the checkout: commit {world.commits['project']} of {PROJECT}: {resolved} git.invalid",
        "  so what its submodules are is not known: parts, parts/in/nested",
        f"  parts: commit {'2' * 40} of https://third.invalid/parts: {resolved} third.invalid",
        f"  more: commit {'2' * 40} of https://other.invalid/more: {resolved} other.invalid",
    ]
    assert "--mirror URL=DIR" in said[5]
    assert "project.source.substitute" in said[5]


def test_pins_that_mirrors_lack_are_named_all_at_once(world: World, tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    commit = world.project.commit(
        {".gitmodules": gitmodules({"parts": PARTS, "more": NESTED, "lost": "-x"})},
        modules={"parts": world.commits["parts"], "more": "3" * 40, "lost": "4" * 40},
    )
    source = world.source(rev=commit, submodules=["parts", "more", "lost"])
    given = mirrors({PROJECT: world.project, PARTS: empty, NESTED: world.nested})
    said = refused(world, source, FetchError, given).splitlines()
    assert said[1:4] == [
        f"  lost: commit {'4' * 40}: .gitmodules of {commit} has no address for it",
        f"  more: commit {'3' * 40} of {NESTED}: the mirror {world.nested.folder} lacks it",
        f"  parts: commit {world.commits['parts']} of {PARTS}: the mirror {empty.folder} lacks it",
    ]


def test_a_substitute_stands_for_a_pin_and_says_why(world: World) -> None:
    other = world.parts.commit({"other/part.c": b"int other;\n", "left.c": b""})
    tree = {"path": "parts", "git": PARTS, "rev": other, "folder": "other", "reason": WHY}
    checkout = world.checkout(world.source(submodules=["parts"], substitute=[tree]))
    assert {path: data for path, data in members(checkout).items() if path.startswith("parts")} == {
        "parts/part.c": b"int other;\n"
    }
    assert [(one.name, one.version) for one in checkout.trees] == [(f"parts ({PARTS})", other)]
    text = f"folder other of commit {other} of {PARTS} instead of the submodule's commit: {WHY}"
    assert checkout.notes == (Note(id="source", subject="parts", text=text),)


def test_another_reason_is_the_same_tree(world: World) -> None:
    other = world.parts.commit({"part.c": b"int other;\n"})
    tree = {"path": "parts", "git": PARTS, "rev": other, "reason": WHY}
    one = world.checkout(world.source(submodules=["parts"], substitute=[tree]))
    again = world.source(submodules=["parts"], substitute=[tree | {"reason": "it is much better"}])
    two = world.checkout(again, NO_MIRRORS)
    assert two.tree == one.tree
    assert two.notes[0].text.endswith("it is much better")


def test_sdists_may_be_put_in_whole_or_a_folder_of_them(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    data = sdist(file("ant-1.0/src/run", b"#!/bin/sh\n", mode=0o755))
    sha256 = hashlib.sha256(data).hexdigest()
    tree = {"sdist": "ant==1.0", "sha256": sha256, "reason": WHY}
    extra = [tree | {"path": "ants/all"}, tree | {"path": "ants/sources", "folder": "src"}]
    with serve(world.folder / "index") as index:
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        lacking = refused(world, world.source(extra=extra), FetchError)
        assert lacking.count("The package index has no project 'ant'.") == 2
        assert "\n  ants/all: The package index" in lacking
        index.publish("ant", "ant-1.0.tar.gz", data)
        checkout = world.checkout(world.source(extra=extra))
    assert {path: data for path, data in members(checkout).items() if path.startswith("ants")} == {
        "ants/all/pyproject.toml": b"[build-system]\n",
        "ants/all/src/ant.cpp": b"int ant;\n",
        "ants/all/src/run": b"#!/bin/sh\n",
        "ants/sources/ant.cpp": b"int ant;\n",
        "ants/sources/run": b"#!/bin/sh\n",
    }
    assert checkout.trees[2:] == (
        Pinned(name="ants/all (ant, sdist)", version="1.0", sha256=sha256),
        Pinned(name="ants/sources (ant, sdist)", version="1.0", sha256=sha256),
    )
    assert checkout.notes[0].text == f"the sdist ant==1.0 in addition: {WHY}"


def test_files_may_be_left_out_that_a_mirror_lacks(world: World) -> None:
    commit = world.project.commit({"big/one.gif": b"one", "big/two.gif": b"two", "c": b""})
    for data in (b"one", b"two"):
        world.project.loose(world.project.object(data)).unlink()
    source = world.source(rev=commit, submodules=[])
    said = refused(world, source, FetchError)
    where = f"  the checkout: commit {commit} of {PROJECT}: {world.project.folder} lacks files of it: "
    assert said.splitlines()[1] == f"{where}big/one.gif, big/two.gif"
    assert "project.source.without" in said
    left = {"path": "big/*.gif", "reason": "pictures for people"}
    checkout = world.checkout(world.source(rev=commit, submodules=[], without=[left]))
    assert members(checkout) == {"c": b""}
    assert checkout.notes == (Note(id="source", subject="big/*.gif", text="left out: pictures for people"),)


def test_pointers_of_lfs_are_told_also_from_the_store(world: World) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    source = world.source(rev=world.project.commit({"model.bin": pointer, "text": b"version"}), submodules=[])
    for _ in range(2):
        (note,) = world.checkout(source).notes
        assert (note.subject, note.text.split(":")[0]) == ("model.bin", "a pointer of Git LFS")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"submodules": ["part"]},
            "'part' in project.source.submodules is no submodule of the checkout.\nDid you mean",
        ),
        ({"submodules": ["parts/in/nested"]}, "'parts/in/nested' in project.source.submodules is no submodule"),
        (
            {"without": [{"path": "*.jpeg", "reason": WHY}]},
            "'*.jpeg' in project.source.without matches no file of the checkout.",
        ),
        (
            {"extra": [{"path": "parts", "git": PARTS, "rev": "PARTS", "reason": WHY}]},
            "The tree at 'parts' would replace 'parts/.gitmodules', which the checkout has.",
        ),
        (
            {"extra": [{"path": "kept.txt", "git": NESTED, "rev": "NESTED", "reason": WHY}]},
            "The tree at 'kept.txt' would replace 'kept.txt', which the checkout has.",
        ),
        (
            {"extra": [{"path": "x", "git": NESTED, "rev": "NESTED", "folder": "y", "reason": WHY}]},
            f"{NESTED} has no folder 'y' at ",
        ),
    ],
)
def test_a_recipe_that_asks_for_what_there_is_not_is_refused(world: World, more: dict[str, Any], said: str) -> None:
    for tree in more.get("extra", ()):
        tree["rev"] = world.commits[tree["rev"].lower()] if tree["rev"].isupper() else tree["rev"]
    assert refused(world, world.source(**more), RecipeError).startswith(said)


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ({"out": "../x"}, "has the link 'out' to '../x', which leaves it"),
        ({"out": "/etc/passwd"}, "has the link 'out' to '/etc/passwd', which is absolute"),
        ({"me": "me"}, "has the link 'me' to 'me', which leads in a circle"),
        ({"none": ""}, "has the link 'none' to '', which is empty"),
    ],
)
def test_links_that_a_container_cannot_follow_are_refused(world: World, links: dict[str, str], said: str) -> None:
    source = world.source(rev=world.project.commit({"a": b""}, links=links), submodules=[])
    assert f"The checkout {said}" in refused(world, source, FetchError)


def test_a_recipe_without_submodules_leaves_them_all_empty(world: World) -> None:
    found = members(world.checkout(world.source(submodules=[])))
    assert [path for path, data in found.items() if data is None] == ["parts", "unneeded"]
