from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.build.guards.catalogue import GUARDS
from orchestrator.errors import UsageError
from orchestrator.ground.sessions import (
    BUILDING,
    emulated_processors,
    needs_browser,
    needs_containers,
    needs_git,
    require_session,
    session_names,
    variants,
)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text('[project]\nname = "x"\n[variants.cpu]\nlocal = "cpu"\n[variants."cuda-13.0"]\nlocal = "cu130"\n')
    return path


def test_build_sessions_are_the_recipes_variants(recipe: Path) -> None:
    assert session_names(recipe)[:3] == ("build-cpu", "build-cuda-13.0", "build")


@pytest.mark.parametrize("text", ["", "variants = 3", "not toml ["])
def test_a_recipe_that_cannot_be_read_gives_no_variants(tmp_path: Path, text: str) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    assert variants(tmp_path / "recipe.toml") == ()
    assert variants(tmp_path / "absent.toml") == ()


@pytest.mark.parametrize(
    ("session", "arguments", "needed"),
    [
        ("build-cpu", [], True),
        ("build", ["--recipe", "x"], True),
        ("verify", ["x.whl"], True),
        ("images", [], True),
        ("bench", [], True),
        ("nightly", ["--recipe", "minirt"], True),
        ("nightly", ["--install-timer"], False),
        ("nightly", ["--recipe", "minirt", "--inst"], False),
        ("detection", [], True),
        ("detection", ["--only", "B1"], True),
        ("detection", ["--mutations", "10"], False),
        ("tests", [], True),
        ("tests", ["-k", "store"], True),
        ("tests", ["-m", "container"], True),
        ("tests", ["-m", "not container"], False),
        ("tests", ["-mnot container"], False),
        ("tests", ["-m", "not container and not browser"], False),
        ("tests", ["-m", "not browser and not container"], False),
        ("tests", ["-m", "not browser"], True),
        ("tests", ["-m", "browser"], False),
        ("tests", ["-m", "browser", "-k", "container"], False),
        ("inspect", ["x.whl"], False),
        ("inspect", ["x.whl", "--probe"], True),
        ("inspect", ["x.whl", "--pro"], True),
        ("inspect", ["x.whl", "--python", "3.12"], False),
        ("corpus", [], True),
        ("lint", [], False),
        ("locks", [], False),
        ("explain", ["B1"], False),
        ("doctor", [], False),
        ("build-cpu", ["--help"], False),
        ("reproduce", ["bundle.zip"], True),
        ("reproduce", ["bundle.zip", "--check", "B1", "--pinned", "0123"], False),
        ("reproduce", ["bundle.zip", "--check=B1"], False),
        ("reproduce", ["bundle.zip", "--check", "G1", "--environment", "bookworm/cmake-4.4.5/make"], True),
        ("reproduce", ["bundle.zip", "--check", "A0"], True),
        ("reproduce", ["bundle.zip", "--check=J2"], True),
    ],
)
def test_which_sessions_need_an_engine(session: str, arguments: list[str], needed: bool) -> None:
    assert needs_containers(session, arguments) is needed


def test_the_checks_of_builds_are_those_of_the_guards() -> None:
    assert {guard.id for guard in GUARDS} == BUILDING


@pytest.mark.parametrize(
    ("session", "arguments", "needed"),
    [
        ("tests", [], True),
        ("tests", ["-m", "not container"], True),
        ("tests", ["-m", "browser"], True),
        ("tests", ["-k", "store"], True),
        ("tests", ["-m", "container"], False),
        ("tests", ["-m", "not container and not browser"], False),
        ("tests", ["-mnot browser"], False),
        ("tests", ["--help"], False),
        ("detection", [], False),
        ("build-cpu", [], False),
    ],
)
def test_which_sessions_need_a_browser(session: str, arguments: list[str], needed: bool) -> None:
    assert needs_browser(session, arguments) is needed


@pytest.mark.parametrize(
    ("session", "arguments", "needed"),
    [
        ("build", [], False),
        ("build", ["--recipe", "ours"], False),
        ("build", ["--recipe", "theirs"], True),
        ("build", ["--recipe=theirs", "--help"], False),
        ("build", ["--rec=recipes/theirs"], True),
        ("build", ["--recipe", "recipes/theirs/recipe.toml"], True),
        ("build", ["--release", "theirs"], False),
        ("build", ["--recipe"], False),
        ("build", ["--recipe", "absent"], False),
        ("build-cpu", [], False),
        ("verify", ["--recipe", "theirs"], False),
        ("nightly", [], True),
        ("nightly", ["--recipe", "ours", "--recipe", "broken"], False),
        ("nightly", ["--recipe", "ours", "--recipe", "theirs"], True),
        ("tests", [], True),
        ("lint", [], False),
    ],
)
def test_which_sessions_need_git(tmp_path: Path, session: str, arguments: list[str], needed: bool) -> None:
    recipes = tmp_path / "recipes"
    sources = {"ours": '{ path = "source" }', "theirs": '{ git = "https://example.org/a" }', "broken": '"git"'}
    for name, source in sources.items():
        (recipes / name).mkdir(parents=True)
        (recipes / name / "recipe.toml").write_text(f"[project]\nsource = {source}\n")
    assert needs_git(session, arguments, tmp_path, recipes) is needed


def test_an_unknown_session_gets_the_nearest_and_the_list() -> None:
    known = ("build-cpu", "verify")
    require_session("verify", known)
    with pytest.raises(UsageError, match=r"There is no session 'buildcpu'\.\nDid you mean 'build-cpu'\?") as caught:
        require_session("buildcpu", known)
    assert str(caught.value).endswith("Known: build-cpu, verify.")
    with pytest.raises(UsageError) as caught:
        require_session("qqqq", known)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("session", "arguments", "emulated"),
    [
        ("build-cpu", [], False),
        ("build", ["--arch", "aarch64"], True),
        ("build", ["--arch=aarch64"], True),
        ("build", ["--arch", "x86_64"], False),
        ("build", ["--row", "minirt/cpu/aarch64/cp311"], True),
        ("build", ["--all"], True),
        ("build", ["--all", "--engine", "aarch64=ssh://me@board"], False),
        ("build", ["--all", "--engine=aarch64=ssh://me@board"], False),
        ("verify", ["some-1-cp311-cp311-manylinux_2_28_aarch64.whl"], True),
        ("inspect", ["some-1-cp311-cp311-manylinux_2_28_aarch64.whl"], False),
        ("inspect", ["some-1-cp311-cp311-manylinux_2_28_aarch64.whl", "--probe"], True),
        ("nightly", [], True),
        ("nightly", ["--help"], False),
        ("tests", [], True),
        ("tests", ["-m", "not container"], False),
        ("lint", [], False),
    ],
)
def test_sessions_that_run_programs_of_another_processor(session: str, arguments: list[str], emulated: bool) -> None:
    assert emulated_processors(session, arguments, "x86_64") == (frozenset({"aarch64"}) if emulated else frozenset())


def test_the_other_processor_is_the_other_one_of_this_machine() -> None:
    assert emulated_processors("nightly", [], "aarch64") == {"x86_64"}
    assert emulated_processors("build", ["--arch", "aarch64"], "aarch64") == frozenset()
