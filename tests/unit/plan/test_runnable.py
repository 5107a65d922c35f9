"""Which rows cannot be worked on here, and why."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.run_context import IMAGES, RECIPES
from orchestrator.ground.emulation import interpreters
from orchestrator.images.definition import load_definitions
from orchestrator.images.imageset import Policy
from orchestrator.plan.rows import Row
from orchestrator.plan.runnable import Here, look_here, why_not
from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from tests.support.tiny import tiny_recipe

HERE = Here(
    definitions=load_definitions(IMAGES), policy="stand-in", native="x86_64", targets={"aarch64": ("3.11", "3.13")}
)
EMULATED = frozenset({"aarch64"})
OFFICIAL = HERE.definitions["builder"].official["x86_64"]
ELSEWHERE = "the engine is for x86_64, and programs for aarch64 do not run there under emulation"


def said(folder: Path, here: Here, *, python: str = "cp311", arch: str = "x86_64") -> str | None:
    recipe = load_recipe(str(tiny_recipe(folder)), folder)
    return why_not(recipe, Row(recipe="tiny", variant="cpu", arch=arch, python=python), here)


def test_a_row_whose_interpreter_the_stand_in_has_can_be_worked_on(tmp_path: Path) -> None:
    assert said(tmp_path, HERE) is None


@pytest.mark.parametrize("policy", ["auto", "stand-in"])
def test_a_row_whose_interpreter_no_image_has_cannot(tmp_path: Path, policy: Policy) -> None:
    here = replace(HERE, policy=policy, unreachable=frozenset({OFFICIAL}))
    reason = said(tmp_path, here, python="cp310")
    assert reason is not None
    assert reason.startswith("no interpreter: the stand-in of image 'builder' has Python 3.11, 3.13")
    assert reason.endswith(", and not 3.10")


def test_official_images_have_every_interpreter(tmp_path: Path) -> None:
    assert said(tmp_path / "1", replace(HERE, policy="official-only"), python="cp310") is None
    # No registry was asked yet: only a try can tell.
    assert said(tmp_path / "2", replace(HERE, policy="auto"), python="cp310") is None


def test_another_processor_needs_an_engine_or_emulation(tmp_path: Path) -> None:
    reason = said(tmp_path / "1", HERE, arch="aarch64")
    assert reason is not None
    assert ELSEWHERE in reason
    assert "--engine aarch64=ADDRESS" in reason
    assert said(tmp_path / "2", replace(HERE, emulated=EMULATED), arch="aarch64") is None
    assert said(tmp_path / "3", replace(HERE, engines=frozenset({"aarch64"})), arch="aarch64") is None


def test_what_is_cross_compiled_has_the_stand_ins_interpreters_only(tmp_path: Path) -> None:
    here = replace(HERE, policy="official-only", emulated=EMULATED)
    reason = said(tmp_path / "1", here, arch="aarch64", python="cp310")
    assert reason is not None
    assert "and not 3.10" in reason
    # On an engine of its own it is built in the official image.
    on_its_own = replace(here, engines=frozenset({"aarch64"}))
    assert said(tmp_path / "2", on_its_own, arch="aarch64", python="cp310") is None


def test_what_is_cross_compiled_needs_headers_of_its_python(tmp_path: Path) -> None:
    here = replace(HERE, emulated=EMULATED, targets={"aarch64": ("3.13",)})
    assert said(tmp_path / "1", here, arch="aarch64") == (
        "the headers of Python 3.11 for aarch64 are not locked: those of 3.13 are"
    )
    # What is built under emulation, or natively, has them itself.
    assert said(tmp_path / "2", replace(here, emulate=True), arch="aarch64") is None
    assert said(tmp_path / "3", replace(here, engines=EMULATED), arch="aarch64") is None


def test_what_is_cross_compiled_needs_a_builder_that_does_so(tmp_path: Path) -> None:
    builder = HERE.definitions["builder"]
    alone = {**HERE.definitions, "builder": builder.model_copy(update={"cross": {}})}
    here = replace(HERE, emulated=EMULATED, definitions=alone)
    assert said(tmp_path / "1", here, arch="aarch64") == (
        "image 'builder' names no other that builds for aarch64 on x86_64 (cross.aarch64)"
    )
    assert said(tmp_path / "2", here) is None


def test_a_recipe_that_only_verifies_builds_nothing(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path) / "recipe.toml"
    head, _, rest = recipe.read_text().partition("[build]")
    text = head.replace('{ path = "source" }', '{ wheel = "tiny==1.0" }') + rest[rest.index("[variants.cpu]") :]
    recipe.write_text(text)
    row = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp310")
    loaded = load_recipe(str(recipe), tmp_path)
    assert why_not(loaded, row, HERE) == (
        "the recipe only verifies a published wheel: nox -s verify -- --recipe tiny tiny==1.0"
    )
    # It needs no builder then.
    assert why_not(loaded, row, HERE, building=False) is None
    reason = why_not(loaded, replace(row, arch="aarch64"), HERE, building=False)
    assert reason is not None
    assert ELSEWHERE in reason


def test_what_no_registry_answered_for_of_late_is_seen(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert look_here(IMAGES, store, policy="auto").unreachable == frozenset()
    store.put_ref("image-unreachable", OFFICIAL, {"when": 0.0, "why": "it was long ago"})
    assert look_here(IMAGES, store, policy="auto").unreachable == frozenset()
    store.put_ref("image-unreachable", OFFICIAL, {"when": time.time() - 60, "why": "no answer"})
    here = look_here(IMAGES, store, policy="auto", engines=["aarch64"], native="x86_64")
    assert here.unreachable == {OFFICIAL}
    assert (here.native, here.engines) == ("x86_64", frozenset({"aarch64"}))
    assert {"3.11", "3.13"} <= set(here.targets["aarch64"])


@pytest.mark.parametrize(("host", "all_of_them"), [("tcp://elsewhere:2376", True), ("unix:///nowhere", False)])
def test_of_an_engine_elsewhere_only_a_try_can_tell_what_it_emulates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, all_of_them: bool
) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    found = look_here(IMAGES, Store(tmp_path), policy="auto").emulated
    assert found == (frozenset({"x86_64", "aarch64"}) if all_of_them else frozenset(interpreters()))


def test_minirts_rows_are_the_ones_that_the_stand_in_has() -> None:
    recipe = load_recipe("minirt", RECIPES)
    row = Row(recipe="minirt", variant="cuda-13.0", arch="x86_64", python="cp313")
    assert why_not(recipe, row, HERE) is None


def test_a_wheel_of_the_stable_abi_needs_any_interpreter_from_its_floor_on(tmp_path: Path) -> None:
    file = tiny_recipe(tmp_path) / "recipe.toml"
    text = file.read_text()
    for floor, reason in (("3.12", None), ("3.15", "and none from 3.15 on")):
        file.write_text(text.replace('["3.11", "3.13"]', f'["3.16"]\nstable-abi = "{floor}"'))
        row = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp316")
        said = why_not(load_recipe(str(file), tmp_path), row, HERE)
        assert said == reason or (reason and said and said.endswith(reason))
