"""The steps of a build as the engine is asked for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.build.inputs import collect_inputs
from orchestrator.build.job import Job
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult, Volume
from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from orchestrator.store.target_python import TargetPython
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="aarch64", python="cp311")


class Asked:
    """Stands for an engine whose containers all succeed, and keeps what it was asked."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, Any]] = {}

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
