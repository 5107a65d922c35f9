"""The container engine: what it is, which limits work, what lies on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.filesize import decimal

from orchestrator.cli.diagnosis.findings import Notice, Problem, ago, problem_of
from orchestrator.containers.failures import GPU_ADVICE
from orchestrator.containers.leftovers import Leftover, Why
from orchestrator.containers.survey import OLDEST_API, EngineSurvey, is_old
from orchestrator.errors import EngineError
from orchestrator.report.words import number

LEAST_FREE = 5_000_000_000
"""Bytes: a builder with its toolkit is unpacked on the engine, and a build's work volume lies beside it."""

_SKEW_SECONDS = 60.0
_NAMED = 5
"""How many leftovers are named to people; JSON has all."""

_DELEGATE = "for a rootless engine let systemd delegate it: systemctl edit user@.service, Delegate=memory pids cpu."

_NO_LIMIT = {
    "memory": (
        "a build or test that takes too much ends other programs, instead of being told as out of memory",
        f"Boot with 'cgroup_enable=memory swapaccount=1' where control groups lack it; {_DELEGATE}",
    ),
    "swap": (
        "what takes more than its memory may use the machine's swap, and be slow instead of ended",
        "Boot with 'swapaccount=1', or switch swap off: swapoff -a.",
    ),
    "processes": (
        "a test that starts processes without end takes the whole machine",
        f"The kernel needs CONFIG_CGROUP_PIDS; {_DELEGATE}",
    ),
    "cores": ("every container takes all cores", f"The kernel needs CONFIG_CFS_BANDWIDTH; {_DELEGATE}"),
}
"""What it means that a limit does not work, and what to do."""

_REMOVALS = {"container": "docker rm --force --volumes", "volume": "docker volume rm"}

_LEFT: Mapping[Why, tuple[str, str]] = {
    "dead": (
        "of processes that are dead",
        "The next command that needs containers removes them; at once: {commands}",
    ),
    "elsewhere": (
        "of another machine, older than a day: whether its process lives cannot be seen from here",
        "If nothing runs there: {commands}",
    ),
    "kept": (
        "kept by --keep",
        "When you have seen what is in them: {commands}",
    ),
}


@dataclass(frozen=True, kw_only=True)
class EngineFacts:
    """The engine that answers; `gpus` says by what containers get GPUs.

    `cgroups` is the version of control groups, `limits` which limits of containers work; memory in bytes, of the
    engine's machine; `free` bytes on its disk, None where that is not this machine's; `ahead` seconds that its clock
    is before ours.
    """

    name: str
    version: str
    api: str
    address: str
    arch: str
    gpus: str | None
    cgroups: str
    limits: Mapping[str, bool]
    cores: int
    memory: int
    root: str
    free: int | None
    ahead: float | None
    left: tuple[Leftover, ...]


def engine_facts(found: EngineSurvey) -> EngineFacts:
    """What a survey tells, and the room on the engine's disk where that is ours."""
    info, state = found.info, found.state
    here = info.address.startswith("unix://") and bool(state.root) and Path(state.root).is_dir()
    return EngineFacts(
        name=info.name,
        version=info.version,
        api=info.api,
        address=info.address,
        arch=info.arch,
        gpus=found.gpus,
        cgroups=state.cgroups,
        limits=state.limits,
        cores=state.cores,
        memory=state.memory,
        root=state.root,
        free=shutil.disk_usage(state.root).free if here else None,
        ahead=state.ahead,
        left=found.left,
    )


def engine_problems(found: EngineSurvey, facts: EngineFacts) -> Iterator[Problem]:
    """What must be repaired before the engine is of use."""
    if is_old(found.info):
        oldest = ".".join(map(str, OLDEST_API))
        yield problem_of(
            EngineError(
                f"The engine speaks version {facts.api} of its API; the oldest with all that is needed is {oldest}.",
                advice="Install Docker 20.10 or newer, or Podman 4 or newer, or let DOCKER_HOST name another engine.",
            )
        )
    if facts.free is not None and facts.free < LEAST_FREE:
        yield problem_of(
            EngineError(
                f"The engine's disk is nearly full: {decimal(facts.free)} are free at '{facts.root}'.",
                advice="'docker system df' shows what fills it; 'nox -s images -- prune' removes this project's "
                "images, toolchains and caches that no run uses.",
            )
        )


def engine_notices(facts: EngineFacts, *, need: int, gpus: int | None) -> Iterator[Notice]:
    """What of the engine may stand in the way; `need` is a row's memory in bytes, `gpus` this machine's."""
    for name, (meaning, advice) in _NO_LIMIT.items():
        if not facts.limits.get(name, True):
            yield Notice(kind="engine", message=f"The engine cannot limit {name}: {meaning}.", advice=advice)
    if 0 < facts.memory < need:
        yield Notice(
            kind="memory",
            message=f"The engine's machine has {decimal(facts.memory)} of memory; a row needs up to {decimal(need)}.",
            advice="Give the engine's machine more, or let DOCKER_HOST name another engine.",
        )
    if gpus and not facts.gpus and facts.free is not None:
        yield Notice(
            kind="gpu",
            message=f"This machine has {number(gpus, 'GPUs')}, and the engine gives containers none.",
            advice=GPU_ADVICE,
        )
    if facts.ahead is not None and abs(facts.ahead) > _SKEW_SECONDS:
        how = "ahead of" if facts.ahead > 0 else "behind"
        yield Notice(
            kind="clock",
            message=f"The engine's clock is {ago(abs(facts.ahead))} {how} this machine's.",
            advice="Let both ask a time server ('timedatectl set-ntp true'): certificates, ages and times in reports "
            "depend on it.",
        )
    for why in _LEFT:
        if left := [one for one in facts.left if one.why == why]:
            yield _left_notice(why, left)


def _left_notice(why: Why, left: Sequence[Leftover]) -> Notice:
    whose, advice = _LEFT[why]
    size = sum(one.size or 0 for one in left)
    named = "\n".join(map(_told, left[:_NAMED]))
    more = f"\nand {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    kinds = {kind: [one.name for one in left if one.kind == kind] for kind in _REMOVALS}
    counts = " and ".join(number(len(names), f"{kind}s") for kind, names in kinds.items() if names)
    commands = "; ".join(
        f"{_REMOVALS[kind]} {' '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
        for kind, names in kinds.items()
        if names
    )
    taken = f", {decimal(size)}" if size else ""
    return Notice(
        kind="leftover",
        message=f"On the engine {'lie' if len(left) > 1 else 'lies'} {counts} {whose}{taken}:\n{named}{more}",
        advice=advice.format(commands=commands),
    )


def _told(one: Leftover) -> str:
    age = f", {ago(one.age)} old" if one.age is not None else ""
    size = f", {decimal(one.size)}" if one.size else ""
    of = f" of run {one.run}" + (f", row {one.row}" if one.row else "") + (f", step {one.step}" if one.step else "")
    return f"{one.kind} {one.name}{age}{size}{of if one.run else ''}"
