"""D13: every consumer gets the definition that selects the thread pool's functions, and the pool's library with it."""

from __future__ import annotations

import re

from orchestrator.recipe.promises import Threads
from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.consumers import LEAN, Built, blame, build, whole
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.fileapi import compile_flags, link_line
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import finding
from orchestrator.verify.outcome import Fault, Outcome


def component(context: Context) -> Component | None:
    """The thread pool's component, if it ships."""
    threads = context.recipe.threads
    return next((one for one in context.shipped if threads and one.name == threads.component), None)


def applies(context: Context) -> bool:
    """Where the recipe has a consumer and says which definition it is, and the pool ships."""
    return context.recipe.consumer is not None and component(context) is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """The consumer of the runtime alone, and the whole ones."""
    return (install(context), questions(context), *(build(context, built) for built in (LEAN, *whole(context))))


def judge(context: Context, answers: Answers) -> Outcome:
    """Read how CMake would compile and link them; whether they build is asked elsewhere."""
    threads, pool = context.recipe.threads, component(context)
    if threads is None or pool is None:
        raise ValueError("the recipe declares no thread pool that ships")
    faults: list[Fault] = []
    reasons: list[str] = []
    read = 0
    for built in (LEAN, *whole(context)):
        reason = _wrong(answers, built, threads, pool)
        if reason is None:
            missing = blame(answers, built)
            reasons.append(f"{missing.reason}: see {missing.check}" if missing else "CMake's reply is missing")
            continue
        read += 1
        if reason:
            faults.append(Fault(built.label, reason, finding(build(context, built))))
    return Outcome(read, "consumers", tuple(faults)) if read else not_run(reasons[0])


def _wrong(answers: Answers, built: Built, threads: Threads, pool: Component) -> str | None:
    """What is wrong with one consumer, '' if nothing; None where CMake did not generate it."""
    collected = answers[built.name].collected
    flags, line = compile_flags(collected, "app"), link_line(collected, "app")
    if flags is None or line is None:
        return None
    if threads.definition not in {define.partition("=")[0] for define in flags.defines}:
        return f"is compiled without {threads.definition}: its loops run serially, and nothing says so"
    if not any(_names(fragment, pool.library) for fragment in line):
        return f"is compiled with {threads.definition}, but not linked to {pool.library}, which holds what that selects"
    return ""


def lacks(context: Context, answers: Answers, built: Built) -> bool:
    """Whether the definition or the library is missing: what threads then do is this check's fault."""
    threads, pool = context.recipe.threads, component(context)
    return threads is not None and pool is not None and bool(_wrong(answers, built, threads, pool))


def _names(fragment: str, library: str) -> bool:
    """Whether a part of a link line holds a path to that file: by itself, in quotes, or in a list of options."""
    return library in {word.rpartition("/")[2] for word in re.split(r'[\s,"\']+', fragment)}
