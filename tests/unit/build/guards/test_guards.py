"""Each guard on a row that keeps its promise, and on rows that break it; told apart by what is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.build.failure import FailedBuildError
from orchestrator.build.guards.catalogue import BUILDS, GUARDS
from orchestrator.build.guards.facts import Asked, Equipped, Left
from orchestrator.build.guards.run import Findings, ask, refuse
from orchestrator.build.guards.switch import Switch
from orchestrator.build.tools import Tools
from orchestrator.report.model import CheckRecord, Verdict
from tests.support.honest_builds import CLAIMS_12, ROOT, equipped, program
from tests.support.honest_rows import BUILD, SWITCH, asked


def records(facts: Asked | Equipped | Left) -> dict[str, list[CheckRecord]]:
    """What guards write, by id."""
    findings = Findings()
    ask(facts, findings)
    found: dict[str, list[CheckRecord]] = {}
    for check in findings.checks:
        found.setdefault(check.id, []).append(check)
    return found


def failures(facts: Asked | Equipped | Left) -> list[str]:
    found = [check for checks in records(facts).values() for check in checks if check.verdict is Verdict.FAIL]
    assert all(check.fix for check in found)
    return [f"{check.id} {check.subject}: {check.reason}" for check in found]


def test_an_honest_cuda_row_passes_all() -> None:
    assert set(records(asked())) == {"A11"}
    found = records(equipped())
    assert set(found) == {"A11", "A12", "A14", "A16"}
    assert failures(asked()) == failures(equipped()) == []
    assert found["A14"][0].reason == "the toolkit is that of CUDA 13.0"
    assert found["A14"][0].evidence == (
        "nvcc 13.0.88, its lock says 13.0.88",
        "ptxas 13.0.88, its lock says 13.0.88",
        "cudart 13.0, its lock says 13.0.96",
    )


def test_an_honest_cpu_row_passes_what_it_is_asked() -> None:
    assert set(records(asked("cpu"))) == {"A10"}
    assert failures(asked("cpu")) == []
    cpu = Equipped(asked=asked("cpu"), env={}, tools=Tools(ccache=None, patchelf="/bin/patchelf"), claims={})
    assert set(records(cpu)) == {"A16"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "nothing turns CUDA off"),
        ({"config-settings": {SWITCH: "ON"}}, "'ON' does not turn CUDA off"),
        ({"config-settings": {SWITCH: "maybe"}}, "'maybe' is neither on nor off"),
        ({"config-settings": {"cmake.define.OTHER": "OFF"}}, "nothing turns CUDA off"),
    ],
)
def test_a10_a_cpu_row_that_does_not_say_off(settings: dict[str, Any], said: str) -> None:
    assert any(line.startswith(f"A10 {SWITCH}: {said}") for line in failures(asked("cpu", settings)))


def test_a10_the_switch_may_be_an_environment_variable() -> None:
    build = {**BUILD, "cuda-switch": "USE_CUDA", "env": {"USE_CUDA": "1"}}
    assert failures(asked("cpu", {"env": {"USE_CUDA": "0"}}, build)) == []
    assert "'1' does not turn CUDA off" in failures(asked("cpu", {}, build))[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-G Ninja -DUSE_CUDA=OFF", None),
        ("-DUSE_CUDA:BOOL=ON '-DUSE_CUDA=OFF'", None),
        ("-G Ninja -D USE_CUDA:BOOL=OFF", None),
        ("-DUSE_CUDA=OFF -D USE_CUDA=ON", "'ON' does not turn CUDA off"),
        ("-D", "nothing turns CUDA off"),
        ("-DUSE_CUDA=OFF -DUSE_CUDA=ON", "'ON' does not turn CUDA off"),
        ("-DUSE_CUDA_TOO=OFF", "nothing turns CUDA off"),
        ("-DUSE_CUDA", "nothing turns CUDA off"),
        ("'-DUSE_CUDA=OFF", "nothing turns CUDA off"),
    ],
)
def test_a10_the_switch_may_stand_among_the_arguments_of_cmake(arguments: str, said: str | None) -> None:
    build = {**BUILD, "cuda-switch": "USE_CUDA"}
    failed = failures(asked("cpu", {"env": {"CMAKE_ARGS": arguments}}, build))
    assert failed == [] if said is None else failed[0].startswith(f"A10 USE_CUDA: {said}")


def test_a11_a_setting_of_its_own_comes_before_the_arguments_of_cmake() -> None:
    build = {**BUILD, "cuda-switch": "USE_CUDA"}
    settings = {"env": {"CMAKE_ARGS": "-DUSE_CUDA=ON"}, "arch": {"x86_64": ["9.0"]}, "toolchain": "cuda-13.0"}
    assert failures(asked("cuda-13.0", settings, build)) == []
    settings["env"] = {"CMAKE_ARGS": "-DUSE_CUDA=ON", "USE_CUDA": "OFF"}
    assert failures(asked("cuda-13.0", settings, build)) == ["A11 USE_CUDA: 'OFF' does not turn CUDA on"]


def test_a10_cuda_variants_need_a_switch() -> None:
    build = {key: value for key, value in BUILD.items() if key != "cuda-switch"}
    assert failures(asked("cpu", None, build)) == [
        "A10 build.cuda-switch: the recipe has CUDA variants, but names no switch for CUDA"
    ]
    assert failures(asked("cuda-13.0", None, build)) == ["A11 build.cuda-switch: the recipe names no switch for CUDA"]
    facts = asked("cpu", None, build)
    alone = facts.recipe.model_copy(update={"variants": {"cpu": facts.recipe.variants["cpu"]}})
    assert records(replace(facts, recipe=alone)) == {}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "nothing turns CUDA on"),
        ({"config-settings": {SWITCH: "OFF"}}, "'OFF' does not turn CUDA on"),
        ({"config-settings": {SWITCH: "auto"}}, "'auto' is neither on nor off"),
    ],
)
def test_a11_a_cuda_row_that_does_not_say_on(settings: dict[str, Any], said: str) -> None:
    (line,) = failures(asked("cuda-13.0", settings))
    assert line.startswith(f"A11 {SWITCH}: {said}")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "missing", "output": "", "status": None}, "there is no such file"),
        ({"kind": "directory", "output": "", "status": None}, "is a folder, not a program"),
        ({"kind": "special", "output": "", "status": None}, "is not a regular file"),
        ({"kind": "not-executable", "output": "", "status": None}, "may not be executed"),
        ({"kind": "not-running", "output": "Exec format error", "status": None}, "cannot be run"),
        ({"output": ""}, "answers nothing when asked for its version"),
        ({"status": 1}, "ends with status 1 when asked for its version"),
        ({"output": "hello"}, "answers without a version"),
    ],
)
def test_a11_a_compiler_that_is_none(changes: dict[str, Any], said: str) -> None:
    found = failures(equipped(nvcc=program("nvcc", **changes)))
    assert f"A11 {ROOT}/bin/nvcc: {said}" in found
    assert f"A14 {ROOT}/bin/nvcc: does not tell its version" in found


@pytest.mark.parametrize(
    "value", ["80-real;90-real", "80-real;90-virtual", "80;90", "80-real;86-real;90-real;90-virtual", "90", "native"]
)
def test_a12_other_architectures_than_the_recipes(value: str) -> None:
    (line,) = failures(equipped(env={"CUDAARCHS": value}))
    assert line == "A12 CUDAARCHS: does not carry what the recipe lists: 8.0 9.0"


def test_a12_the_variable_is_not_set() -> None:
    assert failures(equipped(env={"OTHER": "80-real"})) == [
        "A12 CUDAARCHS: the variable that should carry the architectures is not set"
    ]


@pytest.mark.parametrize(
    ("value", "good"), [("8.0;9.0+PTX", True), ("8.0;9.0", False), ("8.0+PTX;9.0+PTX", False), ("9.0+PTX", False)]
)
def test_a12_in_pytorchs_spelling(value: str, good: bool) -> None:
    name = "TORCH_CUDA_ARCH_LIST"
    facts = equipped(asked("cuda-13.0", None, {**BUILD, "arch-variable": name}), env={name: value})
    assert (failures(facts) == []) is good


def test_a14_a_row_without_cuda_that_turns_it_on() -> None:
    found = failures(asked("cpu", {"config-settings": {SWITCH: "ON"}}))
    assert f"A14 {SWITCH}: the row 'cpu' has no CUDA version, but turns CUDA on" in found


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nvcc": program("nvcc", "13.0.48")}, "bin/nvcc: is 13.0.48, but the lock says 13.0.88"),
        ({"ptxas": program("ptxas", "13.0.89")}, "bin/ptxas: is 13.0.89, but the lock says 13.0.88"),
        ({"cudart": 13020}, "include/cuda_runtime_api.h: is 13.2, but the lock says 13.0.96"),
        ({"cudart": 13020}, "include/cuda_runtime_api.h: is 13.2, but the row is CUDA 13.0"),
        ({"ptxas": program("ptxas", "12.6.85")}, "bin/ptxas: is 12.6.85, but the row is CUDA 13.0"),
        ({"cudart": None}, "include/cuda_runtime_api.h: does not tell its version"),
        ({"ptxas": program("ptxas", status=1)}, "bin/ptxas: does not tell its version"),
    ],
)
def test_a14_a_toolkit_that_is_not_the_locks_or_the_rows(changes: dict[str, Any], said: str) -> None:
    assert f"A14 {ROOT}/{said}" in failures(equipped(**changes))


def test_a14_a_mixed_toolkit_is_judged_by_what_it_claims() -> None:
    mixed: dict[str, Any] = {
        "nvcc": program("nvcc", "12.4.131"),
        "ptxas": program("ptxas", "12.6.85"),
        "cudart": 12060,
        "claims": CLAIMS_12,
    }
    row = asked("cuda-12.6")
    assert failures(equipped(row, **mixed)) == []
    (passed,) = records(equipped(row, **mixed))["A14"]
    assert passed.reason == (
        "the toolkit is that of CUDA 12.6, a mix: nvcc is of CUDA 12.4, ptxas and the runtime are of CUDA 12.6"
    )
    assert passed.evidence[0] == "nvcc 12.4.131, its lock says 12.4.131"
    # The same mixture is not CUDA 13's, whatever a lock says.
    assert len(failures(equipped(**mixed))) == 2
    (line,) = failures(equipped(row, **{**mixed, "nvcc": program("nvcc", "12.6.85")}))
    assert line.endswith("is 12.6.85, but the lock says 12.4.131")


def test_a14_an_images_own_toolkit_is_held_against_the_row() -> None:
    own: dict[str, Any] = {"claims": {}, "nvcc": program("nvcc", "13.0.99"), "ptxas": program("ptxas", "13.0.99")}
    assert failures(equipped(**own)) == []
    assert records(equipped(**own))["A14"][0].evidence == ("nvcc 13.0.99", "ptxas 13.0.99", "cudart 13.0")
    (line,) = failures(equipped(**{**own, "nvcc": program("nvcc", "13.2.86")}))
    assert line == f"A14 {ROOT}/bin/nvcc: is 13.2.86, but the row is CUDA 13.0"


def test_a16_is_fatal_with_cuda_and_a_note_without() -> None:
    assert failures(equipped(patchelf=None)) == [
        "A16 patchelf: the builder image has no patchelf, which rewrites search paths"
    ]
    findings = Findings()
    ask(Equipped(asked=asked("cpu"), env={}, tools=Tools(ccache=None, patchelf=None), claims={}), findings)
    assert findings.checks == []
    assert [(note.id, "no patchelf" in note.text) for note in findings.notes] == [("A16", True)]


def test_j2_one_wheel_and_nothing_else() -> None:
    found = records(Left(asked=asked("cpu"), names=("demo-1.0-py3-none-any.whl",)))
    assert [(id_, check.verdict, check.subject) for id_, (check,) in found.items()] == [
        ("J2", Verdict.PASS, "demo-1.0-py3-none-any.whl")
    ]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "nothing"),
        (("demo-1.0.tar.gz",), "demo-1.0.tar.gz"),
        (("b-1.0-py3-none-any.whl", "a-1.0-py3-none-any.whl"), "a-1.0-py3-none-any.whl, b-1.0-py3-none-any.whl"),
        (("demo-1.0-py3-none-any.whl", "notes.txt"), "demo-1.0-py3-none-any.whl, notes.txt"),
    ],
)
def test_j2_names_what_came_out_instead(names: tuple[str, ...], said: str) -> None:
    facts = Left(asked=asked("cpu"), names=names)
    reason = f"the build must leave exactly one wheel; it left {said}"
    assert failures(facts) == [f"J2 output folder: {reason}"]
    findings = Findings()
    ask(facts, findings)
    with pytest.raises(FailedBuildError) as caught:
        refuse(facts.asked.row, findings, what="did not build one wheel")
    assert str(caught.value).startswith(
        f"demo/cpu/x86_64/cp311 did not build one wheel: J2 one-wheel: output folder: {reason}"
    )


def test_a_refusal_names_every_guard_and_keeps_the_records() -> None:
    facts = asked("cpu", {"config-settings": {SWITCH: "ON"}})
    findings = Findings()
    ask(facts, findings)
    with pytest.raises(FailedBuildError) as caught:
        refuse(facts.row, findings)
    said = str(caught.value)
    assert said.startswith("demo/cpu/x86_64/cp311 may not be built: A10 cpu-says-off: ")
    assert "A14 toolkit-is-the-rows: " in said
    assert f"{SWITCH}=ON" in said
    assert [check.id for check in caught.value.checks] == ["A10", "A14"]
    assert caught.value.exit_code == 7


def test_nothing_is_refused_where_all_passed() -> None:
    findings = Findings()
    ask(asked(), findings)
    refuse(asked().row, findings)
    assert {check.verdict for check in findings.checks} == {Verdict.PASS}  # some guard was asked


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ("ON", True), ("yes", True), ("True", True), ("Y", True), ("1", True), ("2.5", True), ("-1", True),
        ("OFF", False), ("no", False), ("FALSE", False), ("n", False), ("0", False), ("0.0", False), ("", False),
        ("IGNORE", False), ("NOTFOUND", False), ("cuda-NOTFOUND", False),
        ("enabled", None), ("13.0-rc", None), (None, None),
    ],
)  # fmt: skip
def test_on_and_off_as_cmake_has_them(value: str | None, state: bool | None) -> None:
    assert Switch("X", value).state is state


def test_each_guard_is_asked_at_some_moment() -> None:
    assert sorted(guard.id for guard in GUARDS) == ["A0", "A10", "A11", "A12", "A13", "A14", "A15", "A16", "J2"]
    for guard in GUARDS:
        assert guard is BUILDS or any((guard.asked, guard.equipped, guard.left, guard.built)), guard.id
