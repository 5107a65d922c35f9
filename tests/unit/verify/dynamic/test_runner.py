"""The runner, with real processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic import runner
from orchestrator.verify.dynamic.batch import RUNNER
from orchestrator.verify.dynamic.probe import Answers, Asked, Probe, Step, batch_json, read_answers

PYTHON = sys.executable


def py(code: str, *, seconds: float = 20, always: bool = False) -> Step:
    return Step((PYTHON, "-c", code), seconds, always=always)


def run(folder: Path, probes: Sequence[Probe], env: dict[str, str] | None = None, patience: int = 1) -> Answers:
    """Run the script as a container does: a process of its own, a file in, a folder out."""
    folder.mkdir(exist_ok=True)
    asked = (Asked("here", str(folder / "probes"), tuple(probes)),)
    (folder / "batch.json").write_bytes(batch_json(asked, patience=patience))
    command = [PYTHON, str(RUNNER), str(folder / "batch.json"), str(folder / "output")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **(env or {})})
    assert done.returncode == 0, done.stderr
    output = folder / "output"
    files = {f"output/{p.relative_to(output)}": p.read_bytes() for p in output.rglob("*") if p.is_file()}
    return read_answers(tar_of(files), asked)["here"]


def test_exit_and_output_are_told(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    answer = run(tmp_path, [Probe("one", {}, (py(code),))])["one"]
    (step,) = answer.steps
    assert (step.exit, step.stdout, step.stderr, step.ok) == (3, "out\n", "err\n", False)
    assert not answer.ok
    assert answer.failed is step


def test_a_missing_tool_has_no_exit_status(tmp_path: Path) -> None:
    (step,) = run(tmp_path, [Probe("one", {}, (Step(("no-such-tool",)),))])["one"].steps
    assert step.exit is None
    assert not step.ok
    assert step.ending == "cannot start no-such-tool: No such file or directory"


def test_a_word_that_no_process_takes_is_an_answer_and_the_rest_is_asked(tmp_path: Path) -> None:
    answers = run(tmp_path, [Probe("odd", {}, (Step(("true", "a\0b"), 5),)), Probe("one", {}, (py("print(1)"),))])
    (step,) = answers["odd"].steps
    assert (step.ok, step.exit, step.ending) == (False, None, "cannot start true: embedded null byte")
    assert answers["one"].ok


def test_a_step_that_hangs_ends_with_all_that_it_started(tmp_path: Path) -> None:
    late = "import time, pathlib; time.sleep(2); pathlib.Path('late').touch()"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {late!r}]); time.sleep(60)"
    began = time.monotonic()
    (step,) = run(tmp_path, [Probe("one", {}, (py(code, seconds=1),))])["one"].steps
    assert step.timed_out
    assert not step.ok
    assert "stopped at its deadline" in step.ending
    assert time.monotonic() - began < 15
    time.sleep(1.5)
    assert not (tmp_path / "probes/one/late").exists()


def test_what_never_ends_is_not_waited_for_a_hundred_times(tmp_path: Path) -> None:
    endless = [Probe(f"endless-{n}", {}, (py("import time; time.sleep(60)", seconds=0.3),)) for n in range(30)]
    began = time.monotonic()
    answers = run(tmp_path, [*endless, Probe("after", {}, (py("print(1)"),), behind=tuple(p.id for p in endless))])
    assert time.monotonic() - began < 20
    steps = [answers[probe.id].steps[0] for probe in endless]
    stopped = [step for step in steps if step.timed_out]
    assert runner.MOST_STOPPED <= len(stopped) < 30 // 2
    said = f"not tried: {runner.MOST_STOPPED} others had to be stopped at their deadline"
    assert {step.ending for step in steps if not step.timed_out} == {said}
    assert answers["after"].steps[0].ending == said
    few = [*endless[: runner.MOST_STOPPED - 1], Probe("after", {}, (py("print(1)"),), behind=("endless-0",))]
    assert run(tmp_path / "few", few)["after"].ok


def test_under_emulation_a_deadline_is_longer(tmp_path: Path) -> None:
    slow = Probe("one", {}, (py("import time; time.sleep(1.5)", seconds=0.5),))
    answers = [run(tmp_path / f"{patience}", [slow], patience=patience)["one"] for patience in (1, 20)]
    assert [answer.steps[0].timed_out for answer in answers] == [True, False]
    assert answers[1].ok


def test_a_crash_is_a_signal(tmp_path: Path) -> None:
    (step,) = run(tmp_path, [Probe("one", {}, (py("import os; os.abort()"),))])["one"].steps
    assert (step.ok, step.ran, step.ending) == (False, False, "killed by signal 6")


def test_steps_after_a_failure_are_not_tried_unless_always(tmp_path: Path) -> None:
    probe = Probe("one", {}, (py("raise SystemExit(1)"), py("print(1)"), py("print(2)", always=True)))
    first, second, third = run(tmp_path, [probe])["one"].steps
    assert (first.exit, second.exit, third.stdout) == (1, None, "2\n")
    assert second.ending.startswith("not tried: ")


def test_probes_wait_for_those_they_stand_on(tmp_path: Path) -> None:
    slow = Probe("slow", {}, (py("import time, pathlib; time.sleep(0.5); pathlib.Path('made').write_text('x')"),))
    after = Probe("after", {}, (py("print(open('../slow/made').read())"),), after=("slow",))
    assert run(tmp_path, [after, slow])["after"].steps[0].stdout == "x\n"


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (("bad",), "not tried: 'bad' failed before"),
        (("nowhere",), "no probe 'nowhere'"),
        (("one",), "wait for each other"),
    ],
)
def test_a_probe_that_cannot_start_is_answered(tmp_path: Path, after: tuple[str, ...], why: str) -> None:
    probes = [Probe("one", {}, (py("print(1)"),), after=after), Probe("bad", {}, (Step(("no-such-tool",)),))]
    (step,) = run(tmp_path, probes)["one"].steps
    assert step.exit is None
    assert why in step.ending


def test_files_are_written_and_collected(tmp_path: Path) -> None:
    code = "import pathlib; pathlib.Path('build/x.json').write_bytes(b'made'); pathlib.Path('other').touch()"
    probe = Probe("one", {"build/in.txt": "text"}, (py(code),), collect=("build/*",))
    assert run(tmp_path, [probe])["one"].collected == {"build/in.txt": b"text", "build/x.json": b"made"}


def test_a_probe_whose_file_is_too_large_to_be_taken_out_is_no_good_answer(tmp_path: Path) -> None:
    code = f"open('app', 'wb').truncate({runner.COLLECT_BYTES} + 1)"
    answer = run(tmp_path, [Probe("one", {}, (py("print(1)"), py(code)), collect=("app",))])["one"]
    assert not answer.ok
    assert answer.steps[0].ok
    assert answer.failed is answer.steps[1]
    assert answer.steps[1].ending == "app is larger than 512 MiB, and was not taken out of the container"
    left = run(tmp_path / "left", [Probe("one", {}, (py(code),))])["one"]
    assert left.ok


def test_nothing_is_inherited_that_changes_what_tools_find(tmp_path: Path) -> None:
    dirty = {"LD_LIBRARY_PATH": "/x", "PYTHONPATH": "/x", "CMAKE_PREFIX_PATH": "/x", "CXXFLAGS": "-O9", "CPATH": "/x"}
    probe = Probe("one", {}, (py("import os, json; print(json.dumps(dict(os.environ)))"),))
    (step,) = run(tmp_path, [probe], env=dirty)["one"].steps
    assert set(json.loads(step.stdout)) <= {*runner.KEPT_VARIABLES, "LC_ALL", "LANG", "TERM"}


def test_long_output_is_cut_at_its_beginning(tmp_path: Path) -> None:
    (step,) = run(tmp_path, [Probe("one", {}, (py("print('x' * 200000 + 'end')"),))])["one"].steps
    assert len(step.stdout) < 70_000
    assert step.stdout.startswith("[... 134468 bytes before]")
    assert step.stdout.endswith("end\n")


def test_a_batch_that_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "batch.json").write_text("{")
    assert runner.main(["runner", str(tmp_path / "batch.json"), str(tmp_path / "out")]) == 2
    assert "cannot read the batch" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_behind_another_starts_when_that_ended_however_it_ended(tmp_path: Path) -> None:
    late = py("import pathlib; print(pathlib.Path('../first/made').exists())")
    slow = py("import pathlib, time; time.sleep(0.5); pathlib.Path('made').touch(); raise SystemExit(3)")
    probes = [Probe("late", {}, (late,), behind=("first", "not asked")), Probe("first", {}, (slow,))]
    answers = run(tmp_path, probes)
    assert not answers["first"].ok
    assert answers["late"].steps[0].stdout == "True\n"


@pytest.mark.parametrize(
    ("text", "kills"),
    [
        ("low 0\noom 3\noom_kill 2\n", 2),
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", 1),
        ("nonsense", 0),
        (None, 0),
    ],
)
def test_what_the_kernel_killed_for_memory_is_counted_by_either_kind_of_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, kills: int
) -> None:
    if text is not None:
        (tmp_path / "events").write_text(text)
    monkeypatch.setattr(runner, "MEMORY_EVENTS", (str(tmp_path / "absent"), str(tmp_path / "events")))
    assert runner.memory_kills() == kills


def test_a_process_that_was_killed_by_another_did_not_run_out_of_memory(tmp_path: Path) -> None:
    (step,) = run(tmp_path, [Probe("one", {}, (py("import os; os.kill(os.getpid(), 9)"),))])["one"].steps
    assert (step.ending, step.out_of_memory) == ("killed by signal 9", False)
