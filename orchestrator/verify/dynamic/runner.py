"""Runs a batch of probes inside a container: `python3 runner.py BATCH.json OUTPUT-FOLDER`.

Standard library only, Python 3.9 or newer, because it is copied into containers that have nothing
else.  It judges nothing: it runs every step with its own deadline and process group, in a clean
environment, and writes down how each ended.  A tool that is missing is an answer with no exit
status, never one with status 0.

Exit status: 0 if every probe has an answer, whatever the answers are; 2 for a batch that cannot be
read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

Raw = dict[str, Any]

TAIL_BYTES = 64 * 1024
"""How much of each output stream is kept: its end, where errors are."""

MOST_STOPPED = 4
"""How many processes may have to be stopped in a batch before nothing more is tried for who asks."""

COLLECT_BYTES = 512 * 1024 * 1024
"""Largest file that is collected: programs with static archives and debug information are large."""

MEMORY_EVENTS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
"""Where the kernel counts what it killed for the container's memory limit: control groups of version 2, and 1."""

KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR", "CCACHE_BASEDIR")
"""All that a step inherits: no search paths, no compiler flags, no CMake or Python settings."""


def clean_environment() -> dict[str, str]:
    """The environment of every step."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    kept.update(LC_ALL="C.UTF-8", LANG="C.UTF-8", TERM="dumb")
    return kept


def read_tail(stream: Any) -> str:
    """The end of a spooled output stream."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - TAIL_BYTES))
    text: str = stream.read().decode("utf-8", "replace")
    return (f"[... {size - TAIL_BYTES} bytes before]\n" if size > TAIL_BYTES else "") + text


def memory_kills() -> int:
    """How many processes the kernel has killed for the container's limit (line `oom_kill`); 0 where it does not say."""
    for path in MEMORY_EVENTS:
        with contextlib.suppress(OSError, ValueError):
            counts = dict(line.split(None, 1) for line in Path(path).read_text(encoding="ascii").splitlines())
            return int(counts.get("oom_kill", 0))
    return 0


def kill_group(pid: int) -> None:
    """End every process that a step started and that stayed in its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def never_ran(step: Raw, error: str) -> Raw:
    """The answer of a step that could not be started."""
    return {
        "argv": step["argv"],
        "exit": None,
        "seconds": 0.0,
        "stdout": "",
        "stderr": "",
        "timed_out": False,
        "memory_kills": 0,
        "error": error,
    }


def run_step(step: Raw, folder: Path) -> Raw:
    """Run one process to its end or its deadline."""
    started, killed = time.monotonic(), memory_kills()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                step["argv"],
                cwd=folder / step["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=clean_environment(),
                start_new_session=True,
            )
        except OSError as error:
            return never_ran(step, f"cannot start {step['argv'][0]}: {error.strerror or error}")
        except ValueError as error:  # a word with a NUL in it, or one that is no UTF-8
            return never_ran(step, f"cannot start {step['argv'][0]}: {error}")
        timed_out = False
        try:
            process.wait(timeout=step["seconds"])
        except subprocess.TimeoutExpired:
            timed_out = True
        kill_group(process.pid)  # stragglers too: a step ends with all that it started
        process.wait()
        return {
            "argv": step["argv"],
            "exit": process.returncode,
            "seconds": round(time.monotonic() - started, 3),
            "stdout": read_tail(out),
            "stderr": read_tail(err),
            "timed_out": timed_out,
            "memory_kills": memory_kills() - killed,
            "error": "",
        }


def collect(patterns: list[str], folder: Path, target: Path) -> str | None:
    """Copy the files that match, keeping their paths below the probe's folder; the first that is too large."""
    large: str | None = None
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if not path.is_file():
                continue
            if path.stat().st_size > COLLECT_BYTES:
                large = large or str(path.relative_to(folder))
                continue
            copy = target / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    return large


