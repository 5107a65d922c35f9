"""An engine for a test, and a work volume on it."""

from collections.abc import Iterator

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.connect() as connected:
        yield connected


@pytest.fixture
def work(engine: Engine) -> Volume:
    return engine.volume("test", row="test")
