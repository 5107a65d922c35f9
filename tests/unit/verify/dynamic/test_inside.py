"""The scripts that containers run, as processes of their own."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic import import_module, list_site, open_library, retag
from tests.support.elves import build_library, build_program
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


def test_an_imported_module_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/__init__.py").write_text("print('imported\\tlies\\t/x')\n")
    (tmp_path / "demo/part.py").write_text("import sys\nassert 'first' in sys.modules\n")
    (tmp_path / "first.py").touch()
    done = run(import_module, str(tmp_path), "demo.part", "first")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == f"imported\tdemo.part\t{tmp_path}/demo/part.py"
    (tmp_path / "demo/__init__.py").unlink()
    assert run(import_module, str(tmp_path), "demo").stdout == f"\nimported\tdemo\t{tmp_path}/demo\n"


def test_an_import_that_fails_prints_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "demo.py").write_text("import nowhere_at_all\n")
    done = run(import_module, str(tmp_path), "demo")
    assert (done.returncode, done.stdout) == (1, "")
    assert "ModuleNotFoundError: No module named 'nowhere_at_all'" in done.stderr
    assert "No module named 'absent'" in run(import_module, str(tmp_path), "absent").stderr
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    done = run(import_module, str(tmp_path), "ends")
    assert (done.returncode, done.stdout) == (0, "")


def test_an_import_does_not_see_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here.py").touch()
    monkeypatch.chdir(tmp_path)
    done = run(import_module, str(tmp_path / "site"), "here")
    assert (done.returncode, "No module named 'here'" in done.stderr) == (1, True)


def test_a_copy_differs_in_the_tag_of_its_search_path_alone(tmp_path: Path) -> None:
    flags = ["-Wl,-rpath,$ORIGIN/lib", "-Wl,--enable-new-dtags"]
    program, copy = build_program(tmp_path, "app", "int main() { return 0; }", flags), tmp_path / "copy"
    done = run(retag, str(program), str(copy))
    assert done.returncode == 0, done.stderr
    before, after = program.read_bytes(), copy.read_bytes()
    assert (read_elf(before).runpath, read_elf(before).rpath) == (("$ORIGIN/lib",), ())
    assert (read_elf(after).runpath, read_elf(after).rpath) == ((), ("$ORIGIN/lib",))
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    assert subprocess.run([copy], check=False).returncode == 0
    again = run(retag, str(copy), str(tmp_path / "again"))
    assert (again.returncode, again.stderr) == (1, f"{copy}: has no DT_RUNPATH\n")


def test_ld_library_path_comes_before_a_runpath_and_after_an_rpath(tmp_path: Path) -> None:
    for folder, value in (("own", 1), ("other", 2)):
        build_library(tmp_path / folder, "libx.so", f"int x() {{ return {value}; }}", ["-Wl,-soname,libx.so"])
    flags = [str(tmp_path / "own/libx.so"), f"-Wl,-rpath,{tmp_path}/own", "-Wl,--enable-new-dtags"]
    program, copy = build_program(tmp_path, "app", "int x(); int main() { return x(); }", flags), tmp_path / "copy"
    run(retag, str(program), str(copy))
    shadowed = {"LD_LIBRARY_PATH": str(tmp_path / "other")}
    assert subprocess.run([program], check=False, env=shadowed).returncode == 2
    assert subprocess.run([copy], check=False, env=shadowed).returncode == 1
