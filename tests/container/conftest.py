"""What all container tests need: the stand-in images, made once and kept in the store."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.store.store import Store

ROOT = Path(__file__).parents[2]
_IMAGES = ROOT / "images"


@pytest.fixture(scope="session")
def runtime_image() -> str:
    """An image with a shell, without compiler and Python."""
    with Engine.connect() as engine:
        return ImageSet(_IMAGES, Store.default(), engine).ensure("runtime", policy="stand-in").reference


@pytest.fixture(scope="session")
def wheel_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The wheel of a variant of minirt, as the command line builds and verifies it; the store answers if it can."""

    @cache
    def build(variant: str) -> Path:
        folder = tmp_path_factory.mktemp(variant)
        done = subprocess.run(
            [sys.executable, "-m", "orchestrator", "build", "--variant", variant, "--stand-in", "--json"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "CI": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return folder / "dist" / str(json.loads(done.stdout)["rows"][0]["wheel"]["name"])

    return build


@pytest.fixture(scope="session")
def minirt_wheel(wheel_of: Callable[[str], Path]) -> Path:
    """The CPU wheel of minirt."""
    return wheel_of("cpu")


@pytest.fixture(scope="session")
def minirt_cuda_wheel(wheel_of: Callable[[str], Path]) -> Path:
    """The wheel of minirt for CUDA 13.0."""
    return wheel_of("cuda-13.0")
