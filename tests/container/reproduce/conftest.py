"""What tests of the command line share: an engine to look at, and images that are there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.store.store import Store

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine.connect() as connected:
        ImageSet(ROOT / "images", Store.default(), connected).ensure("builder", python="3.11", policy="stand-in")
        yield connected
