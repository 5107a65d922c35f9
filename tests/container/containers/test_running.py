"""Commands to their end: exit statuses, deadlines, output."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.helper import helper_archive
from orchestrator.containers.model import Limits, RunResult, Volume
from orchestrator.errors import EngineError
from orchestrator.tarstream import tar_of

pytestmark = pytest.mark.container

Script = Callable[..., RunResult]


@pytest.fixture
def shell(engine: Engine, runtime_image: str, work: Volume) -> Script:
    def run(script: str, seconds: float = 30, **more: Any) -> RunResult:
        return engine.run(
            image=runtime_image, command=["/bin/sh", "-c", script], row="test", step="script", work=work,
            limits=Limits(seconds=seconds), **more,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("script", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -SEGV $$", 139)])
def test_exit_status_is_the_commands_own(shell: Script, script: str, status: int) -> None:
    result = shell(script)
    assert (result.exit, result.timed_out, result.oom_killed) == (status, False, False)


def test_a_command_that_does_not_exist_says_so(engine: Engine, runtime_image: str, work: Volume) -> None:
    result = engine.run(image=runtime_image, command=["no-such-program"], row="r", step="s", work=work)
    assert result.exit == 127
    assert "no-such-program" in result.output_tail


def test_arguments_arrive_as_they_are(engine: Engine, runtime_image: str, work: Volume) -> None:
    command = ["printf", "[%s]", "a b", "$HOME", "", "'\"*", "-n"]
    result = engine.run(image=runtime_image, command=command, row="r", step="s", work=work, capture=True)
    assert result.stdout == b"[a b][$HOME][]['\"*][-n]"


def test_the_command_meets_no_child_that_it_did_not_start_and_no_input(shell: Script) -> None:
    result = shell('read -r children < /proc/$$/task/$$/children; echo "[$children]"; cat; echo end', capture=True)
    assert result.stdout.decode().split() == ["[]", "end"]


def test_deadline_ends_everything_inside(shell: Script) -> None:
    begin = time.monotonic()
    result = shell("trap '' TERM; (trap '' TERM; sleep 300) & echo started; sleep 300 & wait; wait", seconds=1)
    assert result.timed_out
    assert result.exit != 0
    assert "started" in result.output_tail
    assert time.monotonic() - begin < 30


def test_background_processes_end_with_the_command(shell: Script) -> None:
    result = shell("sleep 300 & echo done")
    assert (result.exit, result.output_tail) == (0, "done")
    assert result.seconds < 5


def test_a_command_that_closes_its_output_still_runs_to_its_end(shell: Script) -> None:
    result = shell("exec >&- 2>&-; sleep 2; exit 5")
    assert result.exit == 5
    assert result.seconds > 1.5


def test_output_goes_live_to_screen_and_file(shell: Script, tmp_path: Path) -> None:
    times: dict[str, float] = {}
    log = tmp_path / "logs" / "step.log"
    result = shell(
        "echo first; echo warn >&2; sleep 1.5; printf 'caf\\351\\nlast'", log=log,
        on_line=lambda line: times.setdefault(line, time.monotonic()), capture=True,
    )  # fmt: skip
    assert set(times) == {"first", "warn", "caf\ufffd", "last"}
    assert times["last"] - times["first"] > 1
    assert log.read_bytes().endswith(b"caf\xe9\nlast")
    assert result.stdout == b"first\ncaf\xe9\nlast"
    assert "warn" in result.output_tail


def test_much_output_is_neither_lost_nor_kept(shell: Script) -> None:
    result = shell("i=0; while [ $i -lt 30000 ]; do echo line $i; i=$((i+1)); done", capture=True)
    assert result.stdout.count(b"\n") == 30000
    assert result.output_tail.splitlines()[-1] == "line 29999"
    assert len(result.output_tail.splitlines()) == 200


def test_an_error_of_the_caller_ends_the_container(engine: Engine, shell: Script) -> None:
    def refuse(_line: str) -> None:
        raise LookupError("the screen is gone")

    with pytest.raises(LookupError):
        shell("echo one; sleep 300", on_line=refuse)
    assert not engine._session.api.containers(all=True, filters={"label": f"io.wheel-orchestrator.run={engine.run_id}"})


def test_several_threads_run_at_once(shell: Script) -> None:
    results: list[int] = []
    threads = [threading.Thread(target=lambda n=n: results.append(shell(f"exit {n}").exit)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 1, 2, 3]


def test_inputs_lie_where_they_were_asked_for_and_belong_to_the_user(shell: Script) -> None:
    result = shell(
        "pwd; stat -c '%u:%g %n' in in/sub in/sub/data . ; cat in/sub/data; touch in/sub/new here",
        inputs={"job/in": tar_of({"sub/data": b"content\n"})}, workdir="/work/job", capture=True,
    )  # fmt: skip
    assert result.exit == 0, result.output_tail
    assert result.stdout.decode().split("\n")[0] == "/work/job"
    assert result.stdout.decode().count("1000:1000") == 4
    assert "content" in result.output_tail


def test_a_missing_image_is_named_and_nothing_is_pulled(engine: Engine, work: Volume) -> None:
    with pytest.raises(EngineError, match=r"does not have the image no\.such/image:1 \(step 'build'\)") as caught:
        engine.run(image="no.such/image:1", command=["true"], row="r", step="build", work=work)
    assert "'images' session" in caught.value.advice


def test_an_image_for_another_processor_is_refused(engine: Engine, work: Volume) -> None:
    foreign = "aarch64" if engine.info.arch == "x86_64" else "x86_64"
    # The same tiny image under another name.
    archive = helper_archive(foreign).replace(b"wheel-orchestrator/helper:1", b"wheel-orchestrator/foreig:1")
    (reference,) = engine.images.load([archive])
    try:
        with pytest.raises(EngineError, match=f"is for {foreign}, the engine runs on {engine.info.arch}"):
            engine.run(image=reference, command=["true"], row="r", step="s", work=work)
    finally:
        engine.images.remove(reference)


HAS_GPU = Path("/dev/nvidiactl").exists()


@pytest.mark.skipif(HAS_GPU, reason="this machine has a GPU")
def test_an_engine_without_gpus_says_what_it_lacks(shell: Script) -> None:
    with pytest.raises(EngineError, match="cannot give GPUs to containers \\(starting step 'script'\\)") as caught:
        shell("true", gpus="all")
    assert "NVIDIA Container Toolkit" in caught.value.advice
    assert caught.value.detail


@pytest.mark.skipif(not HAS_GPU, reason="this machine has no GPU")
def test_a_gpu_is_seen_inside(shell: Script) -> None:
    done = shell("nvidia-smi --list-gpus", gpus="all")
    assert (done.exit, done.output_tail[:4]) == (0, "GPU ")
