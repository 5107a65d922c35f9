"""The wheel of minirt under another version."""

import json
from pathlib import Path

import pytest

from tests.support.command import run

pytestmark = pytest.mark.container


def test_a_nightly_version_is_carried_everywhere(tmp_path: Path) -> None:
    done = run("build", "--stand-in", "--json", "--version", "9.9.9.dev1", cwd=tmp_path, seconds=600).require(0)
    row = json.loads(done.out)["rows"][0]
    assert row["verdict"] == "pass"
    assert row["wheel"]["name"] == "minirt-9.9.9.dev1+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
    assert [path.name for path in (tmp_path / "dist").iterdir()] == [row["wheel"]["name"]]
    # Libraries, metadata and the CMake package agree on it.
    assert {check["verdict"] for check in row["checks"] if check["id"] in ("J6", "D1")} == {"pass"}
    # The report tells the composition too: each component's library, and what it owns.
    libraries = {one["path"]: one for one in row["libraries"]}
    runtime = libraries["minirt/lib/libminirt.so"]
    assert (runtime["soname"], runtime["machine"], runtime["error"]) == ("libminirt.so", "x86_64", "")
    assert "minirt::register_backend" in runtime["owns"]
    assert "libminirt.so" in libraries["minirt/lib/libminirt_profiler.so"]["needed"]
