"""Reading what a run left: whole, or from its folder; and refusing what cannot be relied on."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.source import pack_source
from orchestrator.errors import FetchError, OrchestratorError, RecipeError, UsageError
from orchestrator.recipe.load import load_recipe
from orchestrator.reproduce.bundle import Bundle, open_bundle
from orchestrator.reproduce.pins import recipe_pins, revision_of
from tests.support.bundles import DIGEST, FailedRun, failed_run

MUTATIONS = 250


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path)


def rewritten(bundle: Path, change: Callable[[dict[str, bytes]], None], *, told: bool = True) -> Path:
    """The bundle with other members; its contents tell the new hashes, unless not `told`."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    contents = json.loads(members["bundle.json"])
    for one in contents["files"] if told else ():
        if (data := members.get(one["name"])) is not None:
            one |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    members["bundle.json"] = json.dumps(contents).encode()
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return bundle


def edited(members: dict[str, bytes], name: str, change: Callable[[Any], object]) -> None:
    value = json.loads(members[name])
    change(value)
    members[name] = json.dumps(value).encode()


def use(bundle: Bundle, target: Path) -> None:
    """Take all that a bundle has."""
    for row in bundle.report.rows:
        given = row.given
        if given is None:
            continue
        bundle.recipe_folder(target / "recipe", row)
        if given.source:
            bundle.source(given.source.sha256, target / "source")
            bundle.source_folder(given.source, target / "tree")
        if given.wheel:
            bundle.wheel(given.wheel.sha256, target / "wheel")
        for use in row.images:
            bundle.image(use.digest, target / "images")


def refusal(bundle: Path, target: Path) -> str:
    with pytest.raises(FetchError) as refused:
        use(open_bundle(bundle), target)
    assert refused.value.advice
    return f"{refused.value}"


def test_what_was_put_in_comes_out_in_an_empty_folder(run: FailedRun, tmp_path: Path) -> None:
    path = run.bundle(open_image=lambda _: io.BytesIO(b"a saved image"))
    moved = tmp_path / "elsewhere" / "b.zip"
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    bundle = open_bundle(moved)
    assert bundle.report == run.report
    assert bundle.report.rows[0].pinned == run.row.pinned
    assert bundle.folder is None
    assert bundle.lacks(run.row) == ()
    folder = bundle.recipe_folder(tmp_path / "recipe", run.row)
    assert revision_of(recipe_pins(load_recipe(str(folder), tmp_path))) == run.given.revision
    source, wheel = run.given.source, run.given.wheel
    assert source is not None
    assert wheel is not None
    assert pack_source(folder / "source").sha256 == source.sha256
    assert (folder / "source" / "link").is_symlink()
    assert os.access(folder / "source" / "tool.sh", os.X_OK)
    tree = bundle.source_folder(source, tmp_path / "tree")
    assert tree is not None
    assert pack_source(tree).sha256 == source.sha256
    found = bundle.wheel(wheel.sha256, tmp_path / "wheel")
    assert found == tmp_path / "wheel" / run.wheel.name
    assert found.read_bytes() == run.wheel.read_bytes()
    image = bundle.image(DIGEST, tmp_path / "images")
    assert image is not None
    assert image.read_bytes() == b"a saved image"


def test_what_is_not_in_it_is_none(run: FailedRun, tmp_path: Path) -> None:
    run.kept.sources.clear()
    run.kept.recipes.clear()
    source = run.given.source
    assert source is not None
    bundle = open_bundle(run.bundle())
    assert {pin.path for pin in bundle.lacks(run.row)} == {"recipe.toml", "build.lock"}
    assert bundle.source(source.sha256, tmp_path / "x") is None
    assert bundle.source_folder(source, tmp_path / "x") is None
    assert bundle.wheel("0" * 64, tmp_path / "x") is None
    assert bundle.image(DIGEST, tmp_path / "x") is None
    assert not (tmp_path / "x").exists()


def test_a_folder_a_report_and_an_unpacked_bundle_do_as_well(run: FailedRun, tmp_path: Path) -> None:
    path = run.bundle()
    assert open_bundle(run.folder).where == path
    assert open_bundle(run.folder / "report.json").where == path  # the bundle beside it has more
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(unpacked)
    use(open_bundle(unpacked), tmp_path / "target")
    (unpacked / "recipe" / "build.lock").write_text("other")
    assert "'recipe/build.lock' is another file than its contents say" in refusal(unpacked, tmp_path / "again")
    (unpacked / "recipe" / "build.lock").unlink()
    (unpacked / "recipe" / "build.lock").symlink_to(run.recipe / "build.lock")
    assert "'recipe/build.lock' cannot be read" in refusal(unpacked, tmp_path / "thrice")


def test_a_report_alone_finds_the_recipe_where_it_was(run: FailedRun, tmp_path: Path) -> None:
    bundle = open_bundle(run.folder)
    assert (bundle.contents, bundle.folder) == (None, run.folder)
    assert bundle.recipe_folder(tmp_path / "unused", run.row) == run.recipe
    assert len(bundle.lacks(run.row)) == 2
    built = run.folder / run.row.row / "wheel" / run.wheel.name
    built.parent.mkdir()
    built.write_bytes(run.wheel.read_bytes())
    sha256 = run.given.wheel.sha256 if run.given.wheel else ""
    assert bundle.wheel(sha256, tmp_path / "unused") == built
    built.write_bytes(b"another")
    assert bundle.wheel(sha256, tmp_path / "unused") is None
    run.recipe.rename(tmp_path / "gone")
    with pytest.raises(RecipeError, match="There is no recipe at"):
        bundle.recipe_folder(tmp_path / "unused", run.row)


def test_a_bundle_of_another_run_beside_a_report_does_not_stand_for_it(run: FailedRun) -> None:
    rewritten(run.bundle(), lambda members: edited(members, "report.json", lambda it: it.update(run="run-2")))
    assert open_bundle(run.folder / "report.json").report.run == "run-1"
    assert open_bundle(run.folder).report.run == "run-2"


def test_what_is_no_bundle_is_a_usage_error(run: FailedRun, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("{}")
    older = run.folder / "older.json"
    older.write_text((run.folder / "report.json").read_text().replace('"schema"', '"form"', 1))
    for name, words in (
        ("absent", "There is no file"),
        ("pipe", "There is no file"),
        ("empty", "holds neither bundle.zip nor report.json"),
        ("text", "holds no report of a run that this version can read"),
    ):
        with pytest.raises(UsageError, match=words) as refused:
            open_bundle(tmp_path / name)
        assert refused.value.advice
    with pytest.raises(UsageError, match="holds no report"):
        open_bundle(older)


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
