"""The steps of a build as the engine is asked for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.build.inputs import collect_inputs
from orchestrator.build.job import MEMORY_BYTES, Job, StoppedBeforeError, step_names
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult, Volume
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.rows import Row
from orchestrator.processor import cores
from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from orchestrator.store.target_python import TargetPython
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="aarch64", python="cp311")


class Asked:
    """Stands for an engine whose containers all succeed, and keeps what it was asked."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}
        self.put_into: list[str] = []

    def put(self, _volume: Volume, _tar: object, *, subpath: str) -> None:
        self.put_into.append(subpath)

    def run(self, *, step: str, **asked: Any) -> RunResult:
        self.steps[step] = asked
        return RunResult(
            exit=0, seconds=0.0, output_tail="", oom_killed=False, timed_out=False, stdout=b"", stdout_cut=False
        )

    def toolchain_volume(self, name: str, *_: object, **__: object) -> Volume:
        return Volume(name=name, kind="toolchain")

    def cache_volume(self, name: str) -> Volume:
        return Volume(name=name, kind="cache")


def asked(folder: Path, arch: str, cross: CrossBuild | None) -> dict[str, dict[str, Any]]:
    """What the steps of a build with a hook ask of the engine, in an image of that processor."""
    path = tiny_recipe(folder) / "recipe.toml"
    path.write_text(path.read_text().replace("minutes = 2", 'minutes = 2\nbefore = ["true"]'))
    store, engine = Store(folder / "store"), Asked()
    inputs = collect_inputs(store, load_recipe(str(path), folder), ROW, "sha256:1", cross=cross)
    image = ReadyImage("builder", "sha256:1", "stand-in", arch, "3.11")
    job = Job(cast(Engine, engine), inputs, image, Volume(name="w", kind="step"), folder, keep=False)
    job.prepare(store, ())
    job.compile()
    return engine.steps


@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_each_step_runs_in_an_image_of_the_builders_processor(tmp_path: Path, arch: str) -> None:
    """Without that word an engine refuses what it would have to emulate."""
    steps = asked(tmp_path, arch, None)
    assert {one["arch"] for one in steps.values()} == {arch}
    assert list(steps) == ["make environment", "install build dependencies", "freeze", "hook 1", "build wheel"]


def test_only_hooks_and_the_build_hear_of_another_processor(tmp_path: Path) -> None:
    python = TargetPython(python="3.11", arch="aarch64", sha256="aa" * 32, parts=(), store=Store(tmp_path / "none"))
    steps = asked(tmp_path, "x86_64", CrossBuild(host="x86_64", python=python))
    told = {name for name, one in steps.items() if one["env"].get("CC") == "aarch64-linux-gnu-gcc"}
    assert told == {"hook 1", "build wheel"}
    assert not any("CC" in one["env"] for name, one in steps.items() if name not in told)
    assert all(one["mounts"]["/opt/target-python"].name == "python-3.11-aarch64" for one in steps.values())


def _job(folder: Path, build: str = "minutes = 2", **how: Any) -> tuple[Job, Asked]:
    path = tiny_recipe(folder) / "recipe.toml"
    path.write_text(path.read_text().replace("minutes = 2", build))
    engine = Asked()
    inputs = collect_inputs(Store(folder / "store"), load_recipe(str(path), folder), ROW, "sha256:1")
    image = ReadyImage("builder", "sha256:1", "stand-in", "x86_64", "3.11")
    return Job(cast(Engine, engine), inputs, image, Volume(name="w", kind="step"), folder, keep=False, **how), engine


@pytest.mark.parametrize(
    ("build", "memory", "seconds"),
    [("minutes = 0.1", MEMORY_BYTES, 6.0), ('minutes = 2\nmemory = "200M"', 200 << 20, 120.0)],
)
def test_the_recipe_says_how_long_a_build_takes_and_how_much(
    tmp_path: Path, build: str, memory: int, seconds: float
) -> None:
    job, engine = _job(tmp_path, build)
    job.prepare(Store(tmp_path / "store"), ())
    job.compile()
    limits = engine.steps["build wheel"]["limits"]
    assert (limits.memory_bytes, limits.seconds) == (memory, seconds)
    assert engine.steps["freeze"]["limits"].seconds == 600


def test_so_many_compile_at_a_time_as_is_said_or_as_there_are_cores(tmp_path: Path) -> None:
    job, _ = _job(tmp_path / "all")
    assert job.env["CMAKE_BUILD_PARALLEL_LEVEL"] == str(cores())
    job, _ = _job(tmp_path / "some", jobs=64)
    assert job.env["CMAKE_BUILD_PARALLEL_LEVEL"] == "64"


def test_a_job_stops_before_the_step_that_is_named_with_what_it_works_on(tmp_path: Path) -> None:
    build = 'minutes = 2\nbefore = ["true", "false"]'
    job, engine = _job(tmp_path, build, until="hook 2")
    job.prepare(Store(tmp_path / "store"), ())
    with pytest.raises(StoppedBeforeError) as stopped:
        job.compile()
    assert stopped.value.step.command == ["/bin/sh", "-c", "false"]
    assert stopped.value.step.folder == "/work/source"
    assert stopped.value.step.env["TINY_VERSION"] == "1.0+cpu"
    assert list(engine.steps) == ["make environment", "install build dependencies", "freeze", "hook 1"]


def test_the_first_step_has_its_inputs_when_a_job_stops_before_it(tmp_path: Path) -> None:
    job, engine = _job(tmp_path, until="make environment")
    with pytest.raises(StoppedBeforeError):
        job.prepare(Store(tmp_path / "store"), ())
    assert {"source", "wheelhouse", "lock"} <= set(engine.put_into)
    assert not engine.steps


def test_steps_have_names_in_their_order_and_output_is_shown_from_one_of_them(tmp_path: Path) -> None:
    job, engine = _job(tmp_path, 'minutes = 2\nbefore = ["true"]', shown_from="hook 1")
    assert step_names(job.inputs.build)[-2:] == ("hook 1", "build wheel")
    job.prepare(Store(tmp_path / "store"), ())
    job.compile()
    assert [name for name in step_names(job.inputs.build) if name in engine.steps] == list(engine.steps)
    assert [name for name, one in engine.steps.items() if one["on_line"]] == ["hook 1", "build wheel"]
