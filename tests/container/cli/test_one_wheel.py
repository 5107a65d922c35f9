"""A build that leaves anything but one wheel is a failure with a record of its own."""

import json
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from tests.support.command import left_on_engine, run, run_of
from tests.support.tiny import tiny_recipe

pytestmark = pytest.mark.container

ENDING = """
    return name
"""
SECOND = """
    Path("/work/out").mkdir(exist_ok=True)
    Path("/work/out/second-1.0-py3-none-any.whl").write_bytes(b"")
    return name
"""


def records(folder: Path) -> dict[str, tuple[str, str]]:
    """Verdict and reason of what the build's guards wrote, by id."""
    report = json.loads((folder / "reports" / "latest" / "report.json").read_text())
    (row,) = report["rows"]
    return {check["id"]: (check["verdict"], check["reason"]) for check in row["checks"]}


def test_two_wheels_are_none(engine: Engine, tmp_path: Path) -> None:
    backend = tiny_recipe(tmp_path) / "source" / "backend.py"
    text = backend.read_text()
    assert text.count(ENDING) == 1
    backend.write_text(text.replace(ENDING, SECOND))
    done = run("build", "--stand-in", "--recipe", "tiny", "--python", "3.11", cwd=tmp_path).require(7)
    said = "the build must leave exactly one wheel; it left second-1.0-py3-none-any.whl, tiny-1.0"
    assert "did not build one wheel: J2 one-wheel: output folder: " + said in " ".join(done.err.split())
    found = records(tmp_path)
    assert "A0" not in found
    assert found["J2"][0] == "fail"
    assert found["J2"][1].startswith(said)
    assert not (tmp_path / "dist").exists()
    assert left_on_engine(engine, run_of(tmp_path)) == []
