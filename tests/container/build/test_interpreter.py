"""A builder image without the row's interpreter is told as that, and one with it is not."""

from pathlib import Path

import pytest

from orchestrator.build.inputs import collect_inputs
from orchestrator.build.wheel_build import BuiltWheel, build_wheel
from orchestrator.containers.engine import Engine
from orchestrator.errors import BuildError
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from tests.support.tiny import tiny_recipe

pytestmark = pytest.mark.container

IMAGES = Path(__file__).resolve().parents[3] / "images"
ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")


def build(folder: Path, image: str, python: str | None) -> BuiltWheel:
    recipe = load_recipe(str(tiny_recipe(folder)), folder)
    store = Store.default()
    with Engine.connect() as engine:
        ready = ImageSet(IMAGES, store, engine).ensure(image, python=python, policy="stand-in")
        inputs = collect_inputs(store, recipe, ROW, ready.digest)
        return build_wheel(engine, store, inputs, ready, folder / "row")


# bookworm has a Python 3.11, but not where builds look; the builder has this one there, or another.
@pytest.mark.parametrize(("image", "python"), [("bookworm", "3.11"), ("builder", "3.13")])
def test_an_image_without_the_interpreter_is_named(tmp_path: Path, image: str, python: str) -> None:
    with pytest.raises(BuildError) as caught:
        build(tmp_path, image, python)
    assert caught.value.message.startswith("The builder image ")
    assert " cannot run /opt/python/cp311-cp311/bin/python, the interpreter of tiny/cpu/" in str(caught.value)
    assert "not found" in caught.value.detail
    assert "images.builder" in caught.value.advice


def test_an_image_with_it_builds(tmp_path: Path) -> None:
    assert build(tmp_path, "builder", "3.11").path.name.startswith("tiny-1.0+cpu-cp311")
