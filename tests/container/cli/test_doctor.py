"""`doctor` on a real engine and a real disk: what is left, what is full; and it changes nothing."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.owner import LABEL_KIND, LABEL_OWNER, LABEL_ROW, LABEL_RUN, Owner
from orchestrator.containers.survey import survey
from tests.support.command import Ended, run

pytestmark = pytest.mark.container

DEAD = str(dataclasses.replace(Owner.current(), start=1))
"""This process's number at another time."""


@pytest.fixture
def stale(engine: Engine, runtime_image: str) -> Iterator[str]:
    """A volume of a dead process, which a container of this one holds, so that nobody removes it meanwhile."""
    session = engine._session
    name = f"wheel-orchestrator-test-{secrets.token_hex(4)}"
    labels = {LABEL_KIND: "step", LABEL_RUN: name, LABEL_ROW: "tiny/cpu/x86_64/cp311", LABEL_OWNER: DEAD}
    session.api.create_volume(name, labels=labels)
    created = session.api.create_container(
        runtime_image,
        ["/bin/sh", "-c", "head -c 300000 /dev/zero >/held/file; exec sleep 300"],
        user="0:0",
        labels=session.labels("container"),
        host_config=session.api.create_host_config(network_mode="none", binds=[f"{name}:/held"]),
    )
    try:
        session.api.start(created["Id"])
        yield name
    finally:
        session.remove_container(str(created["Id"]))
        session.remove_volume(name)


def doctor(folder: Path, *options: str, code: int = 0, env: dict[str, str] | None = None) -> Any:
    done: Ended = run("doctor", "--json", *options, cwd=folder, env=env).require(code)
    return json.loads(done.out)


def test_a_stale_volume_is_named_with_its_run_and_size_and_stays(engine: Engine, stale: str, tmp_path: Path) -> None:
    found = doctor(tmp_path)
    (left,) = (one for one in found["engine"]["left"] if one["name"] == stale)
    assert (left["kind"], left["why"], left["run"], left["row"]) == ("volume", "dead", stale, "tiny/cpu/x86_64/cp311")
    assert 0 <= left["age"] < 600
    assert left["size"] >= 300_000
    (notice,) = (one for one in found["notices"] if one["kind"] == "leftover" and "dead" in one["message"])
    assert f"docker volume rm {stale}" in notice["advice"] or " more" in notice["message"]
    assert engine._session.api.inspect_volume(stale)["Name"] == stale


def test_a_stale_container_is_named_until_somebody_removes_it(engine: Engine, runtime_image: str) -> None:
    session = engine._session
    for _ in range(20):
        labels = session.labels("container", row="a-row", step="a-step") | {LABEL_OWNER: DEAD}
        made = str(session.api.create_container(runtime_image, ["/bin/true"], labels=labels)["Id"])
        name = session.api.inspect_container(made)["Name"].lstrip("/")
        left = survey([]).left
        session.remove_container(made)
        if any(one.name == name for one in left):
            break  # no command that began meanwhile was faster
    else:
        raise AssertionError("it was never told")
    (found,) = (one for one in left if one.name == name)
    assert (found.kind, found.why, found.row, found.step) == ("container", "dead", "a-row", "a-step")
    assert name not in [one.name for one in survey([]).left]


def test_what_living_processes_have_is_not_left(engine: Engine) -> None:
    volume = engine.volume("test", row="test")
    assert volume.name not in [one.name for one in survey([]).left]


def test_limits_clock_and_room_are_the_engines(engine: Engine) -> None:
    state = survey([]).state
    told = engine._session.api.info()
    assert (state.cgroups, state.root) == (told["CgroupVersion"], told["DockerRootDir"])
    assert state.memory == told["MemTotal"]
    assert state.limits["memory"] is told["MemoryLimit"]
    assert state.ahead is not None
    assert abs(state.ahead) < 60


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_small_disk_is_nearly_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], check=True)
    try:
        found = doctor(tmp_path, code=5, env={"WHEEL_ORCHESTRATOR_STORE": str(disk / "store")})
        messages = [one["message"] for one in found["problems"]]
        assert f"The disk of the store '{disk / 'store'}' is nearly full." in messages
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_registry_that_does_not_answer_is_told_by_the_engine(engine: Engine) -> None:
    heard = survey([], ask=["registry.invalid/a:1"]).registries
    assert heard["registry.invalid/a:1"]
    assert survey([]).registries == {}
