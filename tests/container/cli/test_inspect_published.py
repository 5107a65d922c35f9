"""Published wheels, inspected: what is known to be wrong with them is found, and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run

pytestmark = pytest.mark.container
"""For the network that fills the store, as all tests of real inputs; no engine is asked for."""

CUDA = tuple(f"bitsandbytes/libbitsandbytes_cuda{release}.so" for release in (118, 121, 124, 126, 128, 130, 132))


def test_toolkit_paths_and_undeclared_runtimes(tmp_path: Path) -> None:
    done = run("inspect", "--json", "bitsandbytes==0.50.2", cwd=tmp_path).require(1)
    row = json.loads(done.out)["rows"][0]
    failing = [check for check in row["checks"] if check["verdict"] == "fail"]
    paths = {check["subject"]: check["reason"] for check in failing if check["id"] == "C5"}
    assert tuple(sorted(paths)) == CUDA
    assert paths[CUDA[3]] == ("has a CUDA toolkit in its search path: /usr/local/cuda-12.6/targets/x86_64-linux/lib")
    undeclared = " ".join(check["reason"] for check in failing if check["id"] == "K10")
    for soname, distribution in (
        ("libcudart.so.11.0", "nvidia-cuda-runtime-cu11"),
        ("libcudart.so.12", "nvidia-cuda-runtime-cu12"),
        ("libcudart.so.13", "nvidia-cuda-runtime"),
    ):
        assert f"needs {soname}, which no requirement brings ({distribution} would)" in undeclared
    notes = {note["subject"]: note["text"] for note in row["notes"] if note["id"] == "H0"}
    cubins = "60 70 75 80 86 89 90"
    assert notes[CUDA[3]] == f"device code: cubins {cubins}; PTX none; relocatable, not loadable {cubins}"
