"""`diff` as a command: two wheels, two reports, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from orchestrator.cli import diff_verb
from orchestrator.cli.parser import parse
from orchestrator.diff.model import Diff
from orchestrator.errors import OrchestratorError
from tests.support.command import run, run_of
from tests.support.wheel_draft import Draft
from tests.support.wheel_sides import split
from tests.support.wheels import make_wheel


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[Path, Path]:
    old, new = split(tmp_path)
    assert old.wheel
    assert new.wheel
    return old.wheel.path, new.wheel.path


def test_two_wheels(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    done = run("diff", *map(str, wheels), cwd=tmp_path).require(0)
    assert "libpool.so (new) now defines 5 symbols that _old.*.so defined: pool 3, pool_ 2\n" in done.out
    assert not (tmp_path / "reports").exists()
    printed = Diff.model_validate(json.loads(run("diff", *map(str, wheels), "--json", cwd=tmp_path).require(0).out))
    assert printed.wheel
    assert {len(one.symbols) for one in printed.wheel.symbols if one.kind == "moved"} == {5, 2}
    same = run("diff", str(wheels[0]), str(wheels[0]), cwd=tmp_path).require(0)
    assert same.out.endswith("It is the same file.\n")


def test_two_reports_with_wheels_that_only_their_bundles_have(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    env = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
    reports = []
    for number, wheel in enumerate(wheels):
        folder = tmp_path / str(number)
        draft = Draft.of(wheel)
        draft.unrecorded.append(("demo/forgotten.py", b""))  # so it fails, and has a bundle
        draft.write(folder)
        run("inspect", wheel.name, cwd=folder, env=env).require(1)
        (folder / wheel.name).unlink()
        reports.append(folder / "reports" / run_of(folder))
    done = run("diff", *map(str, reports), cwd=tmp_path, env=env).require(0)
    assert "demo/-/x86_64/cp311  " in done.out
    assert "  + new     demo/lib/libpool.so" in done.out
    assert "libpool.so (new) now defines 5 symbols that _old.*.so defined" in done.out
    bare = []
    for number, folder in enumerate(reports):
        target = tmp_path / f"bare-{number}"
        target.mkdir()
        bare.append(str(shutil.copy(folder / "report.json", target / "report.json")))
    alone = run("diff", *bare, cwd=tmp_path, env=env).require(0)
    assert "  + new     demo/lib/libpool.so" in alone.out
    assert "not compared: symbols, requirements and files beside the libraries: the store does not have" in alone.out
    assert "SYMBOLS" not in alone.out


def test_a_report_that_names_a_path_for_a_hash_reads_no_other_file(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    store = tmp_path / "store"
    run("inspect", str(wheels[0]), cwd=tmp_path)
    text = (tmp_path / "reports" / run_of(tmp_path) / "report.json").read_text()
    report = json.loads(text)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    report["rows"][0]["wheel"]["sha256"] = "../../../victim"
    (tmp_path / "evil.json").write_text(json.dumps(report))
    (tmp_path / "good.json").write_text(text)
    env = {"WHEEL_ORCHESTRATOR_STORE": str(store)}
    run("diff", "evil.json", "good.json", cwd=tmp_path, env=env).require(0)
    assert victim.read_text() == "mine"


def test_no_name_that_holds_a_secret_is_shown_wherever_its_line_is_wrapped(tmp_path: Path) -> None:
    value = "s3cr3t-of-some-length"
    old = make_wheel(tmp_path, {"demo/__init__.py": b""}, name="demo")
    (tmp_path / "new").mkdir()
    names = {f"demo/{'x' * width}/{value}.h": b"" for width in range(130, 200, 5)}
    new = make_wheel(tmp_path / "new", {"demo/__init__.py": b"", **names}, name="demo")
    words = ("diff", str(old), str(new))
    assert value in "".join(run(*words, cwd=tmp_path).require(0).out.split())
    shown = run(*words, cwd=tmp_path, env={"MY_TOKEN": value}).require(0)
    assert value not in "".join(shown.out.split())
    assert "[hidden].h" in "".join(shown.out.split())


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("old.whl", "nothing.whl"), 2, "There is no file 'nothing.whl'"),
        (("old.whl", "broken.json"), 2, "'old.whl' is a wheel and 'broken.json' a report"),
        (("broken.json", "broken.json"), 2, "holds no report of a run"),
        (("folder", "folder"), 2, "The folder 'folder' holds neither bundle.zip nor report.json"),
        (("old.whl", "damaged.whl"), 4, "not a wheel: it is no zip archive"),
        (("broken.json", "broken.json", "--recipe", "minirt"), 2, "Reports say themselves"),
        (("old.whl", "old.whl", "--recipe", "nobody"), 2, "There is no recipe 'nobody'"),
        (("old.whl", "old.whl", "--python", "x"), 2, "'x'"),
        (("old.whl",), 2, "required: NEW"),
    ],
)
def test_refused(
    tmp_path: Path,
    wheels: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    shutil.copy(wheels[0], tmp_path / "old.whl")
    (tmp_path / "broken.json").write_text("{}")
    (tmp_path / "damaged.whl").write_bytes(b"no zip")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OrchestratorError, match=re.escape(said)) as refused:
        diff_verb.run(parse(["diff", *words]))
    assert refused.value.exit_code == code
    assert refused.value.advice
