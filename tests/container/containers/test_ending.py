"""Whatever ends a run, nothing of it stays; and nothing of others goes."""

import os
import secrets
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits
from orchestrator.containers.owner import LABEL, LABEL_KIND, LABEL_OWNER, LABEL_RUN, Owner
from orchestrator.errors import EngineError

pytestmark = pytest.mark.container

_CHILD = textwrap.dedent("""
    import sys
    from orchestrator.containers.engine import Engine

    with Engine.connect(sys.argv[1]) as engine:
        work = engine.volume("work", row="row")
        try:
            engine.run(image=sys.argv[2], command=["/bin/sh", "-c", "trap '' TERM HUP; echo up; sleep 300 & wait"],
                       row="row", step="step", work=work, on_line=lambda line: print(line, flush=True))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            raise
""")


@contextmanager
def child(run: str, image: str) -> Iterator["subprocess.Popen[str]"]:
    """A process whose container has said that it is up."""
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD, run, image], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "up\n"
            yield process
        finally:
            process.kill()


def containers(engine: Engine, run: str, **more: Any) -> list[dict[str, Any]]:
    return list(engine._session.api.containers(filters={"label": f"{LABEL_RUN}={run}"}, **more))


def volumes(engine: Engine, run: str) -> list[str]:
    found = engine._session.api.volumes(filters={"label": f"{LABEL_RUN}={run}"})["Volumes"] or []
    return [volume["Name"] for volume in found]


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


@pytest.fixture
def run() -> str:
    return f"test-{secrets.token_hex(4)}"


def test_a_killed_client_takes_its_container_along(engine: Engine, runtime_image: str, run: str) -> None:
    with child(run, runtime_image) as process:
        assert len(containers(engine, run)) == 1
        process.kill()
        killed = time.monotonic()
        assert wait_until(lambda: not containers(engine, run), 5), "the container outlived its client"
        assert time.monotonic() - killed < 1
        process.wait()
        assert len(volumes(engine, run)) == 1
    # What is left, stopped, goes when the next one connects.
    with Engine.connect() as another:
        assert len(another.reaped.volumes) >= 1
        assert not containers(engine, run, all=True)
        assert not volumes(engine, run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_client_leaves_nothing(
    engine: Engine, runtime_image: str, run: str, number: signal.Signals
) -> None:
    with child(run, runtime_image) as process:
        process.send_signal(number)
        out, errors = process.communicate(timeout=30)
        assert out == "interrupted\n", errors
        assert process.returncode != 0
        assert not containers(engine, run, all=True)
        assert not volumes(engine, run)


def test_a_second_interrupt_does_not_cut_the_cleaning_short(engine: Engine, runtime_image: str, run: str) -> None:
    with child(run, runtime_image) as process:
        for _ in range(6):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            if process.poll() is not None:
                break
        process.communicate(timeout=20)
        assert not containers(engine, run, all=True)
        assert not volumes(engine, run)


def test_an_error_leaves_nothing(runtime_image: str, run: str) -> None:
    def fail() -> None:
        with Engine.connect(run) as engine:
            engine.volume("work", row="row")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with Engine.connect() as engine:
        assert not volumes(engine, run)


def test_only_what_a_dead_owner_of_this_host_made_is_reaped(engine: Engine) -> None:
    api = engine._session.api
    me = Owner.current()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as gone:
        dead_owner = Owner.of_process(gone.pid)
        gone.kill()
    parent = Owner.of_process(os.getppid())
    owners = {
        "dead": str(dead_owner),
        "reused": str(replace(me, start=me.start + 1)),
        "booted": str(replace(me, boot="0-0")),
        "alive": str(parent),
        "elsewhere": str(replace(dead_owner, host="elsewhere")),
        "elsewhere-booted": str(replace(dead_owner, host="elsewhere", boot="0-0")),
        "malformed": "x|y",
    }
    tag = secrets.token_hex(4)
    names = {what: f"wo-test-{tag}-{what}" for what in (*owners, "foreign", "lasting")}
    try:
        for what, owner in owners.items():
            api.create_volume(names[what], labels={LABEL_OWNER: owner, LABEL_KIND: "step"})
        api.create_volume(names["foreign"], labels={"com.example.owner": str(dead_owner)})
        api.create_volume(names["lasting"], labels={LABEL_KIND: "cache"})
        reaped = engine.reap()
        assert {name for name in reaped.volumes if tag in name} == {
            names[what] for what in ("dead", "reused", "booted")
        }
        left = {volume["Name"] for volume in api.volumes(filters={"name": f"wo-test-{tag}"})["Volumes"]}
        assert left == {
            names[what] for what in ("alive", "elsewhere", "elsewhere-booted", "malformed", "foreign", "lasting")
        }
    finally:
        for name in names.values():
            engine._session.remove_volume(name)


def test_every_container_and_volume_says_whose_it_is(engine: Engine, runtime_image: str) -> None:
    work = engine.volume("work", row="a/b/c/d")
    seen: list[dict[str, str]] = []
    engine.run(
        image=runtime_image, command=["/bin/sh", "-c", "echo up; sleep 0.5"], row="a/b/c/d", step="build", work=work,
        on_line=lambda _: seen.extend(one["Labels"] for one in containers(engine, engine.run_id)),
    )  # fmt: skip
    expected = {
        f"{LABEL}.run": engine.run_id,
        f"{LABEL}.row": "a/b/c/d",
        f"{LABEL}.step": "build",
        f"{LABEL}.kind": "container",
        f"{LABEL}.owner": str(Owner.current()),
    }
    assert expected.items() <= seen[0].items()
    labels = engine._session.api.inspect_volume(work.name)["Labels"]
    assert labels == {**expected, f"{LABEL}.step": "work", f"{LABEL}.kind": "step"}


def test_a_step_that_starts_after_the_end_is_refused_and_leaves_nothing(runtime_image: str, run: str) -> None:
    with Engine.connect(run) as engine:
        work = engine.volume("work", row="row")
        engine._session.closing.set()
        with pytest.raises(EngineError, match="run ended while a step was starting"):
            engine.run(image=runtime_image, command=["true"], row="r", step="s", work=work)
        with pytest.raises(EngineError, match="run ended while a step was starting"):
            engine.volume("more", row="row")
        assert not containers(engine, run, all=True)
        assert volumes(engine, run) == [work.name]


def test_what_is_kept_stays_and_can_be_entered(runtime_image: str, run: str) -> None:
    with Engine.connect(run) as engine:
        work = engine.volume("work", row="row")
        result = engine.run(
            image=runtime_image, command=["/bin/sh", "-c", "echo evidence > found; exit 3"], row="row", step="step",
            work=work, keep=True, limits=Limits(seconds=30),
        )  # fmt: skip
        again = engine.run(
            image=runtime_image, command=["true"], row="row", step="step", work=work, keep=True,
            limits=Limits(seconds=30),
        )  # fmt: skip
        assert result.exit == 3
        assert again.kept == result.kept is not None
        assert engine.enter_command(result.kept) == f"docker start -ai {result.kept}"
    with Engine.connect() as engine:
        api = engine._session.api
        try:
            assert volumes(engine, run) == [work.name]
            assert engine.read(work, "found") == b"evidence\n"
            described = api.inspect_container(result.kept)
            assert described["State"]["Status"] == "created"
            assert described["HostConfig"]["ReadonlyRootfs"]
            assert described["HostConfig"]["NetworkMode"] == "none"
        finally:
            engine._session.remove_container(result.kept)
            engine.remove_volume(work)
