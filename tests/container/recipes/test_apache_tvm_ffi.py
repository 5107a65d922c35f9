"""apache-tvm-ffi, built from its sdist by a copy of its recipe outside the repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import ROOT, run

pytestmark = pytest.mark.container

SHA256 = "909be9ef5af07726aa9afd38a3111abc4d86cfd5927ebedfa9166232ce7d287b"


def test_it_is_built_and_verified_and_its_known_faults_are_shown(tmp_path: Path) -> None:
    recipe = tmp_path / "mine"
    shutil.copytree(ROOT / "recipes" / "apache-tvm-ffi", recipe)
    done = run("build", "--stand-in", "--json", "--variant", "cpu", "--recipe", "mine", cwd=tmp_path, seconds=1200)
    (row,) = json.loads(done.require(0).out)["rows"]
    assert row["verdict"] == "pass"
    assert row["wheel"]["name"] == "apache_tvm_ffi-0.1.15.post2-cp311-cp311-manylinux_2_31_x86_64.whl"
    assert {"name": "apache-tvm-ffi (sdist)", "version": "0.1.15.post2", "sha256": SHA256} in row["inputs"]

    failures = [check for check in row["checks"] if check["verdict"] == "fail"]
    assert {(check["id"], check["subject"]) for check in failures} == {
        ("K8", "tvm_ffi, another Python"),
        ("K8", "tvm_ffi, no Python"),
        ("D9", "tvm_ffi"),
        ("E1", "tvm/ffi/rvalue_ref.h"),
    }
    assert all(check["waived"] for check in failures)
    foreign = next(check for check in failures if check["subject"] == "tvm_ffi, another Python")
    assert any("IMPORTED_LOCATION" in line and "not set" in line for line in foreign["evidence"])
    assert not [check for check in row["checks"] if check["verdict"] == "not-run"]
    # What the recipe does not promise is not asked; what it promises is.
    asked = {check["id"] for check in row["checks"]}
    assert not asked & {"D1", "D3", "D4", "D15", "F2", "F3"}
    assert {"B1", "B3", "B7", "B8", "B9", "D2", "D5", "D6", "E1", "E2", "G1", "J5", "J6"} <= asked
