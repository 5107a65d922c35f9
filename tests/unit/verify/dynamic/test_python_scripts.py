"""The scripts that run inside containers, started as they are there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import apart, link_site, locate_package


def started(script: Any, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", script.__file__, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class TestLinks:
    def test_folders_that_two_share_become_folders_of_links(self, tmp_path: Path) -> None:
        written(tmp_path, {"all/a/space/one.py": "", "all/a/a.py": "", "all/b/space/two.py": "", "all/c/c.py": ""})
        site = written(tmp_path / "site", {"own/__init__.py": "", "a.py": "own = 1\n"})
        for _ in range(2):  # a second time changes nothing
            done = started(link_site, str(site), str(tmp_path / "all"), "a", "b", cwd=tmp_path)
            assert (done.returncode, done.stderr) == (0, "")
            assert {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()} == {
                *("own/__init__.py", "a.py", "space/one.py", "space/two.py"),
            }
        assert (site / "a.py").read_text() == "own = 1\n"  # the wheel's own stays

    def test_a_folder_of_one_is_one_link(self, tmp_path: Path) -> None:
        written(tmp_path, {"all/a/package/x.py": ""})
        site = written(tmp_path / "site", {"own.py": ""})
        started(link_site, str(site), str(tmp_path / "all"), "a", cwd=tmp_path)
        assert (site / "package").is_symlink()


SCRIPT = """
import sys
import package
print("imported in", package.where, "argument", sys.argv[1])
if sys.argv[1] == "hang":
    while True: pass
if sys.argv[1] == "raise":
    raise ValueError("wrong")
package.state.append(1)
print("states", len(package.state))
"""


class TestApart:
    def ran(self, folder: Path, package: str, *, ahead: bool = True, **runs: list[str]) -> dict[str, Any]:
        written(folder, {"site/package.py": package, "script.py": SCRIPT})
        asked = {"site": [str(folder / "site")], "script": "script.py", "ahead": ahead, "seconds": 1, "runs": runs}
        written(folder, {"runs.json": json.dumps(asked)})
        started(apart, "runs.json", "results.json", cwd=folder)
        found: dict[str, Any] = json.loads((folder / "results.json").read_text())
        return found

    def test_runs_share_imports_and_nothing_else(self, tmp_path: Path) -> None:
        package = "import os\nwhere = os.getpid()\nstate = []\n"
        found = self.ran(tmp_path, package, first=["a"], second=["b"])
        assert [one["exit"] for one in found.values()] == [0, 0]
        first, second = (one["stdout"].splitlines() for one in found.values())
        assert first[0].split()[2] == second[0].split()[2]  # one process imported it
        assert (first[0].split()[-1], second[0].split()[-1]) == ("a", "b")
        assert (first[1], second[1]) == ("states 1", "states 1")
        apart_ = self.ran(tmp_path, package, ahead=False, first=["a"], second=["b"])
        assert len({one["stdout"].split()[2] for one in apart_.values()}) == 2

    def test_a_run_that_raises_or_never_ends_is_its_own_fault(self, tmp_path: Path) -> None:
        found = self.ran(tmp_path, "where = 0\nstate = []\n", bad=["raise"], long=["hang"], good=["a"])
        assert [one["exit"] for one in found.values()] == [1, -14, 0]
        assert "ValueError: wrong" in found["bad"]["stderr"]

    def test_what_does_not_import_is_shown_by_each_run(self, tmp_path: Path) -> None:
        found = self.ran(tmp_path, "import gone\n", first=["a"])
        assert found["first"]["exit"] == 1
        assert "No module named 'gone'" in found["first"]["stderr"]

    def test_a_run_ends_as_the_package_wants(self, tmp_path: Path) -> None:
        found = self.ran(
            tmp_path, "import atexit, os\natexit.register(os._exit, 7)\nwhere = 0\nstate = []\n", one=["a"]
        )
        assert found["one"]["exit"] == 7


PACKAGE = {"demo/__init__.py": "", "demo-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: Demo\nVersion: 1.0\n"}


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        ({}, ["holds\t{site}", "spec\t{site}/demo/__init__.py", "distribution\t{site}"]),
        ({"x.pth": "copy\n", "copy/demo/__init__.py": ""}, ["holds\t{site}/copy"]),
        ({"demo.egg-info/PKG-INFO": "Name: demo\nVersion: 0.9\n"}, ["distribution\t{site}", "distribution\t{site}"]),
    ],
)
def test_a_package_is_found_without_an_import(tmp_path: Path, files: dict[str, str], lines: list[str]) -> None:
    site = written(tmp_path / "site", {**PACKAGE, "demo/__init__.py": "raise SystemExit", **files})
    done = started(locate_package, str(site), "demo", "demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    said = [line.rstrip("/") for line in done.stdout.splitlines()]
    wanted = [line.format(site=site) for line in lines]
    assert [said.count(line) for line in wanted] == [wanted.count(line) for line in wanted]


def test_what_another_distribution_put_into_the_package_is_told(tmp_path: Path) -> None:
    record = "demo/more.py,sha256=x,1\ndemo/gone.py,,\ndemonstration/own.py,,\nother-1.0.dist-info/RECORD,,\n"
    other = {"METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", "RECORD": record}
    files = {f"other-1.0.dist-info/{name}": text for name, text in other.items()}
    site = written(tmp_path / "site", {**PACKAGE, "demo/more.py": "", "demonstration/own.py": "", **files})
    done = started(locate_package, str(site), "demo", "demo", cwd=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("foreign")] == [
        "foreign\tdemo/more.py of other"
    ]
