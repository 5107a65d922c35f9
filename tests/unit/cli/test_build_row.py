"""Which images a row is built and tried in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.build_row import row_images
from orchestrator.cli.run_context import IMAGES
from orchestrator.errors import NotHereError, RecipeError
from orchestrator.images.imageset import ImageRequest, ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp313")


def images_of(
    folder: Path, *changes: tuple[str, str], row: Row = ROW, definitions: Path = IMAGES
) -> list[ImageRequest]:
    """The images of the tiny recipe on an engine for x86_64, with parts of its file replaced."""
    file = tiny_recipe(folder) / "recipe.toml"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    images = ImageSet(definitions, Store(folder / "store"), None, arch="x86_64")
    return row_images(images, load_recipe(str(file), folder), row)


@pytest.mark.parametrize("name", ["builder", "builder-cuda-13.0"])
def test_the_builder_comes_first_and_has_the_rows_python(tmp_path: Path, name: str) -> None:
    assert images_of(tmp_path)[0] == ImageRequest("builder", "3.13")
    changed = ("[matrix]", f'[images]\nbuilder = "{name}"\n[matrix]')
    assert images_of(tmp_path / "2", changed)[0] == ImageRequest(name, "3.13")


@pytest.mark.parametrize(
    ("change", "name", "role"),
    [
        (("[matrix]", '[images]\nbuilder = "bookworm"\n[matrix]'), "bookworm", "test"),
        (('local = "cpu"', 'local = "cpu"\nbuilder = "runtime"'), "runtime", "runtime"),
    ],
)
def test_an_image_that_does_not_build_is_no_builder(
    tmp_path: Path, change: tuple[str, str], name: str, role: str
) -> None:
    with pytest.raises(RecipeError) as caught:
        images_of(tmp_path, change)
    assert caught.value.message == (
        f"tiny/cpu/x86_64/cp313 is to be built in the image '{name}', whose role is {role}, not builder."
    )
    assert "Known: builder, builder-cross, builder-cuda-12.6, builder-cuda-13.0" in caught.value.advice
    assert "bookworm" not in caught.value.advice


def test_an_image_that_does_not_exist_is_told_as_one(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="there is no image 'bilder'"):
        images_of(tmp_path, ('local = "cpu"', 'local = "cpu"\nbuilder = "bilder"'))


@pytest.mark.parametrize("name", ["builder", "builder-cuda-13.0"])
def test_a_row_of_another_processor_is_built_by_the_image_that_its_builder_names(tmp_path: Path, name: str) -> None:
    other = replace(ROW, arch="aarch64")
    changed = ("[matrix]", f'[images]\nbuilder = "{name}"\n[matrix]')
    assert images_of(tmp_path, changed, row=other)[0] == ImageRequest("builder-cross", "3.13")


def test_a_builder_that_names_none_cannot_build_for_another_processor(tmp_path: Path) -> None:
    definitions = tmp_path / "images"
    definitions.mkdir()
    text = (IMAGES / "builder.toml").read_text()
    named = '[cross]\naarch64 = "builder-cross"\n'
    assert named in text
    (definitions / "builder.toml").write_text(text.replace(named, ""))
    with pytest.raises(NotHereError) as caught:
        images_of(tmp_path, row=replace(ROW, arch="aarch64"), definitions=definitions)
    assert caught.value.message == (
        "tiny/cpu/aarch64/cp313 cannot be built on x86_64: image 'builder' names no other that builds for aarch64."
    )
    assert "cross.aarch64" in caught.value.advice
    assert "--engine aarch64=ADDRESS" in caught.value.advice
