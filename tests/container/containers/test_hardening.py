"""Every property of a container's hardening, seen from inside."""

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits, Volume

pytestmark = pytest.mark.container


def inside(engine: Engine, image: str, script: str, limits: Limits | None = None, user: str = "1000:1000") -> str:
    """What the script prints in a fresh container."""
    work = engine.volume("test", row="test")
    result = engine.run(
        image=image, command=["/bin/sh", "-c", script], row="test", step="probe", work=work, user=user,
        limits=limits or Limits(seconds=30), capture=True,
    )  # fmt: skip
    assert result.exit == 0, result.output_tail
    return result.stdout.decode()


def test_runs_as_an_ordinary_user_without_any_capability(engine: Engine, runtime_image: str) -> None:
    printed = inside(engine, runtime_image, "id; cat /proc/self/status")
    assert "uid=1000" in printed
    assert "gid=1000" in printed
    status = dict(line.split(":", 1) for line in printed.splitlines() if ":" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"


def test_even_root_inside_has_no_capability(engine: Engine, runtime_image: str) -> None:
    printed = inside(engine, runtime_image, "id -u; grep CapBnd /proc/self/status", user="0:0")
    assert printed.splitlines()[0] == "0"
    assert int(printed.split("CapBnd:")[1], 16) == 0


def test_has_no_network_but_its_own_loopback(engine: Engine, runtime_image: str) -> None:
    printed = inside(engine, runtime_image, "ls /sys/class/net; cat /proc/net/route")
    assert printed.split()[0] == "lo"
    assert "eth" not in printed


def test_root_is_read_only_and_only_work_and_tmp_are_writable(engine: Engine, runtime_image: str) -> None:
    script = (
        "for place in / /etc /usr /var/tmp /opt /run /work /work/home /tmp; do"
        " if (: > $place/probe) 2>/dev/null; then echo $place yes; else echo $place no; fi; done; echo $HOME"
    )
    lines = inside(engine, runtime_image, script).split("\n")
    writable = {line.split()[0] for line in lines if line.endswith(" yes")}
    assert writable == {"/work", "/work/home", "/tmp"}
    assert "/work/home" in lines
    as_root = inside(engine, runtime_image, "(: > /etc/probe) 2>&1 || true", user="0:0")
    assert "Read-only file system" in as_root


def test_tmp_runs_programs_and_is_bounded(engine: Engine, runtime_image: str) -> None:
    script = (
        "printf '#!/bin/sh\\necho ran\\n' > /tmp/p; chmod +x /tmp/p; /tmp/p;"
        "head -c 20000000 /dev/zero 2>&1 > /tmp/big || true"
    )
    printed = inside(engine, runtime_image, script, Limits(seconds=30, tmp_bytes=8 << 20))
    assert printed.split("\n")[0] == "ran"
    assert "No space left" in printed


def test_memory_is_bounded_and_what_ended_it_is_told(engine: Engine, runtime_image: str, work: Volume) -> None:
    def fill(memory: int) -> tuple[int, bool]:
        result = engine.run(
            image=runtime_image, command=["/bin/sh", "-c", "head -c 100000000 /dev/zero > /tmp/big"],
            row="test", step="fill", work=work, limits=Limits(seconds=30, memory_bytes=memory),
        )  # fmt: skip
        return result.exit, result.oom_killed

    assert fill(32 << 20) == (137, True)
    assert fill(512 << 20) == (0, False)


def test_processes_are_bounded(engine: Engine, runtime_image: str, work: Volume) -> None:
    script = "i=0; while [ $i -lt 40 ]; do sleep 1 & i=$((i+1)); done"

    def spawn(pids: int) -> str:
        return engine.run(
            image=runtime_image, command=["/bin/sh", "-c", script], row="test", step="spawn", work=work,
            limits=Limits(seconds=30, pids=pids),
        ).output_tail  # fmt: skip

    assert "fork" in spawn(20)
    assert spawn(200) == ""


def test_host_network_is_there_only_when_asked_for(engine: Engine, runtime_image: str, work: Volume) -> None:
    result = engine.run(
        image=runtime_image, command=["cat", "/proc/net/dev"], row="test", step="net", work=work, network="host",
        limits=Limits(seconds=30), capture=True,
    )  # fmt: skip
    # The engine may be another machine: all that is sure is that its network is more than a loopback.
    assert len([line for line in result.stdout.decode().splitlines() if ":" in line]) > 1
