"""The command line as a person meets it: a process, its exit code and its words."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from orchestrator.cli import explain_verb
from orchestrator.cli.main import main
from tests.support.tiny import tiny_recipe
from tests.support.wheels import make_wheel

ROOT = Path(__file__).resolve().parents[3]


def orchestrator(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CI": "1", **(env or {})}
    return subprocess.run(
        [sys.executable, "-m", "orchestrator", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def refused(code: int, *arguments: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Standard error of a command that must end with `code`, without a traceback or leftovers."""
    before = sorted(cwd.rglob("*"))
    done = orchestrator(*arguments, cwd=cwd, env=env)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(cwd.rglob("*")) == before
    return done.stderr


def test_unknown_recipe_variant_python_and_processor_name_the_nearest(tmp_path: Path) -> None:
    assert "Did you mean 'minirt'?" in refused(2, "build", "--recipe", "minrt", cwd=tmp_path)
    assert "Did you mean 'cpu'?" in refused(2, "build", "--variant", "cp", cwd=tmp_path)
    assert "Did you mean '3.14'?" in refused(2, "build", "--python", "3.15", cwd=tmp_path)
    assert "Did you mean 'x86_64'?" in refused(2, "build", "--arch", "x86-64", cwd=tmp_path)
    assert "Did you mean 'minirt/cpu/x86_64/cp311'?" in refused(
        2, "build", "--row", "minirt/cpu/x86/cp311", cwd=tmp_path
    )


def test_a_malformed_recipe_is_refused_by_file_and_key(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('[project]\nname = "x"\nimprt = "x"\n')
    said = refused(3, "build", "--recipe", str(recipe), cwd=tmp_path)
    assert "recipe.toml" in said
    assert "project.imprt" in said


def test_a_recipe_without_a_build_points_to_verify(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    tables = ('[project]\nname = "x"\nimport = "x"\nsource = { wheel = "x==1.0" }', "[variants.cpu]", "[matrix]")
    recipe.write_text("\n".join([*tables, 'python = ["3.11"]', ""]))
    assert f"nox -s verify -- --recipe {recipe} x==1.0" in refused(2, "build", "--recipe", str(recipe), cwd=tmp_path)


def test_a_source_that_is_not_there_is_refused_unless_another_is_given(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    checkout = (recipe / "source").rename(tmp_path / "checkout")
    said = refused(3, "build", "--recipe", "tiny", cwd=tmp_path)
    assert f"Recipe 'tiny' has its source in {recipe / 'source'}, which is no folder." in said
    assert "give a checkout of the project: --source DIR" in said
    nowhere = {"DOCKER_HOST": "unix:///nowhere/engine.sock"}
    assert "nowhere" in refused(6, "build", "--recipe", "tiny", "--source", str(checkout), cwd=tmp_path, env=nowhere)


def test_what_is_no_wheel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "demo-1.0-py3-none-any.whl"
    path.write_bytes(b"not a zip")
    said = refused(4, "inspect", path.name, cwd=tmp_path)
    assert path.name in said
    assert "zip" in said
    assert "There is no wheel file 'absent.whl'" in refused(2, "inspect", "absent.whl", cwd=tmp_path)


def test_a_truncated_wheel_is_refused(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"demo/__init__.py": b"x = 1\n" * 1000}, name="demo", version="1.0")
    path.write_bytes(path.read_bytes()[:-40])
    assert path.name in refused(4, "inspect", path.name, cwd=tmp_path)


def test_a_wheel_for_another_platform_is_refused_by_verify(tmp_path: Path) -> None:
    made = make_wheel(tmp_path, {"minirt/__init__.py": b""}, name="minirt", version="0.1.0+cpu")
    path = made.rename(tmp_path / "minirt-0.1.0+cpu-cp311-cp311-win_amd64.whl")
    said = refused(2, "verify", path.name, cwd=tmp_path)
    assert "another platform: win_amd64" in said


def test_no_engine_is_one_paragraph_and_its_own_code(tmp_path: Path) -> None:
    nowhere = {"DOCKER_HOST": f"unix://{tmp_path}/absent.sock", "WHEEL_ORCHESTRATOR_STORE": str(tmp_path.parent / "s")}
    done = orchestrator("build", "--fresh", "--stand-in", cwd=tmp_path, env=nowhere)
    assert done.returncode == 6, done.stderr
    assert "absent.sock" in done.stderr
    assert "Traceback" not in done.stderr


def test_inspect_writes_the_report_and_prints_nothing_but_json(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"demo/__init__.py": b"x = 1\n"}, name="demo", version="1.0")
    done = orchestrator("inspect", "--json", path.name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "pass"
    assert report["rows"][0]["wheel"]["name"] == path.name
    assert json.loads((tmp_path / "reports" / "latest" / "report.json").read_text()) == report


@pytest.mark.parametrize("name", ["../outside.py", "/etc/outside.py"])
def test_traversal_names_fail_and_nothing_leaves_the_folder(tmp_path: Path, name: str) -> None:
    path = make_wheel(tmp_path, {"demo/__init__.py": b"x = 1\n"}, name="demo", version="1.0")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "x")
    done = orchestrator("inspect", path.name, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert name in done.stdout
    assert "Traceback" not in done.stderr
    assert not (tmp_path.parent / "outside.py").exists()


@pytest.mark.parametrize("verb", ["inspect", "diff", "reproduce", "verify"])
def test_a_path_that_no_system_has_is_refused(tmp_path: Path, verb: str) -> None:
    path = make_wheel(tmp_path, {"demo/__init__.py": b""}, name="demo", version="1.0").name
    words = [path] if verb == "diff" else []
    said = refused(2, verb, *words, "x" * 5000, cwd=tmp_path)
    assert "A path is longer than this system has any: 'xxx" in said
    assert len(said) < 500


def test_what_stands_where_a_folder_should_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "blobs").touch()
    monkeypatch.setattr(explain_verb, "run", lambda _: (tmp_path / "blobs" / "bd").mkdir())
    # Standard output is given up after such an error: only in a process of its own may that happen.
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    assert main(["explain"]) == 5
    said = capfd.readouterr().err
    assert f"Not a directory: '{tmp_path}/blobs/bd'" in said
    assert "Move away what stands there" in said


def test_standard_output_may_be_closed_or_lack_letters(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"demo/é.so": b"\0"}, name="demo", version="1.0")
    narrow = orchestrator("inspect", path.name, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert narrow.returncode == 1, narrow.stderr
    assert "demo/\\xe9.so" in narrow.stdout
    line = f"{sys.executable} -m orchestrator inspect {path.name} >&-"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CI": "1"}
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "report: reports" in done.stderr
    assert "Traceback" not in done.stderr
