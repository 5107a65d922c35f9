"""E1 and E2, judged over answers."""

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.verify.dynamic import e1_headers_alone, e2_exemptions
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.headers import shipped_headers, sweep
from orchestrator.verify.dynamic.probe import Answer
from tests.support.answers import RECIPE, answer, make_context, reasons

ABSENT = answer(1, stderr="alone.cpp:1:10: fatal error: no/such/header.h: No such file or directory")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return make_context(tmp_path, cmake=None, names=("demo/include/demo/data.txt", "demo/other/c.h"))


def answers(**more: Answer) -> dict[str, Answer]:
    """Two headers compile, the exempt one does not."""
    headers = {"header_00000": answer(), "header_00001": answer(), "header_00002": ABSENT}
    return headers | {"header_control": ABSENT, "header_toolkit": ABSENT} | more


def test_every_header_is_compiled_alone_with_the_exported_flags(context: Context) -> None:
    assert shipped_headers(context) == ("demo/a.h", "demo/b.h", "demo/windows/w.h")
    probes = sweep(replace(context, flags=("-std=c++17", "-DX")))
    assert [probe.id for probe in probes] == list(answers())
    assert probes[1].files == {"alone.cpp": "#include <demo/b.h>\n"}
    assert probes[1].steps[0].argv == ("g++", "-fsyntax-only", "-w", "-std=c++17", "-DX", "alone.cpp")


def test_right_headers_pass_and_exemptions_are_told(context: Context) -> None:
    outcome = e1_headers_alone.judge(context, answers())
    assert (reasons(outcome), outcome.inspected) == ([], 2)
    outcome = e2_exemptions.judge(context, answers())
    assert (reasons(outcome), outcome.inspected) == ([], 1)
    assert outcome.remarks[0].text == "exempt from compiling alone: needs headers of another system"


def test_e1_names_the_header_and_shows_the_compiler(context: Context) -> None:
    broken = answer(1, stderr="In file included from alone.cpp:1:\nb.h:2:10: fatal error: re2/re2.h: No such file")
    outcome = e1_headers_alone.judge(context, answers(header_00001=broken))
    assert reasons(outcome) == ["demo/b.h: does not compile alone"]
    assert "b.h:2:10: fatal error: re2/re2.h: No such file" in outcome.faults[0].evidence


@pytest.mark.parametrize(
    ("control", "said", "why"),
    [
        ("header_control", answer(None), "the compiler does not run: cannot start tool: No such file or directory"),
        ("header_control", answer(0), "a header that does not exist compiles: the sweep would prove nothing"),
        ("header_toolkit", answer(0), "the CUDA toolkit is on the include path: the sweep would prove nothing"),
        ("header_toolkit", answer(1, stderr="cuda.h:1: error: x"), "the CUDA toolkit is on the include path"),
    ],
)
def test_e1_does_not_run_where_it_would_prove_nothing(context: Context, control: str, said: Answer, why: str) -> None:
    outcome = e1_headers_alone.judge(context, answers(**{control: said}))
    assert outcome.not_run is not None
    assert why in outcome.not_run


def test_e2_finds_a_stale_exemption(context: Context) -> None:
    outcome = e2_exemptions.judge(context, answers(header_00002=answer(0)))
    assert reasons(outcome) == ["demo/windows/w.h: compiles alone now: its exemption is stale"]


def test_e2_finds_it_beside_a_header_whose_compiler_was_ended(tmp_path: Path) -> None:
    exempt = [{"path": name, "reason": "needs another system"} for name in ("demo/a.h", "demo/windows/**")]
    headers = {**RECIPE["headers"], "exempt": exempt}
    context = make_context(tmp_path, cmake=None, changes={"headers": headers})
    outcome = e2_exemptions.judge(context, answers(header_00000=answer(-9), header_00002=answer(0)))
    assert reasons(outcome) == ["demo/windows/w.h: compiles alone now: its exemption is stale"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"header_control": answer(None)}, "the compiler does not run: cannot start tool"),
        ({"header_control": answer(0)}, "a header that does not exist compiles"),
        ({"header_00002": answer(-9)}, "demo/windows/w.h: killed by signal 9"),
    ],
)
def test_e2_takes_no_compiler_that_does_not_run_for_a_header_that_does_not_compile(
    context: Context, more: dict[str, Answer], why: str
) -> None:
    outcome = e2_exemptions.judge(context, answers(**more))
    assert outcome.not_run is not None
    assert why in outcome.not_run
