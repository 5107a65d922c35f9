"""The scripts that containers run, as processes of their own."""

import subprocess
import sys
import zipfile
from pathlib import Path

from orchestrator.verify.dynamic import list_site, open_library
from tests.support.elves import build_library
from tests.support.wheels import make_wheel


def run(script: object, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(script.__file__), *arguments]  # type: ignore[attr-defined]
    return subprocess.run(command, check=False, capture_output=True, text=True, env={})


def test_an_opened_library_is_mapped_with_what_it_needs(tmp_path: Path) -> None:
    below = build_library(tmp_path, "libbelow.so", "int below() { return 1; }")
    flags = [str(below), "-Wl,-rpath,$ORIGIN"]
    above = build_library(tmp_path, "libabove.so", "int below(); int above() { return below(); }", flags)
    done = run(open_library, str(above))
    assert done.returncode == 0, done.stderr
    assert {str(above), str(below)} <= set(done.stdout.splitlines())
    assert len(done.stdout.splitlines()) == len(set(done.stdout.splitlines()))


def test_a_library_that_does_not_open_says_why(tmp_path: Path) -> None:
    gone = build_library(tmp_path, "libgone.so", "int gone() { return 1; }")
    user = build_library(tmp_path, "libuser.so", "int gone(); int user() { return gone(); }", [str(gone)])
    gone.unlink()
    done = run(open_library, str(user))
    assert (done.returncode, done.stdout) == (1, "")
    assert "libgone.so: cannot open shared object file" in done.stderr


def test_every_symbol_is_wanted_at_once(tmp_path: Path) -> None:
    lazy = build_library(tmp_path, "liblazy.so", "int nowhere(); int lazy() { return nowhere(); }", ["-Wl,-z,lazy"])
    done = run(open_library, str(lazy))
    assert done.returncode == 1
    assert "undefined symbol: " in done.stderr


def test_libraries_are_listed_with_their_distributions(tmp_path: Path) -> None:
    site = tmp_path / "site"
    files = {"nvidia/lib/libx.so.13": b"x", "nvidia/lib/liby.so": b"y", "nvidia/readme.txt": b""}
    wheel = make_wheel(tmp_path, files, name="some_runtime", version="13.0")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "nvidia/lib/liby.so").unlink()
    done = run(list_site, str(site))
    assert (done.returncode, done.stdout) == (0, "some_runtime\t13.0\tnvidia/lib/libx.so.13\n")
    assert run(list_site, str(tmp_path / "nowhere")).stdout == ""
