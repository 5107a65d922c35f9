"""G5: linking everything adds exactly the backends that the shipped components register."""

from __future__ import annotations

from orchestrator.verify.dynamic.consumers import LEAN, Built, blame, build, only, registry, registry_line, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the recipe has a consumer, and some component registers a backend."""
    return context.recipe.consumer is not None and any(component.registers for component in context.shipped)


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask the lean consumer and each whole one."""
    built = (LEAN, *whole(context))
    return (
        install(context),
        questions(context),
        *(p for b in built for p in (build(context, b), registry(context, b))),
    )


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare counts: the difference is what counts, not who is in."""
    faults: list[Fault] = []
    reasons: list[str] = []
    compared = 0
    for built in whole(context):
        missing = blame(answers, LEAN) or blame(answers, built)
        if missing:
            reasons.append(f"{missing.reason}: see {missing.check}")
            continue
        compared += 1
        faults += _compare(context, answers, built)
    if not compared:
        return not_run(reasons[0])
    return Outcome(compared, "registries", tuple(faults))


def _compare(context: Context, answers: Answers, built: Built) -> list[Fault]:
    printed = {}
    for one in (LEAN, built):
        line = registry_line(context, answers, one)
        if line is None:
            shown = evidence(only(answers, registry(context, one).id))
            return [Fault(one.label, "does not say how many backends are registered", shown)]
        printed[one] = line
    # What the runtime registers by itself is among those of both.
    added = (component for component in context.shipped if component not in context.lean)
    expected = [name for component in added for name in component.registers]
    (before, lean), (after, whole_line) = printed[LEAN], printed[built]
    if after - before == len(expected):
        return []
    unseen = [name for name in expected if name not in whole_line]
    reason = (
        f"adds {after - before} backends to the runtime's {before}; the shipped components register {len(expected)}"
    )
    if unseen:
        reason += f"; not registered: {', '.join(unseen)}"
    return [Fault(built.label, reason, (f"{LEAN.label}: {lean}", f"{built.label}: {whole_line}"))]
