"""One published wheel: fetched by its hash, inspected, and tried in containers where it has a CMake package."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.inspecting import judge_any, try_in_containers
from orchestrator.cli.wheel_argument import row_of
from orchestrator.cli.workshop import Workshop
from orchestrator.plan.select import interpreter_tag
from orchestrator.processor import native_arch
from orchestrator.report.model import RowReport
from orchestrator.store.fetch import fetch
from orchestrator.store.locks import Requirement
from orchestrator.store.pip import NEWEST_GLIBC, Target
from orchestrator.store.store import Store
from orchestrator.verify.any_package.found import packages_of
from orchestrator.wheel.read import read_wheel
from tests.corpus.compare import differences
from tests.corpus.expected import Expected


@dataclass(frozen=True)
class Judged:
    """What came of one wheel: how it differs from what is known, and the wall-clock seconds."""

    expected: Expected
    report: RowReport
    different: tuple[str, ...]
    seconds: float


def fetched(store: Store, expected: Expected) -> Path:
    """The wheel's file under its own name.

    Raises:
        FetchError: it cannot be had, or has another hash.
    """
    wanted = Requirement(name=expected.name, version=expected.version, hashes=(expected.sha256,))
    target = Target(python=expected.python, arch=expected.arch, glibc=NEWEST_GLIBC)
    (artefact,) = fetch(store, [wanted], target, what=expected.title, verify=True)
    return store.named(artefact.sha256, artefact.filename)


def judge(shop: Workshop, expected: Expected, logs: Path) -> Judged:
    """Judge one wheel and compare.

    Raises:
        EngineError: the engine refuses or goes away.
        FetchError: the wheel, or CMake, cannot be had.
    """
    path = fetched(shop.store, expected)
    started = time.perf_counter()
    wheel = read_wheel(path)
    row = row_of(wheel, arch=expected.arch, python=interpreter_tag(expected.python))
    report = judge_any(wheel, row)
    if expected.arch == native_arch() and packages_of(wheel):
        report = try_in_containers(shop, wheel, row, report, logs)
    return Judged(expected, report, differences(expected, report), time.perf_counter() - started)
