"""Secrets in the words and names of a command: in nothing that it prints or writes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.command import ROOT, environment, run
from tests.support.wheels import make_wheel

VALUE = "s3cr3t-of-some-length"
ENV = {"MY_TOKEN": VALUE, "DOCKER_HOST": "unix:///nowhere/engine.sock"}


def written(folder: Path) -> dict[str, bytes]:
    """What lies below a folder, members of bundles too; links are what they name."""
    found = {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for path in folder.rglob("bundle.zip"):
        with zipfile.ZipFile(path) as archive:
            found |= {f"{path}!{name}": archive.read(name) for name in archive.namelist()}
    return found


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_name_in_a_wheel_and_a_path_that_hold_one(tmp_path: Path, form: tuple[str, ...]) -> None:
    folder = tmp_path / VALUE
    folder.mkdir()
    files = {f"demo/{VALUE}.so": b"\x7fELF nothing", "demo/__init__.py": b"x = 1\n" * 100}
    wheel = make_wheel(folder, files, name="demo", version="1.0")
    done = run("inspect", f"{VALUE}/{wheel.name}", *form, cwd=tmp_path, env=ENV).require(1)
    assert "[hidden]" in done.out
    assert VALUE not in done.out + done.err
    files_of_run = written(tmp_path / "reports")
    assert any(b"[hidden]" in data for data in files_of_run.values())
    # The bundle's copy of the wheel holds the name, and is left out of it.
    assert [name for name, data in files_of_run.items() if VALUE.encode() in data] == []
    shown = run("inspect", f"{VALUE}/{wheel.name}", *form, cwd=tmp_path, env=ENV | {"MY_TOKEN": "another-value"})
    assert VALUE in shown.out, "the same command shows it where it is no secret"


def test_an_error_that_quotes_one(tmp_path: Path) -> None:
    done = run("inspect", f"https://me:{VALUE}@host/absent.whl", cwd=tmp_path, env={"DOCKER_HOST": "unix:///x"})
    assert done.code == 2
    assert VALUE not in done.out + done.err
    assert "https://[hidden]@host/absent.whl" in done.err
    assert VALUE in run("inspect", f"{VALUE}.whl", cwd=tmp_path).err


def test_a_traceback_of_ours(tmp_path: Path) -> None:
    code = f"""
import sys
from orchestrator import __main__, cli
import orchestrator.cli.main
def fail(argv):
    raise RuntimeError("with {VALUE}")
orchestrator.cli.main.main = fail
__main__.run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(ENV), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "RuntimeError: with [hidden]" in done.stderr
    assert VALUE not in done.stderr
    assert str(ROOT) in done.stderr
