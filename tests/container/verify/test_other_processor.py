"""A wheel of another processor, tried where the engine's programs are not its own: compiled fast, run emulated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.elf.read import read_elf
from orchestrator.ground.emulation import advice, interpreters
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.report.model import Verdict
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.remembered import Made, Memory
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support import demo_sdk
from tests.support.wheels import make_wheel

pytestmark = pytest.mark.container

IMAGES = Path(__file__).resolve().parents[3] / "images"
ARCH = "aarch64"
ROW = Row(recipe="demo", variant="cpu", arch=ARCH, python="cp311")
ENVIRONMENT = "bookworm/cmake-4.4.5/ninja"


@dataclass(frozen=True)
class _Kept(Memory):
    """Recalls nothing, and shows what was to be remembered."""

    made: list[Made] = field(default_factory=list)

    def remember(self, key: str, result: DynamicResult, made: Made) -> None:  # noqa: ARG002
        self.made.append(made)


@dataclass(frozen=True)
class Tried:
    """What was found, the consumers that were built, and in which images."""

    result: DynamicResult
    made: list[Made]


@pytest.fixture(scope="module")
def images() -> Iterator[ImageSet]:
    with Engine.connect() as engine:
        if engine.info.arch == ARCH:
            pytest.skip(f"the engine is for {ARCH}: nothing is emulated")
        assert ARCH in interpreters(), advice(ARCH)
        yield ImageSet(IMAGES, Store.default(), engine, arch=ARCH)


@pytest.fixture(scope="module")
def tried(images: ImageSet, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    """The small SDK, compiled in the image of the other processor, with a header that does not compile."""
    folder, engine = tmp_path_factory.mktemp("demo"), images.connected()
    files = demo_sdk.wheel_files(demo_sdk.compiled(images))
    files["demo/include/demo/extra.h"] = b"#include <re2/re2.h>\n"
    tag = f"cp311-cp311-manylinux_2_28_{ARCH}"
    wheel = read_wheel(make_wheel(folder, files, name="demo", version="1.5.1", tag=tag))
    recipe = demo_sdk.recipe(folder)
    assert recipe.cmake
    environments = tuple(one for one in recipe.cmake.environments if one.cmake == "4.4.5")
    cmake = recipe.cmake.model_copy(update={"environments": environments})
    subject = StaticSubject(wheel, ROW, recipe.model_copy(update={"cmake": cmake}))
    kept = _Kept(images.store, "none", fresh=True)
    result = run_dynamic(
        engine, images, images.store, subject, policy="stand-in", logs=folder / "logs", memory=kept
    )  # fmt: skip
    return Tried(result, kept.made)


def test_all_is_asked_as_of_a_wheel_of_the_engines_own_processor(tried: Tried) -> None:
    checks = tried.result.checks
    assert [one for one in checks if one.verdict is Verdict.NOT_RUN] == []
    passed = {one.id for one in checks if one.verdict is Verdict.PASS}
    # Finding, linking, loading, running, relocating, importing.
    assert passed >= {"D2", "D8", "D15", "D16", "C3", "G1", "G3", "G5", "F1", "F2", "F3", "C6", "K8", "E2"}
    assert {one.environment for one in checks} == {ENVIRONMENT, "bookworm/g++", "bookworm/python-3.11", "runtime"}
    assert passed <= {check.id for check in DYNAMIC_CHECKS}


def test_what_is_wrong_fails_there_alone(tried: Tried) -> None:
    (failed,) = (one for one in tried.result.checks if one.verdict is Verdict.FAIL)
    assert (failed.id, failed.subject, failed.reason) == ("E1", "demo/extra.h", "does not compile alone")
    assert any("re2/re2.h: No such file or directory" in line for line in failed.evidence)


def test_consumers_are_the_other_processors_and_ran(tried: Tried) -> None:
    (made,) = (one for one in tried.made if one.program is not None)
    assert made.program is not None
    assert read_elf(made.program).machine == ARCH
    assert set(made.running) == {"twice", "delegated"}


def test_images_are_the_rows_and_tools_the_engines(tried: Tried, images: ImageSet) -> None:
    engine = images.connected()
    known = [engine.images.inspect(image.reference) for image in tried.result.images]
    assert [one.arch for one in known if one] == [ARCH, ARCH]
    assert {tool.name for tool in tried.result.toolchains} == {"cmake", "ninja"}
