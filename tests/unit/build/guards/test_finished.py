"""The guards over a finished build: what was passed to nvcc, and what the wheel links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from orchestrator.build.guards.facts import Asked, Built
from orchestrator.build.guards.run import Findings, ask
from orchestrator.build.nvcc import NvccCommand
from orchestrator.report.model import CheckRecord, Verdict
from tests.support.honest_builds import GOOD, PTX_90, RUNTIME, SM_80, SM_90, command, wheel
from tests.support.honest_rows import CUDA_13, asked


def records(
    *commands: NvccCommand, needed: tuple[tuple[str, ...], ...] = (), facts: Asked | None = None
) -> list[CheckRecord]:
    findings = Findings()
    ask(Built(asked=facts or asked(), commands=commands, wheel=wheel(*needed)), findings)
    return findings.checks


def a13(*commands: NvccCommand) -> list[CheckRecord]:
    return [check for check in records(*commands) if check.id == "A13"]


def test_a13_every_compilation_as_asked() -> None:
    (check,) = a13(command(GOOD), command(f"{PTX_90} {SM_90} {SM_80} -lineinfo", "other.cu"))
    assert (check.verdict, check.reason) == (Verdict.PASS, "inspected 2 compilations")
    assert check.evidence == ("real 80 90; PTX 90",)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (f"{SM_90} {PTX_90}", ["generates no code for sm_80"]),
        (f"{GOOD} -gencode arch=compute_86,code=sm_86", ["generates unexpected code for sm_86"]),
        (f"{SM_80} {SM_90}", ["generates no PTX for compute_90, the newest architecture"]),
        (f"{GOOD} -gencode arch=compute_80,code=compute_80", ["generates unexpected PTX for compute_80"]),
        ("-arch=sm_90", ["generates no code for sm_80"]),
        ("", ["has no option for an architecture: nvcc takes one of its own choice"]),
        (f"-arch=native {GOOD}", ["leaves the architectures to nvcc: native"]),
        (
            "-arch=compute_80",
            ["generates no code for sm_80, sm_90", "generates no PTX for compute_90, the newest architecture",
             "generates unexpected PTX for compute_80"],
        ),
    ],
)  # fmt: skip
def test_a13_one_compilation_that_is_not(flags: str, said: list[str]) -> None:
    found = a13(command(GOOD, "/work/source/good.cu"), command(flags))
    assert [check.reason for check in found] == said
    assert {check.subject for check in found} == {"source/src/k.cu"}
    assert all("nvcc -forward-unknown-to-host-compiler" in check.evidence[1] for check in found)


def test_a13_what_saw_nothing_fails() -> None:
    link = NvccCommand(PurePosixPath("/work"), ("-shared", "k.o", "-o", "libk.so"))
    for commands in ((), (link,)):
        (check,) = a13(*commands)
        assert (check.verdict, check.reason) == (
            Verdict.FAIL, "inspected nothing: no compilation with nvcc was seen",
        )  # fmt: skip


def test_a13_calls_that_compile_nothing_are_not_judged() -> None:
    link = NvccCommand(PurePosixPath("/work"), ("-arch=sm_75", "-dlink", "k.o", "-o", "link.o"))
    assert [check.verdict for check in a13(command(GOOD), link)] == [Verdict.PASS]


def a15(*needed: tuple[str, ...], requires: tuple[str, ...] = (RUNTIME,)) -> list[CheckRecord]:
    facts = asked("cuda-13.0", {"requires": list(requires), "config-settings": CUDA_13["config-settings"]})
    return [check for check in records(command(GOOD), needed=needed, facts=facts) if check.id == "A15"]


def test_a15_the_rows_runtime() -> None:
    (check,) = a15(("libc.so.6", "libcudart.so.13"), ("libc.so.6",), ("libcudart-1f2a3b4c.so.13.0.96",))
    assert (check.verdict, check.evidence) == (Verdict.PASS, ("demo/lib0.so", "demo/lib2.so"))


@pytest.mark.parametrize("name", ["libcudart.so.12", "libcudart.so", "libcudart.so.11.0", "libcudart-1f2a3b4c.so.12"])
def test_a15_another_runtime(name: str) -> None:
    (check,) = a15(("libcudart.so.13",), (name,))
    assert (check.verdict, check.subject) == (Verdict.FAIL, "demo/lib1.so")
    assert check.reason == f"needs {name}, but the row is CUDA 13.0"


def test_a15_a_runtime_that_is_declared_and_not_needed() -> None:
    (check,) = a15(("libc.so.6",))
    assert check.verdict is Verdict.FAIL
    assert f"no library needs libcudart, but the variant declares {RUNTIME}" in check.reason
    (check,) = a15(("libc.so.6",), requires=("NVIDIA_cuda.runtime>=13",))
    assert check.verdict is Verdict.FAIL
    assert a15(("libc.so.6",), requires=()) == []
    assert a15(("libc.so.6",), requires=("nvidia-cublas>=13",)) == []


def test_nothing_is_asked_of_a_row_without_cuda() -> None:
    assert records(command("-arch=sm_75"), needed=(("libcudart.so.12",),), facts=asked("cpu")) == []


def test_names_cannot_steer_a_terminal() -> None:
    (check,) = a13(replace(command("-arch=native"), words=("-arch=\x1b[31m", "-c", "a\nb.cu")))[:1]
    assert "\x1b" not in "".join((check.subject, check.reason, *check.evidence))
    assert "\n" not in check.subject
