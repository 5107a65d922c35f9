"""Which rows a night has, and by which command each is worked on."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from pathlib import Path

import pytest

from orchestrator.cli.nightly_rows import NightPlan, plan_night, recipe_words, scope_of
from orchestrator.cli.parser import parse
from orchestrator.cli.run_context import RECIPES, Run
from orchestrator.errors import UsageError
from orchestrator.recipe.load import recipe_names
from orchestrator.report.model import Verdict
from orchestrator.store.store import Store
from tests.support.command import run
from tests.support.tiny import tiny_recipe


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tiny_recipe(tmp_path)
    return tmp_path


def asked(*words: str) -> Namespace:
    return parse(["nightly", "--stand-in", *words])


def plan(here: Path, *words: str, native: str = "x86_64") -> NightPlan:
    return plan_night(asked(*words), Store(here / "store"), Run("nightly"), native=native)


def command(found: NightPlan, place: int = 0) -> str:
    interpreter, *words = found.rows[place].command
    assert Path(interpreter).name.startswith("python")
    return shlex.join(words)


def test_every_row_of_a_recipe_by_the_command_of_a_person(here: Path) -> None:
    found = plan(here, "--recipe", "tiny")
    assert [row.id for row in found.rows] == ["tiny/cpu/x86_64/cp311", "tiny/cpu/x86_64/cp313"]
    assert command(found) == (
        f"-P -m orchestrator build --recipe {here}/tiny --row tiny/cpu/x86_64/cp311 --json --fresh --stand-in"
    )
    assert len({row.key for row in found.rows}) == 2
    assert not any(row.refused for row in found.rows)


def test_options_reach_the_rows(here: Path) -> None:
    words = ("--recipe", "tiny", "--remembered", "--release", "--gpus", "all", "--engine", "aarch64=ssh://me@board")
    (here / "mirrors").touch()
    bundle = ("--with-images", "--bundle-bytes", "1G")
    more = (*bundle, "--emulate", "--mirror", "https://example.org/x=/mirrors/x", "--mirrors", "mirrors")
    assert command(plan(here, *words, *more)).endswith(
        "cp311 --json --stand-in --gpus all --release --engine=aarch64=ssh://me@board --emulate "
        f"--with-images --bundle-bytes=1073741824 --mirror=https://example.org/x=/mirrors/x --mirrors={here}/mirrors"
    )


def test_what_a_result_depends_on_makes_its_key(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {plan(here, "--recipe", "tiny", *more).rows[0].key for more in ((), ("--release",), ("--gpus", "all"))}
    assert len(keys) == 3
    assert plan(here, "--recipe", "tiny").rows[0].key in keys
    # Reports and wheels of the night itself may lie in the recipe's folder.
    monkeypatch.chdir(here / "tiny")
    for folder in ("reports", "dist"):
        (here / "tiny" / folder).mkdir()
        (here / "tiny" / folder / "file").touch()
    assert plan(here, "--recipe", ".").rows[0].key in keys
    (here / "tiny" / "source" / "tiny.c").write_text("another")
    assert plan(here, "--recipe", ".").rows[0].key not in keys


def test_all_recipes_unless_some_are_named() -> None:
    assert recipe_words([]) == recipe_names(RECIPES)
    assert recipe_words(["minirt", "minirt"]) == ("minirt",)
    with pytest.raises(UsageError, match="There is no recipe 'minrt'"):
        recipe_words(["minrt"])


def test_a_timer_for_a_recipe_that_does_not_exist_is_not_installed(tmp_path: Path) -> None:
    done = run("nightly", "--install-timer", "--recipe", "minrt", cwd=tmp_path).require(2)
    assert "There is no recipe 'minrt'" in done.err


def test_two_recipes_of_one_name_are_not_told_apart(here: Path) -> None:
    tiny_recipe(here / "other")
    with pytest.raises(UsageError, match="Two of the recipes have a row tiny/cpu/x86_64/cp311"):
        plan(here, "--recipe", "tiny", "--recipe", "other/tiny")


def test_only_rows_of_a_glob(here: Path) -> None:
    found = plan(here, "--recipe", "tiny", "--only", "*/cp313", "--only", "other/*")
    assert [row.id for row in found.rows] == ["tiny/cpu/x86_64/cp313"]
    with pytest.raises(UsageError, match=r"No row is like tiny/\*/cp31\.") as caught:
        plan(here, "--recipe", "tiny", "--only", "tiny/*/cp31")
    assert "Known: tiny/cpu/x86_64/cp311, tiny/cpu/x86_64/cp313." in caught.value.advice


def test_a_row_that_cannot_be_worked_on_here_says_why(here: Path) -> None:
    recipe = here / "tiny" / "recipe.toml"
    recipe.write_text(recipe.read_text().replace('["3.11", "3.13"]', '["3.10", "3.11"]'))
    first, second = plan(here, "--recipe", "tiny").rows
    assert first.refused is not None
    assert (first.refused.verdict, second.refused) == (Verdict.NOT_RUN, None)
    assert "no interpreter: the stand-in of image 'builder' has Python" in first.refused.checks[0].reason
    # A release needs it, unless its policy permits that by name.
    released = plan(here, "--recipe", "tiny", "--release").rows[0].refused
    assert released is not None
    assert released.verdict is Verdict.FAIL


def test_what_is_built_under_emulation_needs_no_headers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.plan.runnable.interpreters", lambda: {"aarch64": "an interpreter"})
    monkeypatch.setattr("orchestrator.plan.runnable.known_pythons", lambda *_: ("3.13",))
    recipe = here / "tiny" / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("[matrix]", '[matrix]\narch = ["aarch64"]'))
    asked_for = ("--recipe", "tiny", "--only", "*/cp311")
    (crossed,) = plan(here, *asked_for).rows
    assert crossed.refused is not None
    assert "headers of Python 3.11 for aarch64 are not locked" in crossed.refused.checks[0].reason
    (emulated,) = plan(here, *asked_for, "--emulate").rows
    assert emulated.refused is None


def test_a_recipe_that_cannot_be_read_takes_no_other_along(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = here / "broken"
    broken.mkdir()
    (broken / "recipe.toml").write_text("[project")
    found = plan(here, "--recipe", "broken", "--recipe", "tiny")
    assert ([row.id for row in found.rows], found.codes) == (["tiny/cpu/x86_64/cp311", "tiny/cpu/x86_64/cp313"], (3,))
    assert "is not TOML" in found.errors[0]


def test_a_recipe_that_only_verifies_is_verified(here: Path) -> None:
    recipe = here / "tiny" / "recipe.toml"
    text = recipe.read_text().replace('source = { path = "source" }', 'source = { wheel = "tiny==1.0" }')
    start, end = text.index("[build]"), text.index("[variants.cpu]")
    recipe.write_text(text[:start] + text[end:])
    assert command(plan(here, "--recipe", "tiny")) == (
        f"-P -m orchestrator verify --recipe {here}/tiny --variant cpu --arch x86_64 --python 3.11 --json --fresh "
        "--stand-in"
    )


def test_nights_that_ask_the_same_have_the_same_scope(here: Path) -> None:
    first = scope_of(asked("--recipe", "tiny"))
    assert scope_of(asked("--recipe", str(here / "tiny"), "--jobs", "1", "--keep-days", "3")) == first
    assert scope_of(asked("--recipe", "tiny", "--only", "*")) != first
    assert scope_of(asked("--recipe", "minirt")) != first
    assert json.loads(first)["recipes"] == [str(here / "tiny")]
    # All of them are all that there are by then: rows of one that is removed are gone, not of another scope.
    assert json.loads(scope_of(asked()))["recipes"] == []


@pytest.mark.parametrize(("words", "size"), [(["500"], 500), (["2k"], 2048), (["10G"], 10 << 30), (["1T"], 1 << 40)])
def test_sizes(words: list[str], size: int) -> None:
    assert asked("--keep-bytes", *words).keep_bytes == size


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--keep-bytes", "many"), "'many' is no size such as 500M or 10G"),
        (("--jobs", "0"), "'0' is not a whole number from 1"),
        (("--jobs", "99999999999999999999"), "is not a whole number from 1 to 100000"),
        (("--keep-days", "999999"), "'999999' is not a whole number from 1 to 100000"),
        (("--keep-days", "-1"), "expected one argument|'-1' is not a whole number from 1"),
    ],
)
def test_odd_numbers_are_refused(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        asked(*words)
    assert asked().keep_bytes == 10 << 30


def test_mirrors_that_cannot_be_are_refused_before_any_row_and_any_timer(tmp_path: Path) -> None:
    env = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
    for more in ((), ("--install-timer",)):
        done = run("nightly", "--recipe", "minirt", "--mirrors", "absent", *more, cwd=tmp_path, env=env).require(2)
        assert "usage error: --mirrors absent: cannot be read: No such file or directory." in done.err
    assert list(tmp_path.iterdir()) == []
