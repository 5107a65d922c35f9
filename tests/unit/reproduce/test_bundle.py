"""Reading what a run left: whole, or from its folder."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from orchestrator.build.source import pack_source
from orchestrator.errors import RecipeError, UsageError
from orchestrator.recipe.load import load_recipe
from orchestrator.reproduce.bundle import open_bundle
from orchestrator.reproduce.pins import recipe_pins, revision_of
from tests.support.bundles import DIGEST, FailedRun, edited, failed_run, refusal, rewritten, use


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path)


def test_what_was_put_in_comes_out_in_an_empty_folder(run: FailedRun, tmp_path: Path) -> None:
    path = run.bundle(open_image=lambda _: io.BytesIO(b"a saved image"))
    moved = tmp_path / "elsewhere" / "b.zip"
    moved.parent.mkdir()
    moved.write_bytes(path.read_bytes())
    bundle = open_bundle(moved)
    assert bundle.report == run.report
    assert bundle.report.rows[0].pinned == run.row.pinned
    assert bundle.folder is None
    assert bundle.lacks(run.row) == ()
    folder = bundle.recipe_folder(tmp_path / "recipe", run.row)
    assert revision_of(recipe_pins(load_recipe(str(folder), tmp_path))) == run.given.revision
    source, wheel = run.given.source, run.given.wheel
    assert source is not None
    assert wheel is not None
    assert pack_source(folder / "source").sha256 == source.sha256
    assert (folder / "source" / "link").is_symlink()
    assert os.access(folder / "source" / "tool.sh", os.X_OK)
    tree = bundle.source_folder(source, tmp_path / "tree")
    assert tree is not None
    assert pack_source(tree).sha256 == source.sha256
    found = bundle.wheel(wheel.sha256, tmp_path / "wheel")
    assert found == tmp_path / "wheel" / run.wheel.name
    assert found.read_bytes() == run.wheel.read_bytes()
    image = bundle.image(DIGEST, tmp_path / "images")
    assert image is not None
    assert image.read_bytes() == b"a saved image"


def test_what_is_not_in_it_is_none(run: FailedRun, tmp_path: Path) -> None:
    run.kept.sources.clear()
    run.kept.recipes.clear()
    source = run.given.source
    assert source is not None
    bundle = open_bundle(run.bundle())
    assert {pin.path for pin in bundle.lacks(run.row)} == {"recipe.toml", "build.lock"}
    assert bundle.source(source.sha256, tmp_path / "x") is None
    assert bundle.source_folder(source, tmp_path / "x") is None
    assert bundle.wheel("0" * 64, tmp_path / "x") is None
    assert bundle.image(DIGEST, tmp_path / "x") is None
    assert not (tmp_path / "x").exists()


def test_a_folder_a_report_and_an_unpacked_bundle_do_as_well(run: FailedRun, tmp_path: Path) -> None:
    path = run.bundle()
    assert open_bundle(run.folder).where == path
    assert open_bundle(run.folder / "report.json").where == path  # the bundle beside it has more
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(unpacked)
    use(open_bundle(unpacked), tmp_path / "target")
    (unpacked / "recipe" / "build.lock").write_text("other")
    assert "'recipe/build.lock' is another file than its contents say" in refusal(unpacked, tmp_path / "again")
    (unpacked / "recipe" / "build.lock").unlink()
    (unpacked / "recipe" / "build.lock").symlink_to(run.recipe / "build.lock")
    assert "'recipe/build.lock' cannot be read" in refusal(unpacked, tmp_path / "thrice")


def test_a_report_alone_finds_the_recipe_where_it_was(run: FailedRun, tmp_path: Path) -> None:
    bundle = open_bundle(run.folder)
    assert (bundle.contents, bundle.folder) == (None, run.folder)
    assert bundle.recipe_folder(tmp_path / "unused", run.row) == run.recipe
    assert len(bundle.lacks(run.row)) == 2
    built = run.folder / run.row.row / "wheel" / run.wheel.name
    built.parent.mkdir()
    built.write_bytes(run.wheel.read_bytes())
    sha256 = run.given.wheel.sha256 if run.given.wheel else ""
    assert bundle.wheel(sha256, tmp_path / "unused") == built
    built.write_bytes(b"another")
    assert bundle.wheel(sha256, tmp_path / "unused") is None
    run.recipe.rename(tmp_path / "gone")
    with pytest.raises(RecipeError, match="There is no recipe at"):
        bundle.recipe_folder(tmp_path / "unused", run.row)


def test_a_bundle_of_another_run_beside_a_report_does_not_stand_for_it(run: FailedRun) -> None:
    rewritten(run.bundle(), lambda members: edited(members, "report.json", lambda it: it.update(run="run-2")))
    assert open_bundle(run.folder / "report.json").report.run == "run-1"
    assert open_bundle(run.folder).report.run == "run-2"


def test_what_is_no_bundle_is_a_usage_error(run: FailedRun, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("{}")
    older = run.folder / "older.json"
    older.write_text((run.folder / "report.json").read_text().replace('"schema"', '"form"', 1))
    newer = tmp_path / "newer.json"
    newer.write_text((run.folder / "report.json").read_text().replace('"schema": 1', '"schema": 2', 1))
    with pytest.raises(UsageError, match="that this version can read") as refused:
        open_bundle(newer)
    assert "schema: Input should be 1" in refused.value.detail
    for name, words in (
        ("absent", "There is no file"),
        ("pipe", "There is no file"),
        ("empty", "holds neither bundle.zip nor report.json"),
        ("text", "holds no report of a run that this version can read"),
    ):
        with pytest.raises(UsageError, match=words) as refused:
            open_bundle(tmp_path / name)
        assert refused.value.advice
    with pytest.raises(UsageError, match="holds no report"):
        open_bundle(older)
