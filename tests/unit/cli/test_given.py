"""What a row's report says that its result depends on."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.build.failure import FailedBuildError
from orchestrator.cli.failed_row import failed_row
from orchestrator.cli.given import asked_again, given_of, judged
from orchestrator.cli.parser import parse
from orchestrator.cli.run_context import Run
from orchestrator.cli.so_far import SoFar
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import FilePin, ImageUse, Pinned, RowReport, SourcePin, Verdict
from orchestrator.reproduce.bundle import open_bundle
from orchestrator.store.store import sha256_file
from orchestrator.wheel.read import read_wheel
from tests.support.command import run
from tests.support.tiny import tiny_recipe
from tests.support.wheels import make_wheel

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")


def test_what_was_asked_and_the_recipes_files(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    words = ("build", "--recipe", str(folder), "--variant", "cpu", "--version", "2.0", "--gpus", "all", "--stand-in")
    run_ = Run("a command")
    more = ("--engine", "aarch64=ssh://me@board", "--emulate", "--release")
    given = given_of("build", parse([*words, *more]), run_, load_recipe(str(folder), folder))
    assert (given.variant, given.version, given.gpus, given.policy) == ("cpu", "2.0", "all", "stand-in")
    assert (given.engines, given.emulate, given.release) == (("aarch64",), True, True)
    assert (given.recipe, [pin.path for pin in given.files]) == (str(folder), ["build.lock", "recipe.toml"])
    assert (given.source, given.wheel) == (None, None)
    assert run_.kept.recipes == {given.revision: folder}
    assert "board" not in given.model_dump_json()
    plain = given_of("build", parse(["build", "--recipe", str(folder)]), run_, load_recipe(str(folder), folder))
    assert (plain.variant, plain.version, plain.gpus, plain.policy) == (None, None, None, "auto")


def test_a_row_that_got_no_further_has_what_was_known(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    given = given_of("build", parse(["build"]), Run("a command"), load_recipe(str(folder), folder))
    so_far = SoFar(given)
    bare = so_far.of(failed_row(ROW, FailedBuildError("refused")))
    assert (bare.given, bare.images, bare.inputs) == (given, (), ())
    image = ImageUse(role="builder", reference="x", digest="sha256:1", origin="stand-in")
    source = SourcePin(kind="recipe", name="source", sha256="a" * 64)
    origin, pip = (Pinned(name=name, version="1", sha256="b" * 64) for name in ("tiny (source)", "pip"))
    so_far.images, so_far.inputs = (image,), (origin,)
    so_far.came_from(source)
    so_far.fetched([pip])
    whole = so_far.of(failed_row(ROW, FailedBuildError("failed")))
    assert whole.given == given.model_copy(update={"source": source})
    assert (whole.images, whole.inputs) == ((image,), (origin, pip))
    assert bare.pinned != whole.pinned


def test_what_the_store_answers_is_told_as_it_is_asked_for_now(tmp_path: Path) -> None:
    folder = tiny_recipe(tmp_path)
    recipe = load_recipe(str(folder), folder)
    then = given_of("build", parse(["build"]), Run("then"), recipe)
    then = then.model_copy(update={"wheel": FilePin(path="x.whl", sha256="a" * 64, size=1)})
    now = given_of("build", parse(["build", "--release", "--recipe", str(folder)]), Run("now"), recipe)
    report = asked_again(RowReport(row=ROW.id, verdict=Verdict.PASS, given=then), now)
    assert report.given == now.model_copy(update={"wheel": then.wheel})
    assert asked_again(RowReport(row=ROW.id, verdict=Verdict.PASS), now).given is None


def test_a_wheel_is_kept_for_the_bundle(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"demo/__init__.py": b""}, name="demo")
    run_ = Run("a command")
    given = judged(
        given_of("inspect", parse(["inspect", str(path)]), run_), read_wheel(path), run_, published="demo==1"
    )
    digest = sha256_file(path)
    assert given.wheel == FilePin(path=path.name, sha256=digest, size=path.stat().st_size)
    assert (given.published, run_.kept.wheels) == ("demo==1", {digest: path})


def test_an_inspection_that_fails_leaves_a_bundle_and_one_that_passes_none(tmp_path: Path) -> None:
    good = make_wheel(tmp_path, {"demo/__init__.py": b""}, name="demo")
    run("inspect", str(good), cwd=tmp_path).require(0)
    assert not (tmp_path / "reports" / "latest" / "bundle.zip").exists()
    (tmp_path / "bad").mkdir()
    bad = make_wheel(tmp_path / "bad", {"demo/__init__.py": b""}, name="demo", after_record={"demo/more.py": b""})
    done = run("inspect", str(bad), cwd=tmp_path).require(1)
    bundle = open_bundle(tmp_path / "reports" / "latest")
    (row,) = bundle.report.rows
    assert row.given is not None
    assert row.given.wheel is not None
    again = f"nox -s reproduce -- reports/{bundle.report.run}/bundle.zip --row demo/-/x86_64/cp311 --check J7"
    assert f"  Try again: {again} --pinned {row.pinned[:16]}" in done.out.splitlines()
    found = bundle.wheel(row.given.wheel.sha256, tmp_path / "taken")
    assert found is not None
    assert found.read_bytes() == bad.read_bytes()
    small = json.loads(run("inspect", str(bad), "--bundle-bytes", "10", "--json", cwd=tmp_path).require(1).out)
    lacking = open_bundle(tmp_path / "reports" / "latest")
    assert lacking.report.rows[0].pinned == row.pinned
    assert small["exit"] == 1
    assert lacking.wheel(row.given.wheel.sha256, tmp_path / "none") is None
    refused = run("inspect", str(bad), "--bundle-bytes", "much", cwd=tmp_path).require(2)
    assert "'much' is no size" in refused.err
