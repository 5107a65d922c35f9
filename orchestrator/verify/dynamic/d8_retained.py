"""D8: a component that only registers something stays in programs that call nothing of it, and nothing behind it."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import LINKING, full, idle, linking, retaining, routes, state_left
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe says of a shipped component that it is retained."""
    return context.recipe.consumer is not None and bool(_retained(context))


def probes(context: Context) -> tuple[Probe, ...]:
    """The programs that call nothing; the consumer says whether the package links at all."""
    return (install(context), questions(context), build(context, ALL), linking(context))


def _retained(context: Context) -> tuple[Component, ...]:
    return tuple(component for component in context.shipped if component.retained)


def judge(context: Context, answers: Answers) -> Outcome:
    """Read what each program needs."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    if not answers[LINKING].ok:
        reason = "a program that calls nothing of the components does not link"
        return Outcome(1, "programs", (Fault("idle", reason, failure(answers[LINKING])),))
    faults: list[Fault] = []
    for route in routes(context):
        faults += judge_program(context, route, idle(answers, route), full(answers, route))
        if left := state_left(answers, route):
            faults.append(Fault(f"idle, by {route}", left, retaining(answers, route)))
    if context.has_targets:
        given = {name for route in routes(context) for name in full(answers, route).needed}
        faults += [
            Fault(one.name, f"{one.library} is in no program that links its target", _shown(full(answers, "targets")))
            for one in _retained(context)
            if one.library not in given
        ]
    return Outcome(len(_retained(context)) * len(routes(context)), "retained components", tuple(faults))


def judge_program(context: Context, route: Route, program: Elf, keeping: Elf) -> list[Fault]:
    """What is dropped that must stay.

    `keeping` is the program that keeps all it is given: what one route gives and another does not is D20's.
    """
    return [
        Fault(
            f"{one.name}, by {route}",
            f"{one.library} is dropped from a program that calls nothing of it: what it registers is lost",
            _shown(program),
        )
        for one in _retained(context)
        if one.library in keeping.needed and one.library not in program.needed
    ]


def _shown(program: Elf) -> tuple[str, ...]:
    return (f"NEEDED: {', '.join(program.needed) or 'none'}",)
