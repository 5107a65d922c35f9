"""D8: a component that only registers something stays in programs that call nothing of it, and it alone."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context, Route
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import LINKING, full, idle, linking, routes
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome

COMPILERS_OWN = ("libstdc++.so.6", "libm.so.6")
"""What g++ links into every program, last, and what one that calls nothing needs not: it shows a state that leaks."""


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
    faults = [
        fault
        for route in routes(context)
        for fault in judge_program(context, route, idle(answers, route), full(answers, route))
    ]
    return Outcome(len(_retained(context)) * len(routes(context)), "retained components", tuple(faults))


def judge_program(context: Context, route: Route, program: Elf, keeping: Elf) -> list[Fault]:
    """What is dropped that must stay, and what stays because of an option that reaches too far.

    `keeping` is the program that keeps all it is given: what a route does not give is D20's.
    """
    faults = [
        Fault(
            f"{one.name}, by {route}",
            f"{one.library} is dropped from a program that calls nothing of it: what it registers is lost",
            (f"NEEDED: {', '.join(program.needed)}",),
        )
        for one in _retained(context)
        if one.library in keeping.needed and one.library not in program.needed
    ]
    leaked = [name for name in COMPILERS_OWN if name in program.needed]
    if leaked:
        reason = "an option that retains libraries is not taken back: it retains whatever is linked after it"
        faults.append(Fault(f"idle, by {route}", reason, (f"NEEDED: {', '.join(program.needed)}",)))
    return faults
