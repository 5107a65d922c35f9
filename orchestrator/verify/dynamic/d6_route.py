"""D6: a new CMake gets targets; an old one gets none, and a request for a component says why."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import ORIGIN, linking, token_written, written
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.project import component_target, configured
from orchestrator.verify.dynamic.questions import TARGETS, questions, replies
from orchestrator.verify.dynamic.texts import evidence, finding, said
from orchestrator.verify.outcome import Fault, Outcome

REQUESTED = "component_requested"


def probes(context: Context) -> tuple[Probe, ...]:
    """Request a component that every wheel has, where components can be requested; see how $ORIGIN is written."""
    if not context.package.components:
        return (install(context), questions(context), linking(context))
    return (install(context), questions(context), linking(context), _requested(context))


def _requested(context: Context) -> Probe:
    text = f"find_package({context.package.package} REQUIRED COMPONENTS {context.runtime.name})\n"
    return configured(context, REQUESTED, text)


def judge(context: Context, answers: Answers) -> Outcome:
    """Targets from the promised version on, an explanation below it."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    reply = replies(answers)[TARGETS]
    # A list of imported targets has no aliases; those of components are asked for by name.
    told = dict.fromkeys(fields[0] for key in ("target", "defined") for fields in reply.all(key))
    targets = [name for name in told if _is_own(context, name)]
    return _new(context, targets, answers) if context.has_targets else _old(context, targets, answers)


def _is_own(context: Context, target: str) -> bool:
    """Whether a target is the package's, and not of a package that it finds, such as Threads::Threads."""
    own = (component_target(context, component) for component in context.recipe.component)
    spaces = {context.package.package, *(name.partition("::")[0] for name in own if name)}
    space, separator, _ = target.partition("::")
    return not separator or space in spaces


def _new(context: Context, targets: list[str], answers: Answers) -> Outcome:
    runtime = component_target(context, context.runtime)
    if runtime is None:
        return not_run("the recipe's first component has no target: name the runtime library's first")
    shown = written(context, answers)
    if runtime in targets and context.is_relocatable and token_written(answers) not in {None, ORIGIN}:
        reason = "programs that link it are promised to run elsewhere, and this CMake spoils $ORIGIN"
        return Outcome(len(targets), "targets", (Fault(runtime, reason, (shown,)),))
    if runtime in targets:
        return Outcome(len(targets), "targets", evidence=(shown,))
    fault = Fault(
        runtime, f"does not exist on CMake {context.cmake}: targets are promised from {context.package.targets_from}"
    )
    return Outcome(1, "targets", (fault,))


def _old(context: Context, targets: list[str], answers: Answers) -> Outcome:
    since = context.package.targets_from
    faults = [
        Fault(target, f"exists on CMake {context.cmake}: targets are promised from {since} only") for target in targets
    ]
    how = written(context, answers)
    if not context.package.components:
        return Outcome(1, "packages", tuple(faults), evidence=(how,))
    step = answers[REQUESTED].steps[0]
    subject = f"REQUIRED COMPONENTS {context.runtime.name}"
    shown = (*finding(_requested(context)), *evidence(step))
    if step.ok:
        faults.append(Fault(subject, f"configures on CMake {context.cmake}, which has no targets", shown))
    elif not said(since, step.output):
        faults.append(Fault(subject, f"is refused without naming CMake {since}", shown))
    return Outcome(1, "component requests", tuple(faults), evidence=(how,))
