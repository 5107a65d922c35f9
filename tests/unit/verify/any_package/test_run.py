"""All CMake packages of a wheel, environment by environment: who is asked, and what is recorded of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.plan.rows import Row
from orchestrator.report.model import Verdict
from orchestrator.verify.any_package.contract import contract
from orchestrator.verify.any_package.found import FoundPackage, packages_of
from orchestrator.verify.any_package.run import Run, try_packages
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.answering import Answering, answering
from tests.support.answers import answer, step
from tests.support.wheels import make_wheel

OLD, PLAIN, NEW = "bookworm/cmake-3.18.0/make", "bookworm/cmake-3.24.3/make", "bookworm/cmake-4.4.5/ninja"
STOPPED = Answer((step(-9, timed_out=True),))


@pytest.fixture
def session(tmp_path: Path) -> Answering:
    members = {f"demo/lib/cmake/{name}/{name}-config.cmake": b"" for name in ("quick", "slow")}
    wheel = read_wheel(make_wheel(tmp_path, members, name="demo"))
    row = Row(recipe="-", variant="-", arch="x86_64", python="cp311")
    recipe = contract(wheel, row, packages_of(wheel), image="bookworm", own_python=False)
    found = {f"answers/{name}.txt": b"found\t1\n" for name in ("hinted", "debian", "rhel")}
    changes = {f"{package.id}-finding": answer(collected=found) for package in packages_of(wheel)}
    return answering(tmp_path, replace(StaticSubject(wheel, row), recipe=recipe), changes)


def ran(session: Answering, changes: dict[str, Answer]) -> DynamicResult:
    session.changes = {**session.changes, **changes}
    return Run(session, packages_of(session.subject.wheel)).all()


def said(result: DynamicResult, package: FoundPackage) -> list[tuple[str, str | None, Verdict, str]]:
    own = [one for one in result.checks if one.subject == package.config]
    return [(one.id, one.environment, one.verdict, one.reason) for one in own]


def test_a_package_whose_search_never_ends_is_asked_once(session: Answering) -> None:
    quick, slow = packages_of(session.subject.wheel)
    result = ran(session, {f"{slow.id}-finding": STOPPED})
    stopped = f"a configure that uses slow had to be stopped in {OLD}"
    assert said(result, slow) == [
        ("K6", OLD, Verdict.FAIL, "find_package(slow) does not end in CMake 3.18.0"),
        ("K6", PLAIN, Verdict.NOT_RUN, stopped),
        ("K6", NEW, Verdict.NOT_RUN, stopped),
    ]
    asked = {name: {id_ for id_ in probes if id_.startswith(slow.id)} for name, probes in session.asked}
    assert (bool(asked[OLD]), asked[PLAIN], asked[NEW]) == (True, set(), set())
    assert [verdict for id_, _, verdict, _ in said(result, quick) if id_ == "K6"] == [Verdict.PASS] * 3


def test_a_package_whose_project_never_generates_is_asked_no_more_by_newer_cmakes(session: Answering) -> None:
    _, slow = packages_of(session.subject.wheel)
    result = ran(session, {f"{slow.id}-foreign": STOPPED})
    verdicts = {(id_, environment): verdict for id_, environment, verdict, _ in said(result, slow)}
    assert verdicts == {
        ("K6", OLD): Verdict.PASS,
        ("K6", PLAIN): Verdict.PASS,
        ("K8", PLAIN): Verdict.FAIL,
        ("K6", NEW): Verdict.NOT_RUN,
    }


def test_where_every_package_was_stopped_no_container_is_started(session: Answering) -> None:
    packages = packages_of(session.subject.wheel)
    result = ran(session, {f"{package.id}-finding": STOPPED for package in packages})
    assert [name for name, _ in session.asked if "cmake" in name] == [OLD]
    assert len([one for one in result.checks if one.verdict is Verdict.NOT_RUN]) == 4


def test_packages_that_are_not_tried_have_a_record_each(session: Answering, tmp_path: Path) -> None:
    members = {"demo/a b-config.cmake": b"", "demo/${c}-config.cmake": b""}
    wheel = read_wheel(make_wheel(tmp_path, members, name="odd"))
    subject = replace(session.subject, wheel=wheel)
    engine, images, store = session.engine, session.images, session.store
    result = try_packages(engine, images, store, subject, policy=session.policy, logs=tmp_path, keep=False)
    assert [(one.id, one.subject, one.verdict) for one in result.checks] == [
        ("K6", "demo/${c}-config.cmake", Verdict.NOT_RUN),
        ("K6", "demo/a b-config.cmake", Verdict.NOT_RUN),
    ]
    assert all("whose name has other characters" in one.reason for one in result.checks)
