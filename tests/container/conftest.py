"""What all container tests need: the stand-in images, made once and kept in the store."""

from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.store import Store

_IMAGES = Path(__file__).parents[2] / "images"


@pytest.fixture(scope="session")
def runtime_image() -> str:
    """An image with a shell, without compiler and Python."""
    with Engine.connect() as engine:
        return ImageSet(_IMAGES, Store.default(), engine).ensure("runtime", policy="stand-in").reference
