"""A night that is killed, resumed, and compared with the next."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.owner import LABEL_OWNER, LABEL_ROW
from orchestrator.nightly.history import FILE, open_history
from orchestrator.store.store import Store
from tests.support.command import end, run, start, wait_for
from tests.support.tiny import BAD, tiny_recipe

pytestmark = pytest.mark.container

FIRST, SECOND = "tiny/cpu/x86_64/cp311", "tiny/cpu/x86_64/cp313"
NIGHT = ("nightly", "--stand-in", "--json", "--jobs", "1", "--recipe", "tiny")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The store with a history of its own: these nights are nobody's."""
    root = tmp_path / "store"
    root.mkdir()
    for folder in Store.default().root.iterdir():
        if folder.is_dir():
            (root / folder.name).symlink_to(folder)
    return root


def of_second(engine: Engine) -> list[dict[str, Any]]:
    """Containers of the second row that must not outlive its process."""
    found: list[dict[str, Any]] = engine._session.api.containers(
        filters={"label": [LABEL_OWNER, f"{LABEL_ROW}={SECOND}"]}
    )
    return found


def rows(out: str) -> dict[str, dict[str, Any]]:
    return {row["row"]: row for row in json.loads(out)["rows"]}


def test_a_killed_night_is_resumed_and_the_next_held_against_it(engine: Engine, store: Path, tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    env = {"WHEEL_ORCHESTRATOR_STORE": str(store)}
    killed = start(*NIGHT, cwd=tmp_path, env=env)
    try:
        wait_for(lambda: of_second(engine) or killed.poll() is not None, 400)
        # Meanwhile nobody else works on a night of this store.
        refused = run(*NIGHT, cwd=tmp_path, env=env).require(2)
        assert "Another night is being worked on with the store" in refused.err
    finally:
        killed.kill()
    assert re.search(rf"^PASS     {FIRST}  [\d.ms in]+  \(1 of 2\)$", end(killed).err, re.MULTILINE)
    wait_for(lambda: not of_second(engine), 30)
    with open_history(store / FILE) as history:
        (night,) = history.nights()
        before = history.results(night.id)
        assert (night.finished, set(before)) == (None, {FIRST})
    assert not (tmp_path / "reports" / night.id / "night.json").exists()

    resumed = run(*NIGHT, cwd=tmp_path, env=env, seconds=500).require(0)
    assert f"resuming night {night.id}: 1 of 2 rows are done" in resumed.err
    assert re.search(rf"^PASS     {SECOND}  [\d.ms in]+  \(1 of 1\)$", resumed.err, re.MULTILINE)
    report = json.loads(resumed.out)
    assert (report["night"], report["verdict"], report["taken_over"]) == (night.id, "pass", 1)
    found = rows(resumed.out)
    # The first row was not worked on again, and nothing of it is lost.
    assert found[FIRST]["run"] == before[FIRST].run
    assert found[FIRST]["seconds"] == before[FIRST].seconds
    assert {row["verdict"] for row in found.values()} == {"pass"}
    assert all(row["memory"] > 10 << 20 for row in found.values())
    assert {path.name for path in (tmp_path / "dist").iterdir()} == {row["wheel"] for row in found.values()}
    whole = json.loads((tmp_path / "reports" / "latest" / "report.json").read_text())
    assert [row["row"] for row in whole["rows"]] == [FIRST, SECOND]
    assert all(row["checks"] for row in whole["rows"])

    # The next night is another: nothing is resumed, and what was broken since is told as new.
    (recipe / "source" / "tiny.c").write_text(BAD)
    broken = run(*NIGHT, "--only", FIRST, cwd=tmp_path, env=env).require(7)
    assert "resuming" not in broken.err
    row = rows(broken.out)[FIRST]
    assert (row["verdict"], row["change"], row["before"], row["before_night"]) == (
        "fail", "new failure", "pass", night.id,
    )  # fmt: skip
    assert "undeclared_name" in (tmp_path / "reports" / "latest" / "summary.md").read_text()
    assert (tmp_path / "dist" / str(found[FIRST]["wheel"])).is_file()
