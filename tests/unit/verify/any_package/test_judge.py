"""K7 and K8 of a wheel without a recipe, by what CMake answered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.verify.any_package.ask import DATA, FOREIGN, NONE, pythons
from orchestrator.verify.any_package.found import FoundPackage
from orchestrator.verify.any_package.judge import generates, paths
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.outcome import Outcome
from tests.support.answers import answer, make_context, step

PACKAGE = FoundPackage("demo", "x/lib/cmake/demo/demo-config.cmake", "x")
THERE = "path\tdemo::demo\tIMPORTED_LOCATION\tthere\t/w/site/x/lib/libdemo.so\n"
ABSENT = "path\tdemo::demo\tIMPORTED_LOCATION\tabsent\t/w/site/x/lib/libgone.so\n"
LINKED = "linked\tdemo::demo\n"
UNLINKABLE = "unlinkable\tdemo::inner\tnowhere::there\n"
GENERATED = answer(collected={"answers/linked.txt": LINKED.encode()})
STOPPED = answer(1, stderr="CMake Error: IMPORTED_LOCATION not set for imported target demo::demo")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    found = make_context(tmp_path)
    assert pythons(found) == (FOREIGN, NONE)
    return found


def asked(told: str, linked: Mapping[str, Answer] | None = None) -> dict[str, Answer]:
    """Answers of a package that is found and tells this; `linked` are those of projects that end otherwise."""
    found = {"install": answer(), DATA: answer()}
    found[f"{PACKAGE.id}-finding"] = answer(collected={"answers/hinted.txt": f"found\t1\n{told}".encode()})
    for python in (FOREIGN, NONE):
        hidden = (step(),) if python == NONE else ()
        ended = (linked or {}).get(python, GENERATED)
        found[f"{PACKAGE.id}-{python}"] = Answer((*hidden, *ended.steps), ended.collected)
    return found


def test_k7_names_each_path_that_does_not_exist(context: Context) -> None:
    assert paths(context, asked(THERE), PACKAGE) == Outcome(1, "paths of targets and variables")
    outcome = paths(context, asked(THERE + ABSENT), PACKAGE)
    assert outcome is not None
    (fault,) = outcome.faults
    assert (fault.subject, fault.reason) == ("demo, demo::demo", "IMPORTED_LOCATION names what does not exist")
    assert fault.evidence == ("/w/site/x/lib/libgone.so",)


def test_k7_leaves_to_the_system_what_was_computed_from_it(tmp_path: Path) -> None:
    python = "path\tdemo::demo\tINTERFACE_INCLUDE_DIRECTORIES\tabsent\t/usr/include/python3.11\n"
    plain = make_context(tmp_path)
    outcome = paths(plain, asked(THERE + python), PACKAGE)
    assert outcome is not None
    said = "is a path of the system, not of this wheel, and is not there"
    assert outcome.not_run == f"/usr/include/python3.11 {said}"
    assert generates(plain, asked(THERE + python), PACKAGE) == Outcome(2, "projects")
    says = answer(1, stderr='Imported target "demo::demo" includes non-existent path "/usr/include/python3.11"')
    ended = generates(plain, asked(THERE + python, {FOREIGN: says, NONE: says}), PACKAGE)
    assert ended.not_run == "the package hands out paths of the system that are not there: see K7"
    for path, text in (
        ("/usr/include/python3.11", b'set(inc "/usr/include/python3.11")'),
        ("/opt/built/include", b""),
        ("/lib/libdemo.so", b'get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../../../../../.." ABSOLUTE)'),
    ):
        baked = make_context(tmp_path, names=("x/lib/libdemo.so",), texts={PACKAGE.config: text})
        found = paths(baked, asked(THERE + python.replace("/usr/include/python3.11", path)), PACKAGE)
        assert found is not None
        assert [fault.evidence for fault in found.faults] == [(path,)]
    longer = make_context(tmp_path, texts={PACKAGE.config: b'set(other "/usr/include/python3.11-config")'})
    assert paths(longer, asked(THERE + python), PACKAGE) == outcome


def test_k7_leaves_to_requirements_what_only_they_can_bring(tmp_path: Path) -> None:
    def outcome(path: str, *requires: str) -> Outcome | None:
        needing = make_context(tmp_path, names=("x/__init__.py", "nvidia/mine/a.h"), requires=requires)
        told = f"path\tdemo::demo\tIMPORTED_LOCATION\tabsent\t{needing.places.site}/{path}\n"
        return paths(needing, asked(told), PACKAGE)

    for path in ("other/lib/libgone.so", "nvidia/cu13/lib/libgone.so", "lib/libgone.so"):
        left = outcome(path, "other")
        assert left is not None
        assert left.not_run is not None
        assert left.not_run.endswith("is not of this wheel; what it requires may bring it: other")
        alone = outcome(path)
        assert alone is not None
        assert alone.faults
    own = outcome("x/lib/libgone.so", "other")
    assert own is not None
    assert [fault.reason for fault in own.faults] == ["IMPORTED_LOCATION names what does not exist"]


def test_k8_is_left_to_k6_where_finding_ends_with_an_error(context: Context) -> None:
    told = answer(1, collected={"answers/hinted.txt": f"found\t1\n{THERE}".encode()})
    outcome = generates(context, asked(THERE) | {f"{PACKAGE.id}-finding": told}, PACKAGE)
    assert outcome.not_run == "find_package(demo) does not end well everywhere: see K6"


def test_k7_is_not_asked_of_a_package_without_paths_and_not_run_without_a_package(context: Context) -> None:
    assert paths(context, asked(""), PACKAGE) is None
    unfound = asked("") | {f"{PACKAGE.id}-finding": answer(collected={"answers/hinted.txt": b"found\t0\n"})}
    for judge in (paths, generates):
        outcome = judge(context, unfound, PACKAGE)
        assert outcome is not None
        assert outcome.not_run == "CMake does not find the package: see K6"


def test_k8_is_a_project_a_python(context: Context) -> None:
    assert generates(context, asked(THERE), PACKAGE) == Outcome(2, "projects")
    (fault,) = generates(context, asked(THERE, {NONE: STOPPED}), PACKAGE).faults
    assert fault.reason == "a project that links its targets does not generate with no Python"
    assert any("IMPORTED_LOCATION not set" in line for line in fault.evidence)
    both = generates(context, asked(THERE, {NONE: STOPPED, FOREIGN: STOPPED}), PACKAGE)
    assert [one.reason.rpartition(" with ")[2] for one in both.faults] == ["another Python", "no Python"]


def test_k8_leaves_paths_to_k7_and_needs_to_the_user(context: Context) -> None:
    absent = generates(context, asked(ABSENT, {NONE: STOPPED}), PACKAGE)
    assert absent.not_run == "the package hands out paths that do not exist: see K7"
    needy = answer(1, stderr="Could NOT find CUDAToolkit (missing: CUDAToolkit_ROOT)")
    excused = generates(context, asked(THERE, {FOREIGN: needy}), PACKAGE)
    assert excused.not_run == "it needs the CMake package CUDAToolkit, which is not there or was not asked for"
    python = answer(1, stderr="Could NOT find Python (missing: Interpreter)")
    (fault,) = generates(context, asked(THERE, {NONE: python}), PACKAGE).faults
    assert fault.reason.endswith("with no Python")


def test_k8_tells_targets_that_nobody_can_link(context: Context) -> None:
    some = answer(collected={"answers/linked.txt": (LINKED + UNLINKABLE).encode()})
    outcome = generates(context, asked(THERE, {FOREIGN: some, NONE: some}), PACKAGE)
    assert outcome.faults == ()
    (remark,) = outcome.remarks
    assert remark.text == "nobody can link a target of it: demo::inner links nowhere::there, which does not exist"
    none = answer(collected={"answers/linked.txt": UNLINKABLE.encode()})
    (fault,) = generates(context, asked(THERE, {FOREIGN: none, NONE: none}), PACKAGE).faults
    assert fault.reason == "none of its targets can be linked: each links one that does not exist"
    assert fault.evidence == ("demo::inner links nowhere::there",)
