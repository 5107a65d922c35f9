"""D3: a missing component that is required fails while configuring, and is named."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import configured
from orchestrator.verify.dynamic.questions import NO_SUCH_COMPONENT, questions
from orchestrator.verify.dynamic.texts import evidence, finding, said
from orchestrator.verify.outcome import Fault, Outcome

MISSING = "component_missing"


def applies(context: Context) -> bool:
    """Where the package takes components."""
    return context.package.components


def probes(context: Context) -> tuple[Probe, ...]:
    """Require a component that no package has."""
    return (install(context), questions(context), _required(context))


def _required(context: Context) -> Probe:
    text = f"find_package({context.package.package} REQUIRED COMPONENTS {NO_SUCH_COMPONENT})\n"
    return configured(context, MISSING, text)


def judge(context: Context, answers: Answers) -> Outcome:
    """The configure must fail with the component's name."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    step = answers[MISSING].steps[0]
    subject = f"REQUIRED COMPONENTS {NO_SUCH_COMPONENT}"
    if step.ok:
        reason = "a required component that does not exist configures"
    elif not step.ran:
        reason = f"the configure neither succeeds nor fails: {step.ending}"
    elif not said(NO_SUCH_COMPONENT, step.output):
        reason = "the configure fails without naming the missing component"
    else:
        return Outcome(1, "requests for a missing component")
    shown = (*finding(_required(context)), *evidence(step))
    return Outcome(1, "requests for a missing component", (Fault(subject, reason, shown),))
