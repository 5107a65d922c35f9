"""I1, over answers: the documented example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import i1_document_builds
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import GOOD_TARGETS, answer, make_context, question_answers, reasons, step

ACCEPTED = [request.accepted for request in requests((1, 5, 1))]
PAGE = "# Demo\n\n```cpp\nint main() { return demo(); }\n```\n"
DOCUMENT: dict[str, Any] = {"file": "cpp.md", "heading": "# Demo", "components": ["kernels"], "run": ["{model}", "x"]}


def context(folder: Path, page: str | None = PAGE, document: dict[str, Any] | None = None, **more: Any) -> Context:
    if page is not None:
        (folder / "cpp.md").write_text(page)
    return make_context(folder, changes={"document": DOCUMENT | (document or {})}, **more)


def answers(changes: dict[str, str | None] | None = None, **more: Answer) -> dict[str, Answer]:
    found = {
        "install": answer(),
        "questions": question_answers(ACCEPTED, changes),
        "all": answer(),
        "all-plain": answer(),
        "document": Answer((step(), step(), step())),
    }
    return found | more


def test_the_example_is_built_and_run_by_the_environments_route(tmp_path: Path) -> None:
    asked = context(tmp_path)
    probe = next(one for one in i1_document_builds.probes(asked) if one.id == "document")
    assert probe.files["main.cpp"] == '#line 4 "cpp.md"\nint main() { return demo(); }\n'
    lists = probe.files["CMakeLists.txt"]
    assert "COMPONENTS runtime kernels)" in lists
    assert "target_link_libraries(app PRIVATE demo::runtime demo::kernels)" in lists
    assert probe.steps[-1].argv == ("/w/probes/document/build/app", "/w/models/plain.bin", "x")
    old = next(one for one in i1_document_builds.probes(context(tmp_path, cmake="3.24.3")) if one.id == "document")
    assert "DEMO_LIBRARIES" in old.files["CMakeLists.txt"]
    assert reasons(i1_document_builds.judge(asked, answers())) == []


def test_without_arguments_it_is_only_built(tmp_path: Path) -> None:
    asked = context(tmp_path, document={"run": None})
    probe = next(one for one in i1_document_builds.probes(asked) if one.id == "document")
    assert len(probe.steps) == 2


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((step(1), step(None), step(None)), "the example does not configure with runtime, kernels"),
        ((step(), step(1, stderr="error: no 'demo'"), step(None)), "the example does not build with runtime, kernels"),
        ((step(), step(), step(-11)), "the example builds, and does not run"),
    ],
)
def test_the_step_that_fails_is_named(tmp_path: Path, steps: Any, said: str) -> None:
    outcome = i1_document_builds.judge(context(tmp_path), answers(document=Answer(steps)))
    assert reasons(outcome) == [f"cpp.md, line 4: {said}"]
    assert outcome.faults[0].evidence[0] == "$ tool"


@pytest.mark.parametrize(
    ("page", "more", "wrong", "reason"),
    [
        (None, {}, {}, "there is no example: see I3"),
        ("# Demo\n", {}, {}, "there is no example: see I3"),
        (PAGE, {"document": {"components": ["gpu"]}}, {}, "the component 'gpu' does not ship: see B2"),
        (PAGE, {}, {"install": answer(1)}, "the wheel does not install (exit 1): see D2"),
        (PAGE, {}, {"all": answer(1)}, "the consumer with every component does not build: see G1"),
        (PAGE, {}, {"all-plain": answer(6)}, "the model plain does not run: see G1"),
    ],
)
def test_what_another_check_owns(
    tmp_path: Path, page: str | None, more: Any, wrong: dict[str, Any], reason: str
) -> None:
    failing: dict[str, Any] = {"document": Answer((step(1),))}
    outcome = i1_document_builds.judge(context(tmp_path, page, **more), answers(**failing, **wrong))
    assert outcome.not_run == reason


def test_a_path_that_does_not_exist_is_k7s(tmp_path: Path) -> None:
    wrong = answers({"targets": GOOD_TARGETS.replace("\tthere\t", "\tabsent\t")}, document=Answer((step(1),)))
    outcome = i1_document_builds.judge(context(tmp_path), wrong)
    assert outcome.not_run == "the package hands out paths that do not exist: see K7"


def test_recipes_without_a_document(tmp_path: Path) -> None:
    assert not i1_document_builds.applies(make_context(tmp_path))
    assert i1_document_builds.applies(context(tmp_path))
