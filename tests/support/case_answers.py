"""Answers of a right package to the questions that need a run of CMake each, and changes to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.verify.dynamic import component_requests, copies, surroundings
from orchestrator.verify.dynamic.asking import FIRST, SECOND, asking, twice_case, version_case
from orchestrator.verify.dynamic.cases import Case
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer, StepAnswer
from orchestrator.verify.dynamic.surroundings import Surroundings
from orchestrator.verify.dynamic.versions import requests, required
from tests.support.answers import FOUND, GOOD_TARGETS, RECIPE, answer, make_context, question_answers, step

VARIABLES = "include\tthere\t/w/site/demo/include\nlibrary\tthere\t/w/site/demo/lib/libdemo.so\n"
EVERYTHING = GOOD_TARGETS + VARIABLES
"""What is told of all that the package hands out."""

Ending = tuple[int | None, str]


def case_answer_of(
    context: Context,
    endings: Mapping[str, tuple[Ending, ...]] | None = None,
    told: Mapping[str, str | None] | None = None,
) -> Answer:
    """The probe's answer: how the steps of each case end, and what each question tells; changes to both by name."""
    right_endings, right_told = _right(context)
    ends, tells = right_endings | dict(endings or {}), right_told | dict(told or {})
    steps: list[StepAnswer] = []
    case, place = "", 0
    for one in asking(context).steps:
        if "-G" not in one.argv and one.argv[-1].startswith("-DCASE="):
            case, place = one.argv[-1].removeprefix("-DCASE="), 0
        exit_, output = ends[case][place] if case else (0, "")
        place += 1
        answer = step(exit_, stderr=output)
        steps.append(StepAnswer(one.argv, answer.exit, 0.1, "", answer.stderr, error=answer.error))
    collected = {f"answers/{name}.txt": text.encode() for name, text in tells.items() if text is not None}
    return Answer(tuple(steps), collected)


def _right(context: Context) -> tuple[dict[str, tuple[Ending, ...]], dict[str, str | None]]:
    endings: dict[str, tuple[Ending, ...]] = {}
    told: dict[str, str | None] = {}
    for request in required(context.release):
        kind = "version range" if "..." in request.text else "version"
        wanted = request.text.removesuffix(" EXACT")
        endings[version_case(context, request).name] = ((1, f'with\n  requested {kind} "{wanted}".'),)
    for missing in component_requests.required(context):
        endings[missing.case(context).name] = ((1, f"demo has no\n  component '{missing.missing[-1]}'"),)
    for optional in component_requests.optional(context):
        found = "".join(f"{name}\t{int(yes)}\n" for name, yes in optional.components.items())
        told[f"optional-{optional.name}"] = f"found\t{int(optional.found)}\n{found}"
    names = "\n".join(f"links to:\n\n  {one.target}\n\nbut" for one in component_requests.undefined(context))
    endings |= {"optional": ((0, ""),), "undefined": ((1, names),)}
    twice = twice_case(context).name
    endings[twice] = ((0, ""),)
    told |= {f"{twice}-{name}": EVERYTHING for name in (FIRST, SECOND)}
    if surroundings.is_asked(context):
        tables: dict[str, tuple[Surroundings, ...]] = {
            "pythons": surroundings.pythons(),
            "roots": surroundings.root_modes(context),
            "spellings": surroundings.spellings(context),
        }
        for name, table in tables.items():
            endings[name] = ((0, ""),)
            told |= {f"{name}-{question}": EVERYTHING for question in ("plain", *(one.name for one in table))}
    for case in copies.cases(context):
        endings[case.name] = ((0, "Reason given by package:\n\n  no"),) if _lacks(case) else ((0, ""),) * 3
        told |= {f"{case.name}-asked": FOUND.replace("found\t1", "found\t0")} if _lacks(case) else {}
    return endings, told


def _lacks(case: Case) -> bool:
    return case.name.startswith("without-")


CHANGES = {"extension": {"modules": ["demo/_C.*.so"]}, "images": {"test": "image"}}


def package(folder: Path, *, cmake: str = "4.4.5", **changes: Any) -> Context:
    """The demo SDK with another CMake contract."""
    return make_context(folder, cmake=cmake, changes={"cmake": RECIPE["cmake"] | changes, **CHANGES})


def case_answers(
    context: Context,
    *,
    endings: Mapping[str, tuple[Ending, ...]] | None = None,
    told: Mapping[str, str | None] | None = None,
    changes: Mapping[str, str | None] | None = None,
    **more: Answer,
) -> dict[str, Answer]:
    """What a right package answers, and changes to how cases end, what they and the questions tell, to other probes."""
    accepted = (request.accepted for request in requests(context.release))
    plain = {"targets": GOOD_TARGETS, "prefix_0": EVERYTHING, "prefix_1": EVERYTHING}
    found = {
        "install": answer(),
        "questions": question_answers(accepted, plain | dict(changes or {})),
        "component_requested": answer(),
        "cases": case_answer_of(context, endings, told),
        "all": answer(),
        "all-registry": answer(),
    }
    return found | more
