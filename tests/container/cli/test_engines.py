"""Engines that are named for a processor: which rows go there, and which are refused."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.containers.connect import engine_address
from orchestrator.containers.engine import Engine
from orchestrator.processor import ENGINE_NAMES
from tests.support.command import left_on_engine, run, run_of
from tests.support.line import Line
from tests.support.tiny import tiny_recipe

pytestmark = pytest.mark.container


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    """Another address of the same engine, which keeps what is asked there."""
    address = engine_address()
    if not address.startswith("unix://"):
        pytest.skip("needs an engine on a local socket")
    line = Line(tmp_path / "named.sock", address.removeprefix("unix://"))
    yield line
    line.cut()


def test_a_row_is_built_and_tried_on_the_engine_that_is_named(engine: Engine, line: Line, tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    named = f"{engine.info.arch}={line.address}"
    # --fresh: an answer from the store would ask nothing of the engine.
    options = ("--stand-in", "--fresh", "--recipe", "tiny", "--python", "3.11", "--engine", named)
    done = run("build", *options, cwd=tmp_path).require(0)
    (row,) = json.loads((tmp_path / "reports/latest/report.json").read_text())["rows"]
    assert (row["method"], row["verdict"]) == ("native", "pass")
    assert "method        native: " in done.out
    made = [asked for asked in line.asked if re.fullmatch(r"POST /v[\d.]+/containers/create.*", asked)]
    assert len(made) >= len(row["steps"]) > 3
    assert left_on_engine(engine, run_of(tmp_path)) == []


def test_an_engine_of_another_processor_is_refused(engine: Engine, line: Line, tmp_path: Path) -> None:
    tiny_recipe(tmp_path)
    foreign = next(arch for arch in ENGINE_NAMES if arch != engine.info.arch)
    options = ("--stand-in", "--recipe", "tiny", "--engine", f"{foreign}={line.address}")
    done = run("build", *options, cwd=tmp_path).require(2)
    assert f"The engine at {line.address} is for {engine.info.arch}, and was named for {foreign}." in done.err
    assert f"--engine {engine.info.arch}={line.address}" in done.err
    assert not [asked for asked in line.asked if "create" in asked]
    assert not (tmp_path / "dist").exists()
