"""The engine dies while it builds."""

from pathlib import Path

import pytest

from orchestrator.containers.connect import engine_address
from orchestrator.containers.engine import Engine
from tests.support.command import build_log, end, half_written, left_on_engine, run_of, start, wait_for
from tests.support.line import Line
from tests.support.tiny import tiny_recipe

pytestmark = pytest.mark.container


def test_an_engine_that_dies_midway_is_one_paragraph(engine: Engine, tmp_path: Path) -> None:
    address = engine_address()
    if not address.startswith("unix://"):
        pytest.skip("needs an engine on a local socket")
    tiny_recipe(tmp_path, endless=True)
    line = Line(tmp_path / "engine.sock", address.removeprefix("unix://"))
    process = start("build", "--stand-in", "--recipe", "tiny", cwd=tmp_path, env={"DOCKER_HOST": line.address})
    try:
        wait_for(lambda: "compiling tiny.c" in build_log(tmp_path))
    finally:
        line.cut()
    done = end(process).require(6)
    paragraph = done.err[done.err.index("engine error: ") :]
    assert "The container engine went away" in paragraph
    assert "start it again" in paragraph
    assert len(paragraph.splitlines()) <= 4
    assert done.out == ""
    assert not (tmp_path / "dist").exists()
    assert not half_written(tmp_path)
    assert not list(tmp_path.glob("reports/*/report.json"))
    # The process is dead, so the next one that connects removes what it had to leave.
    with Engine.connect():
        assert left_on_engine(engine, run_of(tmp_path)) == []
