"""Several rows, of which one cannot be built; hooks before a build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.tiny import tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

BUILD = ("build", "--stand-in", "--json", "--recipe", "tiny")


def with_hooks(folder: Path, *hooks: str) -> None:
    recipe = tiny_recipe(folder) / "recipe.toml"
    text = recipe.read_text()
    recipe.write_text(text.replace("minutes = 2", f"minutes = 2\nbefore = {json.dumps(hooks)}"))


def test_one_that_cannot_be_built_does_not_take_the_others_along(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path) / "recipe.toml"
    text = recipe.read_text().replace('["3.11", "3.13"]', '["3.11"]')
    text = text.replace(
        "minutes = 2", "minutes = 2\nbefore = ['test \"$BREAK\" != yes || { echo it is broken; exit 5; }']"
    )
    recipe.write_text(
        text.replace("[matrix]", '[variants.bad]\nenv = { BREAK = "yes" }\n\n[variants.more]\n\n[matrix]')
    )
    done = run(*BUILD, "--all", "--fresh", cwd=tmp_path).require(7)
    report = json.loads(done.out)
    verdicts = {row["row"]: row["verdict"] for row in report["rows"]}
    assert verdicts == {
        "tiny/cpu/x86_64/cp311": "pass", "tiny/bad/x86_64/cp311": "fail", "tiny/more/x86_64/cp311": "pass",
    }  # fmt: skip
    assert (report["verdict"], report["exit"]) == ("fail", 7)
    (bad,) = (row for row in report["rows"] if "/bad/" in row["row"])
    (failure,) = (check for check in bad["checks"] if check["verdict"] == "fail")
    assert failure["id"] == "A0"
    assert "of tiny/bad/x86_64/cp311 failed with exit status 5" in failure["reason"]
    assert any("it is broken" in line for line in failure["evidence"])
    assert (bad["steps"][-1]["name"], bad["steps"][-1]["exit"]) == ("hook 1", 5)
    assert bad["wheel"] is None
    # Said when it happened, and the others' wheels are there.
    assert done.err.index("failed with exit status 5") < done.err.index("build tiny/more/x86_64/cp311")
    assert len(list((tmp_path / "dist").iterdir())) == 2
    # Alone it is reported just so.
    alone = json.loads(run(*BUILD, "--variant", "bad", cwd=tmp_path).require(7).out)
    assert [check["id"] for check in alone["rows"][0]["checks"] if check["verdict"] == "fail"] == ["A0"]


def test_hooks_run_in_the_source_folder_in_order_without_a_network(tmp_path: Path) -> None:
    with_hooks(
        tmp_path,
        'test -f tiny.c && test -n "$TINY_VERSION" && mv tiny.c kept.c',
        "python -c \"import socket; socket.create_connection(('192.0.2.1', 9), 2)\" 2>said; "
        "grep 'Network is unreachable' said && mv kept.c tiny.c",
    )
    row = json.loads(run(*BUILD, "--fresh", cwd=tmp_path).require(0).out)["rows"][0]
    names = [step["name"] for step in row["steps"]]
    assert names[names.index("hook 1") :][:3] == ["hook 1", "hook 2", "build wheel"]


def test_a_hook_that_fails_is_named_and_nothing_is_built(tmp_path: Path) -> None:
    with_hooks(tmp_path, "true", "echo cannot patch; exit 9", "touch never")
    done = run(*BUILD, cwd=tmp_path).require(7)
    assert "Hook 'echo cannot patch; exit 9' of tiny/cpu/x86_64/cp311 failed with exit status 9." in done.err
    assert "\n  cannot patch\n" in done.err
    log = next((tmp_path / "reports").glob("2*/*/*/*/*/build.log")).read_text()
    assert "compiling tiny.c" not in log