def run_probe(probe: Raw, target: Path, stopped: Counter[str]) -> list[Raw]:
    """Write the probe's files, run its steps, collect what it made.

    `stopped` counts the processes that had to be stopped, by who asks: a package that never ends would have each of
    a hundred probes wait for its deadline, and all of them for the container's.
    """
    folder = Path(probe["folder"])
    asker = probe["id"].partition("/")[0]
    answers: list[Raw] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in probe["files"].items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        failed: str | None = None
        for step in probe["steps"]:
            if failed is not None and not step["always"]:
                answers.append(never_ran(step, failed))
                continue
            if stopped[asker] >= MOST_STOPPED:
                answers.append(never_ran(step, f"not tried: {MOST_STOPPED} others had to be stopped at their deadline"))
                continue
            answer = run_step(step, folder)
            answers.append(answer)
            stopped[asker] += answer["timed_out"]
            if answer["exit"] != 0 or answer["timed_out"]:
                failed = f"not tried: '{' '.join(step['argv'])}' failed before"
        large = collect(probe["collect"], folder, target)
        if large and succeeded(answers):  # who reads an answer that is good counts on its files
            why = f"{large} is larger than {COLLECT_BYTES >> 20} MiB, and was not taken out of the container"
            answers[-1] = never_ran(probe["steps"][-1], why)
    except OSError as error:
        answers += [never_ran(step, f"the probe broke: {error}") for step in probe["steps"][len(answers) :]]
    return answers


def run_batch(batch: Raw, output: Path) -> dict[str, list[Raw]]:
    """Run all probes on all cores, each after those that it names; give every probe an answer."""
    probes: list[Raw] = batch["probes"]
    places = {probe["id"]: index for index, probe in enumerate(probes)}
    answers: dict[str, list[Raw]] = {}
    ended: dict[str, bool] = dict(batch["known"])
    waiting = list(probes)
    running: dict[Future[list[Raw]], str] = {}
    stopped: Counter[str] = Counter()
    with ThreadPoolExecutor(batch["jobs"] or len(os.sched_getaffinity(0))) as pool:
        while waiting or running:
            blocked: list[Raw] = []
            for probe in waiting:
                unmet = [name for name in probe["after"] if name not in places and name not in ended]
                failed = [name for name in probe["after"] if not ended.get(name, True)]
                if unmet or failed:
                    name = (unmet or failed)[0].partition("/")[2]  # who asks is known to who reads
                    why = f"no probe '{name}'" if unmet else f"not tried: '{name}' failed before"
                    answers[probe["id"]] = [never_ran(step, why) for step in probe["steps"]]
                    ended[probe["id"]] = False
                elif all(name in ended or name not in places for name in (*probe["after"], *probe["behind"])):
                    target = output / "collected" / str(places[probe["id"]])
                    running[pool.submit(run_probe, probe, target, stopped)] = probe["id"]
                else:
                    blocked.append(probe)
            moved = len(blocked) < len(waiting)
            waiting = blocked
            if running:
                done: set[Future[list[Raw]]] = wait(running, return_when=FIRST_COMPLETED).done
                for future in done:
                    name = running.pop(future)
                    answers[name] = future.result()
                    ended[name] = succeeded(answers[name])
            elif waiting and not moved:
                for probe in waiting:
                    answers[probe["id"]] = [
                        never_ran(step, "the probes wait for each other") for step in probe["steps"]
                    ]
                waiting = []
    return answers


def succeeded(steps: list[Raw]) -> bool:
    """Whether every step exited with 0 by itself."""
    return bool(steps) and all(step["exit"] == 0 and not step["timed_out"] for step in steps)


def main(argv: list[str]) -> int:
    """Run the batch that the first argument names; write into the folder that the second names."""
    try:
        batch = json.loads(Path(argv[1]).read_text(encoding="utf-8"))
        output = Path(argv[2])
        output.mkdir(parents=True, exist_ok=True)
    except (IndexError, OSError, ValueError) as error:
        sys.stderr.write(f"runner: cannot read the batch: {error}\n")
        return 2
    answers = run_batch(batch, output)
    aside = output / ".answers"
    aside.write_text(json.dumps(answers), encoding="utf-8")
    aside.replace(output / "answers.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
