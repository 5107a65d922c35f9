"""K6, K7 and K8 again: what is asked for one of them, in one environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import UsageError
from orchestrator.plan.rows import Row
from orchestrator.report.model import Verdict
from orchestrator.verify.any_package.again import trial
from orchestrator.verify.any_package.contract import contract
from orchestrator.verify.any_package.found import FoundPackage, packages_of
from orchestrator.verify.any_package.run import open_session
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.answering import Answering, answering
from tests.support.answers import answer
from tests.support.wheels import make_wheel

OLD, NEW = "bookworm/cmake-3.18.0/make", "bookworm/cmake-4.4.5/ninja"
CONFIG = "demo/lib/cmake/demo/demo-config.cmake"
ID = FoundPackage("demo", CONFIG, "demo").id
HINTED = b"found\t1\npath\tdemo::demo\tIMPORTED_LOCATION\tabsent\t/gone\n"


@pytest.fixture
def session(tmp_path: Path) -> Answering:
    wheel = read_wheel(make_wheel(tmp_path, {CONFIG: b"", "demo/__init__.py": b""}, name="demo"))
    row = Row(recipe="-", variant="-", arch="x86_64", python="cp311")
    recipe = contract(wheel, row, packages_of(wheel), image="bookworm", own_python=True)
    found = {f"answers/{name}.txt": b"found\t1\n" for name in ("debian", "rhel")}
    changes = {f"{ID}-finding": answer(collected={**found, "answers/hinted.txt": HINTED})}
    return answering(tmp_path, replace(StaticSubject(wheel, row), recipe=recipe), changes)


@pytest.mark.parametrize(
    ("check", "environment", "asked", "said"),
    [
        ("K6", OLD, {"finding"}, [("K6", Verdict.PASS, "inspected 2 searches")]),
        ("K6", NEW, {"finding", "bogus"}, [("K6", Verdict.PASS, "inspected 2 searches")]),
        ("K7", NEW, {"finding"}, [("K7", Verdict.FAIL, "IMPORTED_LOCATION names what does not exist")]),
        ("K7", OLD, {"finding"}, []),
        (
            "K8",
            NEW,
            {"finding", "own", "foreign", "none"},
            [("K8", Verdict.NOT_RUN, "the package hands out paths that do not exist: see K7")],
        ),
    ],
)
def test_a_check_asks_only_what_it_is_about(
    session: Answering, check: str, environment: str, asked: set[str], said: list[tuple[str, Verdict, str]]
) -> None:
    found = trial(session, check, environment)
    found.judge()
    assert [(one.id, one.verdict, one.reason) for one in found.result().checks] == said
    assert {one.environment for one in found.result().checks} <= {environment}
    ids = [id_ for name, probes in session.asked for id_ in probes if name == environment]
    assert set(ids) == {"data", *(f"{ID}-{one}" for one in asked)}
    assert [one.name for one in found.steps()][-1].rpartition("/")[2] in {"configure", "configure-2", "run-2"}


def test_a_wheel_without_cmake_package_is_refused(session: Answering, tmp_path: Path) -> None:
    wheel = read_wheel(make_wheel(tmp_path, {"plain/__init__.py": b""}, name="plain"))
    with pytest.raises(UsageError, match=r"plain-1\.0-.*\.whl has no CMake package that can be tried"):
        open_session(
            session.engine,
            session.images,
            session.store,
            replace(session.subject, wheel=wheel),
            policy=session.policy,
            logs=tmp_path,
            keep=False,
        )


def test_without_answers_k6_says_so_for_each_package(session: Answering) -> None:
    session.silent = True
    found = trial(session, "K6", NEW)
    found.judge()
    (record,) = found.result().checks
    assert (record.verdict, record.subject, record.reason) == (
        Verdict.NOT_RUN,
        CONFIG,
        "the container was stopped at its deadline",
    )


def test_unknown_words_are_refused_with_the_known_ones(session: Answering) -> None:
    with pytest.raises(UsageError, match="No check of any CMake package is called 'G1'") as refused:
        trial(session, "G1", NEW)
    assert "Known: K6, K7, K8." in refused.value.advice
    with pytest.raises(UsageError, match="CMake packages are not tried in 'trixie'") as refused:
        trial(session, "K6", "trixie")
    assert NEW in refused.value.advice
