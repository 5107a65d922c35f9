"""What a bundle holds, and what is left out of it."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import pytest

from orchestrator.report.model import ImageUse, Verdict
from orchestrator.reproduce import write_bundle as module
from orchestrator.reproduce.contents import Contents, LeftOut
from orchestrator.reproduce.write_bundle import NotHadError, needs_bundle
from orchestrator.secrets import Secrets
from tests.support.bundles import DIGEST, FAILED, ROW, FailedRun, failed_run

SECRET = Secrets((("DEPLOY_TOKEN", "hunter2hunter2"),))


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path)


def contents(bundle: Path) -> Contents:
    with zipfile.ZipFile(bundle) as archive:
        return Contents.model_validate_json(archive.read("bundle.json"))


def members(bundle: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def left_out(bundle: Path) -> LeftOut:
    (one,) = contents(bundle).left_out
    return one


def test_reports_logs_recipe_source_and_wheel_are_in_it_by_their_hashes(run: FailedRun) -> None:
    found = members(run.bundle())
    source, wheel = run.given.source, run.given.wheel
    assert source is not None
    assert wheel is not None
    assert set(found) == {
        "bundle.json",
        "report.json",
        "report.html",
        "junit.xml",
        "summary.md",
        f"logs/{ROW}/bookworm-make.log",
        "recipe/recipe.toml",
        "recipe/build.lock",
        f"sources/{source.sha256}.tar",
        f"wheels/{wheel.sha256}/{run.wheel.name}",
    }
    assert found["report.json"] == (run.folder / "report.json").read_bytes()
    assert found["recipe/recipe.toml"] == (run.recipe / "recipe.toml").read_bytes()
    assert found[f"wheels/{wheel.sha256}/{run.wheel.name}"] == run.wheel.read_bytes()
    told = contents(run.folder / "bundle.zip")
    assert {one.name for one in told.files} == set(found) - {"bundle.json"}
    assert told.left_out == ()


def test_the_same_run_gives_the_same_bytes(run: FailedRun) -> None:
    first = run.bundle().read_bytes()
    os.utime(run.folder / "report.json", (1, 1))
    assert run.bundle().read_bytes() == first
    (run.folder / ROW / "bookworm-make.log").write_text("something else\n")
    assert run.bundle().read_bytes() != first
    assert [path.name for path in run.folder.iterdir() if path.name.startswith(".")] == []


def test_what_does_not_fit_is_named_with_its_hash_and_what_would_let_it_in(run: FailedRun) -> None:
    source = run.given.source
    assert source is not None
    one = left_out(run.bundle(most=source.size - 1))
    assert (one.what, one.sha256) == ("source", source.sha256)
    assert one.why.startswith("does not fit: 10.2 kB, and ")
    assert one.why.endswith("(--bundle-bytes)")


def test_a_recipes_small_files_are_always_in_it(run: FailedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    told = contents(run.bundle(most=0))
    assert {one.name for one in told.files if one.what == "recipe"} == {"recipe/recipe.toml", "recipe/build.lock"}
    assert [one.what for one in told.left_out] == ["source", "wheel"]
    monkeypatch.setattr(module, "SMALL_BYTES", 200)
    assert next(one.name for one in contents(run.bundle(most=0)).left_out) == "recipe/recipe.toml"


@pytest.mark.parametrize("file", ["recipe.toml", "build.lock"])
def test_a_file_of_the_recipe_that_holds_a_secret_stays_out(run: FailedRun, file: str) -> None:
    text = (run.recipe / file).read_text()
    secret = Secrets((("DEPLOY_TOKEN", text[5:25]),))
    one = left_out(run.bundle(secrets=secret, most=1 << 20))
    assert (one.name, one.why) == (f"recipe/{file}", "holds the value of DEPLOY_TOKEN")
    assert contents(run.bundle()).left_out == ()


def test_a_source_that_holds_a_secret_stays_out(run: FailedRun) -> None:
    one = left_out(run.bundle(secrets=Secrets((("DEPLOY_TOKEN", "PyMODINIT_FUNC"),))))
    assert (one.what, one.why) == ("source", "holds the value of DEPLOY_TOKEN")


def test_a_wheel_with_a_secret_in_a_packed_member_stays_out(tmp_path: Path) -> None:
    run = failed_run(tmp_path, files={"tiny/key.py": b"key = 'hunter2hunter2'\n" + bytes(4096)})
    assert b"hunter2" not in run.wheel.read_bytes()
    assert left_out(run.bundle(secrets=SECRET)).name.endswith(run.wheel.name)
    assert contents(run.bundle()).left_out == ()


def test_a_secret_across_two_pieces_of_a_member_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PIECE", 64)
    run = failed_run(tmp_path, files={"tiny/key.py": bytes(60) + b"hunter2hunter2"})
    assert left_out(run.bundle(secrets=SECRET)).what == "wheel"


def test_a_member_that_cannot_be_read_hides_no_secret_in_the_next(tmp_path: Path) -> None:
    run = failed_run(tmp_path, files={"tiny/a.py": b"x" * 100, "tiny/key.py": b"hunter2hunter2" + bytes(99)})
    data = run.wheel.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.getinfo("tiny/a.py").header_offset
        assert archive.getinfo("tiny/key.py").header_offset > start
    found = module._inflated(data[: start + 40] + b"\xff\xff" + data[start + 42 :])
    assert any(b"hunter2" in piece for piece in found)


def test_of_a_zip_bomb_the_beginning_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = failed_run(tmp_path, files={"tiny/bomb": b"hunter2hunter2" + bytes(1 << 20)})
    assert sum(map(len, module._inflated(run.wheel.read_bytes()))) > 1 << 20
    monkeypatch.setattr(module, "BOMB_SIZE", 1000)
    monkeypatch.setattr(module, "entry_problem", lambda info, _: "a zip bomb" if info.file_size > 1000 else None)
    assert sum(map(len, module._inflated(run.wheel.read_bytes()))) < 1 << 17
    assert left_out(run.bundle(secrets=SECRET)).what == "wheel"


def test_made_up_credentials_in_a_document_are_no_secret_but_in_a_recipe_they_are(tmp_path: Path) -> None:
    shown = b"git clone https://user:password@example.org/x"
    run = failed_run(tmp_path, files={"tiny/readme.txt": shown})
    assert contents(run.bundle(secrets=SECRET)).left_out == contents(run.bundle(secrets=Secrets())).left_out == ()
    lock = run.recipe / "build.lock"
    lock.write_bytes(lock.read_bytes() + b"# " + shown)
    (tmp_path / "again").mkdir()
    again = failed_run(tmp_path / "again", lock=lock.read_bytes())
    assert left_out(again.bundle(secrets=SECRET)).name == "recipe/build.lock"


def test_what_has_changed_since_is_not_passed_off_as_what_was_used(run: FailedRun) -> None:
    (run.recipe / "build.lock").write_text("# another\n")
    one = left_out(run.bundle())
    assert (one.name, one.why) == ("recipe/build.lock", "has changed since it was used")
    run.wheel.unlink()
    assert [one.why for one in contents(run.bundle()).left_out] == [
        "has changed since it was used",
        "cannot be read: No such file or directory",
    ]


def test_what_the_run_does_not_know_any_more_is_named(run: FailedRun) -> None:
    run.kept.sources.clear()
    assert left_out(run.bundle()).why == "is not known any more"


def test_a_long_log_stays_where_it_is(run: FailedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_BYTES", 10)
    one = left_out(run.bundle())
    assert (one.name, one.why) == (f"logs/{ROW}/bookworm-make.log", "is longer than 10 bytes")


def test_a_name_that_no_reader_takes_is_left_out(run: FailedRun) -> None:
    (run.folder / ROW / "new\nline.log").write_text("text")
    one = left_out(run.bundle())
    assert one.why == "has a name that a bundle may not hold"


def test_stand_ins_are_in_it_only_if_they_are_asked_for(run: FailedRun) -> None:
    asked: list[str] = []

    def give(image: ImageUse) -> IO[bytes]:
        asked.append(image.name)
        return io.BytesIO(b"a saved image")

    assert members(run.bundle(open_image=give))[f"images/{'ab' * 32}.tar"] == b"a saved image"
    assert asked == ["bookworm"]
    assert not any(name.startswith("images/") for name in members(run.bundle()))

    def refuse(_: ImageUse) -> IO[bytes]:
        raise NotHadError("the store has lost it")

    one = left_out(run.bundle(open_image=refuse))
    assert (one.what, one.name, one.why) == ("image", f"images/{DIGEST[7:]}.tar", "the store has lost it")


@pytest.mark.parametrize(
    ("change", "needs"),
    [
        ({}, True),
        ({"verdict": Verdict.PASS}, False),
        ({"waived": "accepted for a while"}, False),
        ({"verdict": Verdict.NOT_RUN}, False),
        ({"verdict": Verdict.NOT_RUN, "unanswered": True}, True),
    ],
)
def test_only_a_run_with_something_to_try_again_needs_a_bundle(
    tmp_path: Path, change: Mapping[str, object], needs: bool
) -> None:
    run = failed_run(tmp_path, check=FAILED.model_copy(update=dict(change)))
    assert needs_bundle(run.report) is needs
