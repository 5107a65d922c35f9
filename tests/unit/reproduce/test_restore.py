"""Each input is had by its hash, or told as a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import FetchError, UsageError
from orchestrator.report.model import Given, RowReport, SourcePin
from orchestrator.reproduce.bundle import open_bundle
from orchestrator.reproduce.pins import code_digest
from orchestrator.reproduce.restore import Instead, Restoring, refuse
from orchestrator.store.store import Store, sha256_file
from tests.support.bundles import FailedRun, failed_run


@pytest.fixture
def run(tmp_path: Path) -> FailedRun:
    return failed_run(tmp_path / "there")


def restoring(
    run: FailedRun, folder: Path, instead: Instead | None = None, *, bundled: bool = True, **given: object
) -> Restoring:
    """From the bundle, or from the report alone; `given` says what else the row was given."""
    bundle = run.bundle()
    if not bundled:
        bundle.unlink()
    path = bundle if bundled else run.folder / "report.json"
    then = run.given.model_copy(update=given)
    row = run.row.model_copy(update={"given": then})
    target = folder / "restored"
    target.mkdir()
    return Restoring(open_bundle(path), row, then, Store(folder / "store"), target, instead or Instead())


def told(one: Restoring) -> list[tuple[str, str]]:
    return [(difference.kind, difference.name) for difference in one.differences]


def test_the_tools_own_code_is_held_against_what_ran(run: FailedRun, tmp_path: Path) -> None:
    other = restoring(run, tmp_path)
    other.tool()
    (difference,) = other.differences
    assert (difference.kind, difference.wanted, difference.found) == ("tool", "c" * 64, code_digest())
    with pytest.raises(
        FetchError, match=r"cannot be had as it was:\n +tool code: was c{64}, is [0-9a-f]{64}\n"
    ) as refused:
        refuse("r", other.differences, closest=False)
    assert "--closest" in refused.value.advice
    refuse("r", other.differences, closest=True)
    (tmp_path / "restored").rmdir()
    same = restoring(run, tmp_path, code=code_digest())
    same.tool()
    assert same.differences == []
    refuse("r", same.differences, closest=False)


def test_recipe_and_source_come_out_of_the_bundle_alone(run: FailedRun, tmp_path: Path) -> None:
    one = restoring(run, tmp_path)
    run.recipe.rename(tmp_path / "gone")
    recipe = one.recipe()
    assert recipe is not None
    assert recipe.folder.is_relative_to(tmp_path / "restored")
    assert one.source(recipe) is None
    assert (recipe.folder / "source" / "tiny.c").is_file()
    assert one.differences == []


def test_a_recipe_that_changed_is_told_file_by_file(run: FailedRun, tmp_path: Path) -> None:
    (run.recipe / "build.lock").write_text("# other\n")
    (run.recipe / "policy.toml").write_text("")
    one = restoring(run, tmp_path, bundled=False)
    recipe = one.recipe()
    assert told(one) == [("recipe", "build.lock"), ("recipe", "policy.toml")]
    assert one.differences[1].wanted == "none"
    (run.recipe / "source" / "tiny.c").write_text("int other;\n")
    assert recipe is not None
    one.source(recipe)
    assert told(one)[2:] == [("source", "source")]


def test_a_recipe_that_is_gone_is_asked_for(run: FailedRun, tmp_path: Path) -> None:
    one = restoring(run, tmp_path, bundled=False)
    run.recipe.rename(tmp_path / "gone")
    with pytest.raises(FetchError, match=r"is not here, and there is only a report, no bundle\.") as refused:
        one.recipe()
    assert "--recipe NAME|PATH" in refused.value.advice


def test_another_recipe_and_another_source_may_stand_in(run: FailedRun, tmp_path: Path) -> None:
    other = failed_run(tmp_path / "other", lock=b"# other\n")
    source = other.recipe / "source"
    one = restoring(run, tmp_path, Instead(recipe=str(other.recipe), source=source))
    recipe = one.recipe()
    assert recipe is not None
    assert recipe.folder == other.recipe
    assert told(one) == [("recipe", "build.lock")]
    assert one.source(recipe) == source
    assert told(one) == [("recipe", "build.lock")]  # the tree is the same
    (source / "tiny.c").write_text("int other;\n")
    one.source(recipe)
    assert told(one) == [("recipe", "build.lock"), ("source", "source")]


def test_a_checkout_that_was_given_is_in_the_bundle_or_where_it_was(run: FailedRun, tmp_path: Path) -> None:
    own = run.given.source
    assert own is not None
    pin = SourcePin(kind="folder", name=str(run.recipe / "source"), sha256=own.sha256, size=own.size)
    one = restoring(run, tmp_path, source=pin)
    recipe = one.recipe()
    assert recipe is not None
    folder = one.source(recipe)
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "restored")
    assert one.differences == []
    (tmp_path / "restored").rename(tmp_path / "before")
    bare = restoring(run, tmp_path, bundled=False, source=pin)
    assert bare.source(recipe) == run.recipe / "source"
    assert bare.differences == []
    (tmp_path / "restored").rmdir()
    lost = restoring(run, tmp_path, bundled=False, source=pin.model_copy(update={"name": "/nowhere"}))
    assert lost.source(recipe) is None
    (difference,) = lost.differences
    assert (difference.kind, difference.found) == ("source", "none")
    assert "--source DIR" in difference.fix


def test_the_wheel_comes_from_the_bundle_the_store_or_a_person(run: FailedRun, tmp_path: Path) -> None:
    pin = run.given.wheel
    assert pin is not None
    one = restoring(run, tmp_path)
    path = one.wheel()
    assert path is not None
    assert path.name == pin.path
    assert sha256_file(path) == pin.sha256
    assert one.differences == []
    (tmp_path / "restored").rename(tmp_path / "before")
    bare = restoring(run, tmp_path, bundled=False)
    with pytest.raises(FetchError, match="neither in the bundle nor in the store") as refused:
        bare.wheel()
    assert "--wheel FILE" in refused.value.advice
    bare.store.add_file(run.wheel)
    stored = bare.wheel()
    assert stored is not None
    assert stored.name == pin.path
    other = tmp_path / "other.whl"
    other.write_bytes(b"PK")
    (tmp_path / "restored").rmdir()
    instead = restoring(run, tmp_path, Instead(wheel=other), bundled=False)
    assert instead.wheel() == other
    assert told(instead) == [("wheel", pin.path)]
    renamed = tmp_path / "renamed.whl"
    renamed.write_bytes(run.wheel.read_bytes())
    (tmp_path / "restored").rmdir()
    named = restoring(run, tmp_path, Instead(wheel=renamed), bundled=False)
    path = named.wheel()
    assert path is not None
    assert (path.name, path.read_bytes(), told(named)) == (pin.path, run.wheel.read_bytes(), [])
    with pytest.raises(UsageError, match="no wheel file"):
        Restoring(
            instead.bundle, run.row, run.given, instead.store, tmp_path, Instead(wheel=tmp_path / "none.whl")
        ).wheel()


def test_a_wheel_that_was_built_here_is_to_be_built_again(run: FailedRun, tmp_path: Path) -> None:
    assert restoring(run, tmp_path, bundled=False, verb="build").wheel() is None


def test_gpus_and_engines_of_then_must_be_named_again(run: FailedRun, tmp_path: Path) -> None:
    one = restoring(run, tmp_path, gpus="all", engines=("aarch64",))
    one.gpus("device=1")
    one.engines(["aarch64"])
    assert one.differences == []
    one.gpus(None)
    one.engines([])
    assert told(one) == [("gpus", "--gpus"), ("engine", "aarch64")]
    assert "--engine aarch64=ADDRESS" in one.differences[1].fix


def test_a_row_without_a_recipe_needs_none(run: FailedRun, tmp_path: Path) -> None:
    given = Given(verb="inspect", code="c" * 64, wheel=run.given.wheel)
    row = RowReport(row="tiny/-/x86_64/cp311", verdict=run.row.verdict, given=given)
    one = Restoring(open_bundle(run.bundle()), row, given, Store(tmp_path / "store"), tmp_path)
    assert one.recipe() is None
    assert one.wheel() is not None
