"""The engine: what follows from what it tells of itself."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.diagnosis import engine as module
from orchestrator.cli.diagnosis.engine import engine_facts, engine_notices, engine_problems
from orchestrator.cli.diagnosis.findings import Notice
from orchestrator.containers.leftovers import Leftover
from orchestrator.containers.model import EngineInfo
from orchestrator.containers.survey import EngineSurvey, engine_state
from orchestrator.errors import EngineError

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
GB = 1_000_000_000
TOLD: dict[str, Any] = {
    "CgroupVersion": "2", "MemoryLimit": True, "SwapLimit": True, "PidsLimit": True, "CpuCfsQuota": True,
    "NCPU": 4, "MemTotal": 16 * GB, "DockerRootDir": "/nowhere", "SystemTime": "2026-06-01T12:00:01.123456789Z",
}  # fmt: skip
INFO = EngineInfo(name="docker", version="28.2", api="1.50", arch="x86_64", address="unix:///run/docker.sock")
LEFT = Leftover(
    kind="volume", name="wo-a", why="dead", run="r1", row="tiny/cpu/x86_64/cp311", step="build", age=7300.0, size=2048
)


def survey(
    told: dict[str, Any] | None = None, info: EngineInfo = INFO, left: tuple[Leftover, ...] = ()
) -> EngineSurvey:
    state = engine_state(TOLD | (told or {}), NOW)
    return EngineSurvey(info=info, gpus=None, images=frozenset(), state=state, left=left, registries={})


def notices(found: EngineSurvey, *, need: int = GB, gpus: int | None = None) -> list[Notice]:
    return list(engine_notices(engine_facts(found), need=need, gpus=gpus))


def test_an_engine_that_has_all_is_told_and_has_nothing_to_note() -> None:
    facts = engine_facts(survey())
    assert (facts.cgroups, facts.cores, facts.memory, facts.free) == ("2", 4, 16 * GB, None)
    assert facts.ahead == pytest.approx(1.123456)
    assert notices(survey()) == []
    assert list(engine_problems(survey(), facts)) == []


@pytest.mark.parametrize(
    ("api", "old"), [("1.40", True), ("1.9", True), ("1.41", False), ("1.50", False), ("2.0", False)]
)
def test_an_api_that_is_too_old(api: str, old: bool) -> None:
    found = survey(info=dataclasses.replace(INFO, api=api))
    problems = list(engine_problems(found, engine_facts(found)))
    assert bool(problems) is old
    if old:
        assert f"version {api} of its API; the oldest with all that is needed is 1.41" in problems[0].message
        assert problems[0].exit_code == EngineError.exit_code
        assert "Docker 20.10" in problems[0].advice


@pytest.mark.parametrize(
    ("key", "name"),
    [("MemoryLimit", "memory"), ("SwapLimit", "swap"), ("PidsLimit", "processes"), ("CpuCfsQuota", "cores")],
)
def test_a_limit_that_does_not_work(key: str, name: str) -> None:
    (notice,) = notices(survey({key: False}))
    assert notice.message.startswith(f"The engine cannot limit {name}: ")
    assert notice.advice


def test_too_little_memory_for_a_row() -> None:
    (notice,) = notices(survey(), need=17 * GB)
    assert notice.message == "The engine's machine has 16.0 GB of memory; a row needs up to 17.0 GB."


@pytest.mark.parametrize(("seconds", "how"), [(120, "2 minutes ahead of"), (-7300, "2 hours behind")])
def test_a_clock_that_is_wrong(seconds: float, how: str) -> None:
    (notice,) = notices(survey({"SystemTime": (NOW + timedelta(seconds=seconds)).isoformat()}))
    assert notice.message == f"The engine's clock is {how} this machine's."
    assert notices(survey({"SystemTime": None})) == []


def test_a_full_disk_of_the_engine_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = survey({"DockerRootDir": str(tmp_path)})
    facts = engine_facts(found)
    assert facts.free is not None
    monkeypatch.setattr(module, "LEAST_FREE", 0)
    assert list(engine_problems(found, facts)) == []
    monkeypatch.setattr(module, "LEAST_FREE", 1 << 62)
    (problem,) = engine_problems(found, facts)
    assert problem.message.endswith(f"are free at '{tmp_path}'.")
    assert "docker system df" in problem.advice


def test_gpus_that_containers_do_not_get(tmp_path: Path) -> None:
    here = survey({"DockerRootDir": str(tmp_path)})
    (notice,) = notices(here, gpus=2)
    assert notice.message == "This machine has 2 GPUs, and the engine gives containers none."
    assert "nvidia-ctk" in notice.advice
    assert notices(here, gpus=None) == notices(survey(), gpus=2) == []
    assert notices(dataclasses.replace(here, gpus="CDI devices"), gpus=2) == []


def test_leftovers_are_named_with_age_size_and_what_to_do() -> None:
    container = dataclasses.replace(LEFT, kind="container", name="wo-c", size=None, age=90.0, step="")
    kept = dataclasses.replace(LEFT, name="wo-kept", why="kept")
    dead, left = notices(survey(left=(LEFT, container, kept)))
    assert dead.message == (
        "On the engine lie 1 container and 1 volume of processes that are dead, 2.0 kB:\n"
        "volume wo-a, 2 hours old, 2.0 kB of run r1, row tiny/cpu/x86_64/cp311, step build\n"
        "container wo-c, 1 minute old of run r1, row tiny/cpu/x86_64/cp311"
    )
    assert dead.advice == (
        "The next command that needs containers removes them; at once: docker rm --force --volumes wo-c; "
        "docker volume rm wo-a"
    )
    assert left.message.startswith("On the engine lies 1 volume kept by --keep, 2.0 kB:")
    many = notices(survey(left=tuple(dataclasses.replace(LEFT, name=f"wo-{number}") for number in range(7))))
    assert many[0].message.splitlines()[-1] == "and 2 more"
    assert many[0].advice.endswith("wo-4 …")
