"""G11: loops run in parallel, and the process has one pool of threads."""

from __future__ import annotations

import re

from orchestrator.recipe.promises import Threads
from orchestrator.verify.dynamic import d13_threads_switch
from orchestrator.verify.dynamic.consumers import Built, blame, build, only, run, threads, threads_model, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, failure
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where the pool ships, and the model that might bring a second one can run."""
    return d13_threads_switch.applies(context) and threads(context, whole(context)[0]) is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """Each whole consumer loops, runs the model and counts threads."""
    found = [install(context), questions(context)]
    model = threads_model(context)
    for built in whole(context):
        asked = threads(context, built)
        if asked and model:
            found += [build(context, built), run(context, built, model), asked]
    return tuple(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """More than one thread shares a loop; no thread of the process is of another pool."""
    faults: list[Fault] = []
    reasons: list[str] = []
    counted = 0
    for built in whole(context):
        reason = _unasked(context, answers, built)
        if reason:
            reasons.append(reason)
            continue
        counted += 1
        fault = _judge(context, answers[f"{built.name}-threads"], built)
        faults += [fault] if fault else []
    return Outcome(counted, "consumers", tuple(faults)) if counted else not_run(reasons[0])


def _unasked(context: Context, answers: Answers, built: Built) -> str | None:
    missing = blame(answers, built)
    if missing:
        return f"{missing.reason}: see {missing.check}"
    if d13_threads_switch.lacks(context, answers, built):
        return "the consumer lacks the pool's definition or library: see D13"
    model = threads_model(context)
    if model and not only(answers, run(context, built, model).id).ok:
        return f"the model {model.name} does not run: see G1"
    processors = answers[f"{built.name}-threads"].steps[0]
    if processors.ok and processors.stdout.strip() == "1":
        return "one processor: a pool has no second thread here"
    return None


def _judge(context: Context, answer: Answer, built: Built) -> Fault | None:
    declared = context.recipe.threads
    if declared is None:
        raise ValueError("the recipe declares no [threads]")
    if not answer.ok:
        return Fault(built.label, "does not loop in parallel and run the model", failure(answer))
    told = answer.steps[-1]
    counts = _counts(declared, told.stdout)
    if counts is None:
        return Fault(built.label, "does not say how many threads there were", evidence(told))
    sharing, tasks = counts
    tasks -= len(answer.steps[1].stdout.split()) - 1  # threads that the kernel counts of a program that has one
    if sharing < 2:
        reason = f"a loop ran in {sharing} thread on {answer.steps[0].stdout.strip()} processors: it is serial"
    elif tasks > sharing:
        reason = f"the process has {tasks} threads, {sharing} of which share a loop: there is a second pool"
    else:
        return None
    return Fault(built.label, reason, evidence(told))


def _counts(declared: Threads, text: str) -> tuple[int, int] | None:
    sharing, tasks = re.search(declared.pattern, text), re.search(declared.tasks_pattern, text)
    return (int(sharing[1]), int(tasks[1])) if sharing and tasks else None
