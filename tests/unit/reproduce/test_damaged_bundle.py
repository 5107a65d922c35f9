"""Refusing a bundle that cannot be relied on: hostile names and sources, other contents, damage at random."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.errors import OrchestratorError
from orchestrator.reproduce.bundle import open_bundle
from tests.support.bundles import FailedRun, edited, failed_run, refusal, rewritten, use

MUTATIONS = 250


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path)


Members = dict[str, bytes]


def _tar(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for info, data in entries:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([(_entry("../out"), b"x")], "would lie outside of it"),
        ([(_entry("/out"), b"x")], "would lie outside of it"),
        ([(_entry("a/../../out"), b"x")], "would lie outside of it"),
        ([(_entry("link", tarfile.SYMTYPE, "../../out"), b"")], "which leaves it"),
        ([(_entry("link", tarfile.SYMTYPE, "/etc/passwd"), b"")], "which is absolute"),
        ([(_entry("hard", tarfile.LNKTYPE, "tiny.c"), b"")], "which is neither file, folder nor link"),
        ([(_entry("device", tarfile.CHRTYPE), b"")], "which is neither file, folder nor link"),
        ([(_entry("pipe", tarfile.FIFOTYPE), b"")], "which is neither file, folder nor link"),
        ([(_entry("here", tarfile.SYMTYPE, "sub"), b""), (_entry("here/x"), b"x")], "cannot be written"),
        ([(_entry("twice"), b"x"), (_entry("twice"), b"y")], "cannot be written"),
    ],
)
def test_a_source_that_would_write_elsewhere_is_refused(
    run: FailedRun, tmp_path: Path, entries: list[tuple[tarfile.TarInfo, bytes]], words: str
) -> None:
    data = _tar(*entries)
    sha256 = hashlib.sha256(data).hexdigest()

    def change(members: Members) -> None:
        (name,) = [name for name in members if name.startswith("sources/")]
        del members[name]
        members[f"sources/{sha256}.tar"] = data
        edited(members, "report.json", lambda it: it["rows"][0]["given"]["source"].update(sha256=sha256))
        edited(
            members,
            "bundle.json",
            lambda it: [one.update(name=f"sources/{sha256}.tar") for one in it["files"] if one["what"] == "source"],
        )

    before = set(tmp_path.rglob("*"))
    with pytest.raises(OrchestratorError) as refused:
        use(open_bundle(rewritten(run.bundle(), change)), tmp_path / "target")
    assert refused.value.exit_code == 5
    assert words in str(refused.value)
    _nothing_outside(before, tmp_path)


def _nothing_outside(before: set[Path], folder: Path) -> None:
    new = {path for path in set(folder.rglob("*")) - before if not path.is_relative_to(folder / "target")}
    assert {path.name for path in new} <= {"bundle.zip", "target"}


def test_names_that_lead_elsewhere_are_refused(run: FailedRun, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*"))

    def member(members: Members) -> None:
        edited(members, "bundle.json", lambda it: it["files"][0].update(name="../report.json"))

    assert "has a bundle.json that is none" in refusal(rewritten(run.bundle(), member), tmp_path / "target")

    def recipe(members: Members) -> None:
        edited(members, "report.json", lambda it: it["rows"][0]["given"]["files"][0].update(path="../../out"))

    assert "must be a relative path" in refusal(rewritten(run.bundle(), recipe), tmp_path / "target")

    def wheel(members: Members) -> None:
        edited(members, "report.json", lambda it: it["rows"][0]["given"]["wheel"].update(path="/tmp/out.whl"))

    assert "must be a relative path" in refusal(rewritten(run.bundle(), wheel), tmp_path / "target")

    def place(members: Members) -> None:
        edited(members, "report.json", lambda it: it["rows"][0]["given"]["source"].update(name="../../out"))

    assert "must be a relative path" in refusal(rewritten(run.bundle(), place), tmp_path / "target2")
    _nothing_outside({*before, *(tmp_path / "target2").rglob("*"), tmp_path / "target2"}, tmp_path)


@pytest.mark.parametrize("what", ["report", "recipe", "source", "wheel"])
def test_a_member_with_another_content_is_refused(run: FailedRun, tmp_path: Path, what: str) -> None:
    def change(members: Members) -> None:
        name = next(one["name"] for one in json.loads(members["bundle.json"])["files"] if one["what"] == what)
        members[name] += b"\n"

    words = refusal(rewritten(run.bundle(), change, told=False), tmp_path / "target")
    assert "has another report.json" in words if what == "report" else "another file than its contents say" in words


def test_a_member_that_is_missing_or_named_twice_is_refused(run: FailedRun, tmp_path: Path) -> None:
    gone = rewritten(run.bundle(), lambda members: members.__delitem__("recipe/build.lock"))
    assert "'recipe/build.lock' cannot be read" in refusal(gone, tmp_path / "a")
    none = rewritten(run.bundle(), lambda members: members.__delitem__("report.json"))
    assert "'report.json' cannot be read" in refusal(none, tmp_path / "b")

    def twice(members: Members) -> None:
        edited(members, "bundle.json", lambda it: it["files"].append(it["files"][0]))

    assert "names 'report.json' twice" in refusal(rewritten(run.bundle(), twice), tmp_path / "c")


def test_a_member_that_unpacks_to_more_than_it_says_is_not_read_on(run: FailedRun, tmp_path: Path) -> None:
    def change(members: Members) -> None:
        members["recipe/build.lock"] = bytes(64 << 20)

    path = rewritten(run.bundle(), change, told=False)
    assert path.stat().st_size < 1 << 20
    assert "another file than its contents say" in refusal(path, tmp_path / "target")
    assert not (tmp_path / "target" / "recipe" / "build.lock").exists()


def test_damage_at_random_is_told_and_writes_nothing_elsewhere(run: FailedRun, tmp_path: Path) -> None:
    whole = run.bundle(open_image=lambda _: io.BytesIO(b"a saved image")).read_bytes()
    chance = random.Random(6)
    place = tmp_path / "damaged"
    refused = 0
    for number in range(MUTATIONS):
        place.mkdir()
        (place / "b.zip").write_bytes(_damaged(whole, chance))
        told = _told(place)
        refused += told is not None
        assert told is None or (told.exit_code in (2, 5) and told.advice), (number, told)
        assert {path.name for path in place.iterdir()} <= {"b.zip", "target"}, number
        _remove(place)
    assert refused > MUTATIONS / 2


LONG = "x" * 5000
ODD: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, "", ".", "../x", "/x", "a\0b", LONG, [], {}, [[[]]], "0" * 64)


def test_nonsense_in_its_documents_is_told_and_writes_nothing_elsewhere(run: FailedRun, tmp_path: Path) -> None:
    """The hashes are right, so that only what is said is wrong."""
    run.bundle(open_image=lambda _: io.BytesIO(b"a saved image"))
    whole = (run.folder / "bundle.zip").read_bytes()
    chance = random.Random(7)
    place = tmp_path / "damaged"
    refused = 0
    for number in range(MUTATIONS):
        place.mkdir()
        (place / "b.zip").write_bytes(whole)
        rewritten(place / "b.zip", lambda members: _one_odd_value(members, chance), told=False)
        told = _told(place)
        refused += told is not None
        # A recipe that is named otherwise may have a source that leads nowhere: also said in our words.
        assert told is None or (told.exit_code in (2, 5) and told.advice), (number, told)
        assert {path.name for path in place.iterdir()} <= {"b.zip", "target"}, number
        _remove(place)
    assert refused > MUTATIONS / 3


def _one_odd_value(members: dict[str, bytes], chance: random.Random) -> None:
    name = chance.choice(("report.json", "bundle.json"))
    value = json.loads(members[name])
    places: list[tuple[Any, Any]] = []
    left = [value["rows"][0]["given"], value["rows"][0]] if name == "report.json" else [value]
    while left:
        here = left.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here))
        places += [(here, key) for key in keys]
        left += [here[key] for key in keys if isinstance(here[key], dict | list)]
    here, key = chance.choice(places)
    if chance.randrange(4):
        here[key] = chance.choice(ODD)
    else:
        del here[key]
    members[name] = data = json.dumps(value).encode()
    if name == "report.json":
        right = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        edited(members, "bundle.json", lambda it: [one.update(right) for one in it["files"] if one["name"] == name])


def _told(place: Path) -> OrchestratorError | None:
    try:
        use(open_bundle(place / "b.zip"), place / "target")
    except OrchestratorError as error:
        return error
    return None


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, cut off, left out or doubled."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 4, 64))):
        place = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                changed[place] ^= 1 << chance.randrange(8)
            case 1:
                del changed[place:]
            case 2:
                del changed[place : place + chance.randrange(1, 64)]
            case 3:
                changed[place:place] = changed[place : place + chance.randrange(1, 64)]
            case _:
                end = max(0, len(changed) - chance.randrange(1, 1500))
                changed[end : end + 4] = chance.randbytes(4)
        if not changed:
            break
    return bytes(changed)


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.rmdir()


def test_the_damage_is_damage(run: FailedRun, tmp_path: Path) -> None:
    """What is not damaged is taken: the test above would pass over a reader that refuses everything."""
    use(open_bundle(run.bundle()), tmp_path / "target")
    found: Mapping[str, Path] = {path.name: path for path in (tmp_path / "target").rglob("*")}
    assert {"recipe.toml", "tiny.c", run.wheel.name} <= set(found)
