"""The small SDK of tests.support.demo_sdk as a wheel, judged in real containers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support import demo_sdk
from tests.support.wheels import TAG, make_wheel

IMAGES = Path(__file__).resolve().parents[3] / "images"


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine.connect() as connected:
        yield connected


@pytest.fixture(scope="session")
def files(engine: Engine) -> dict[str, bytes]:
    """The members of the right wheel; its libraries are compiled in the test image."""
    return demo_sdk.wheel_files(demo_sdk.compiled(ImageSet(IMAGES, Store.default(), engine)))


@pytest.fixture
def verify(engine: Engine, files: dict[str, bytes], tmp_path: Path) -> Callable[..., DynamicResult]:
    """Make a wheel with changed members, and run every dynamic check over it."""

    def run(
        changes: Mapping[str, bytes] | None = None, *, recipe: Recipe, tag: str = TAG, python: str = "cp311"
    ) -> DynamicResult:
        wheel = read_wheel(make_wheel(tmp_path, {**files, **(changes or {})}, name="demo", version="1.5.1", tag=tag))
        subject = StaticSubject(wheel, Row(recipe="demo", variant="cpu", arch="x86_64", python=python), recipe)
        store = Store.default()
        images = ImageSet(IMAGES, store, engine)
        return run_dynamic(engine, images, store, subject, policy="stand-in", logs=tmp_path / "logs")

    return run
