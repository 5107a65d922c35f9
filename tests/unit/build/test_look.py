"""What is said of the tools of a container, on tools that are there, broken, or not what they are called."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.build import look
from orchestrator.build.tools import Tools, look_tar, parse_tools
from orchestrator.errors import BuildError

NVCC = """\
#!/bin/sh
echo "nvcc: NVIDIA (R) Cuda compiler driver"
echo "Cuda compilation tools, release 13.0, V13.0.88"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A toolkit's folder, as far as it is looked at."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cuda_runtime_api.h").write_text("/* x */\n#define CUDART_VERSION  12060\n#define Y 1\n")
    for name in ("nvcc", "ptxas"):
        program(tmp_path, name, NVCC)
    return tmp_path


def program(root: Path, name: str, text: str, mode: int = 0o755) -> None:
    (root / "bin" / name).write_text(text)
    (root / "bin" / name).chmod(mode)


def looked(root: Path) -> Tools:
    done = subprocess.run([sys.executable, look.__file__, str(root)], capture_output=True, check=True)
    return parse_tools(done.stdout)


def test_a_whole_toolkit(root: Path) -> None:
    tools = looked(root)
    assert tools.nvcc
    assert tools.ptxas
    assert (tools.nvcc.kind, tools.nvcc.version, tools.ptxas.version) == ("program", "13.0.88", "13.0.88")
    assert (tools.cudart, tools.runtime) == (12060, "12.6")


def test_without_a_toolkit_none_is_looked_for() -> None:
    done = subprocess.run([sys.executable, look.__file__], capture_output=True, check=True)
    tools = parse_tools(done.stdout)
    assert (tools.nvcc, tools.ptxas, tools.cudart, tools.runtime) == (None, None, None, None)


@pytest.mark.parametrize(
    ("text", "mode", "kind", "status"),
    [
        (None, 0, "missing", None),
        ("", 0o755, "not-running", None),
        ("#!/bin/sh\n", 0o755, "program", 0),
        ("#!/bin/sh\nexit 4\n", 0o755, "program", 4),
        ("#!/nowhere/sh\n", 0o755, "not-running", None),
    ],
)
def test_what_is_no_compiler(root: Path, text: str | None, mode: int, kind: str, status: int | None) -> None:
    (root / "bin" / "nvcc").unlink()
    if text is not None:
        program(root, "nvcc", text, mode)
    nvcc = looked(root).nvcc
    assert nvcc
    assert (nvcc.kind, nvcc.status, nvcc.version) == (kind, status, None)


def test_a_folder_and_a_file_that_may_not_be_executed(root: Path) -> None:
    (root / "bin" / "nvcc").unlink()
    (root / "bin" / "nvcc").mkdir()
    program(root, "ptxas", NVCC, 0o644)
    tools = looked(root)
    assert tools.nvcc
    assert tools.ptxas
    assert (tools.nvcc.kind, tools.ptxas.kind) == ("directory", "not-executable")


def test_a_version_from_a_program_that_fails_is_none(root: Path) -> None:
    program(root, "nvcc", f"{NVCC}exit 1\n")
    nvcc = looked(root).nvcc
    assert nvcc
    assert "V13.0.88" in nvcc.output
    assert nvcc.version is None


def test_headers_that_do_not_tell_their_version(root: Path) -> None:
    (root / "include" / "cuda_runtime_api.h").write_text("// CUDART_VERSION 13000\n")
    assert looked(root).cudart is None
    (root / "include" / "cuda_runtime_api.h").unlink()
    assert looked(root).cudart is None


@pytest.mark.parametrize("output", [b"", b"Traceback", b"[]", json.dumps({"ccache": None}).encode()])
def test_an_answer_that_is_none_is_an_error(output: bytes) -> None:
    with pytest.raises(BuildError, match="could not be looked at"):
        parse_tools(output)


def test_it_travels_as_it_is() -> None:
    assert Path(look.__file__).read_bytes() in look_tar()
