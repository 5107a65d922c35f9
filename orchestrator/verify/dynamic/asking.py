"""All questions that need a run of CMake of their own, as one probe that every check shares."""

from __future__ import annotations

from orchestrator.verify.dynamic import component_requests, copies, surroundings
from orchestrator.verify.dynamic.cases import Case, Prepared, Question, probe
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.once import once_a_cmake
from orchestrator.verify.dynamic.probe import Probe
from orchestrator.verify.dynamic.questions import described, find, listed, questions
from orchestrator.verify.dynamic.versions import Request, required

FIRST, SECOND = "first", "second"


def asking(context: Context) -> Probe:
    """The probe with every case that applies to the context."""
    return probe(context, _cases(context), _prepared(context))


def shared(context: Context) -> tuple[Probe, ...]:
    """What checks that judge cases ask: the cases, and the questions that tell whether the package is found at all."""
    return (install(context), questions(context), asking(context))


def version_case(context: Context, request: Request) -> Case:
    """The run of CMake that a version must end."""
    place = required(context.release).index(request)
    line = f"find_package({context.package.package} {request.text} REQUIRED)\n"
    return Case(f"version-{place}", (Question("asked", line),))


def twice_case(context: Context) -> Case:
    """The run of CMake in which a folder finds the package twice, beside one that does so once."""
    told = find(context, "") + described(context) + listed(context)
    again = f"find_package({context.package.package} QUIET)\n"
    return Case("twice", (Question(FIRST, told), Question(SECOND, again + told)))


def _cases(context: Context) -> tuple[Case, ...]:
    found = [twice_case(context)]
    if once_a_cmake(context):
        found += [version_case(context, one) for one in required(context.release)]
        if context.package.components:
            found += [one.case(context) for one in component_requests.required(context)]
            found.append(component_requests.optional_case(context))
    if context.has_targets:
        found.append(component_requests.undefined_case(context))
    return (*found, *surroundings.cases(context), *copies.cases(context))


def _prepared(context: Context) -> tuple[Prepared, ...]:
    return (surroundings.prepared(context), copies.prepared(context))
