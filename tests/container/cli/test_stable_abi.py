"""A wheel of the stable ABI: built once, by the oldest interpreter that may, and tried on each Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Ended, run
from tests.support.tiny import tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]


def stable_recipe(folder: Path) -> None:
    """A module of 3.12's stable ABI, which no interpreter of the stand-in is; one variant forgets to say so."""
    recipe = tiny_recipe(folder)
    file, backend = recipe / "recipe.toml", recipe / "source" / "backend.py"
    text = file.read_text().replace('["3.11", "3.13"]', '["3.13", "3.14"]\nstable-abi = "3.12"')
    file.write_text(text.replace("[matrix]", '[variants.plain]\nenv = { PLAIN = "yes" }\n\n[matrix]'))
    code = backend.read_text()
    for old, new in (
        ('["gcc", ', '["gcc", "-DPy_LIMITED_API=0x030c0000", '),
        ('f"cp3{minor}-cp3{minor}-', '("cp313-cp313" if os.environ.get("PLAIN") else "cp312-abi3") + f"-'),
        ('f"tiny/_tiny.cpython-3{minor}-x86_64-linux-gnu.so"', '"tiny/_tiny.abi3.so"'),
    ):
        assert old in code
        code = code.replace(old, new)
    backend.write_text(code)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("stable")
    stable_recipe(folder)
    return run("build", "--stand-in", "--json", "--recipe", "tiny", "--all", "--fresh", cwd=folder).require(1)


@pytest.fixture(scope="module")
def rows(done: Ended) -> dict[str, dict[str, Any]]:
    return {row["row"]: row for row in json.loads(done.out)["rows"]}


def test_the_rows_share_one_wheel_that_was_built_once(done: Ended, rows: dict[str, dict[str, Any]]) -> None:
    both = [rows["tiny/cpu/x86_64/cp313"], rows["tiny/cpu/x86_64/cp314"]]
    assert [row["verdict"] for row in both] == ["pass", "pass"]
    assert {row["wheel"]["name"] for row in both} == {"tiny-1.0+cpu-cp312-abi3-manylinux_2_28_x86_64.whl"}
    assert both[0]["wheel"]["sha256"] == both[1]["wheel"]["sha256"]
    built = [line for line in done.err.splitlines() if line.startswith("build tiny/cpu/")]
    assert len(built) == 1
    assert "cp313" in built[0]


def test_each_row_is_tried_on_its_own_python(rows: dict[str, dict[str, Any]]) -> None:
    for python, place in (("cp313", "trixie/python-3.13"), ("cp314", "forky/python-3.14")):
        checks = rows[f"tiny/cpu/x86_64/{python}"]["checks"]
        tried = [check for check in checks if check["environment"] == place]
        assert {check["verdict"] for check in tried} == {"pass"}
        assert "C6" in {check["id"] for check in tried}
        assert "J8" in {check["id"] for check in checks}


def test_a_wheel_of_one_python_is_refused_where_the_recipe_says_stable_abi(rows: dict[str, dict[str, Any]]) -> None:
    for python in ("cp313", "cp314"):
        row = rows[f"tiny/plain/x86_64/{python}"]
        assert row["verdict"] == "fail"
        failing = [check for check in row["checks"] if check["verdict"] == "fail" and check["id"] == "J8"]
        assert [check["reason"] for check in failing] == [
            "is tagged cp313-cp313, and its recipe says that one wheel serves all from Python 3.12 on: cp312-abi3"
        ]
