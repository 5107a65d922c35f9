"""A19: nothing of the build is where the wheel is tried: what programs load is what was installed."""

from __future__ import annotations

from pathlib import PurePosixPath

from orchestrator.verify.dynamic.consumers import ALL, LOOK_SECONDS, blame, build, only, program
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.ldd import UNREAD, absent, paths
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome, Remark

COPIES = "copies_in_image"
LOADED = "loaded"


def applies(context: Context) -> bool:
    """Where the wheel has libraries."""
    return bool(_names(context))


def _names(context: Context) -> tuple[str, ...]:
    """File names of its components, which only this wheel has; of all its libraries where it has no component."""
    own = tuple(component.library for component in context.shipped)
    return own or tuple(dict.fromkeys(library.name for library, _ in context.subject.wheel.readable()))


def probes(context: Context) -> tuple[Probe, ...]:
    """Look for other copies in the image, and list what the consumer loads."""
    wanted = " -o ".join(f"-name {name}" for name in _names(context)).split(" ")
    # Of the image alone: the work volume, with the installed wheel, is another file system.
    search = Step(("find", "/", "-xdev", "(", *wanted, ")", "-print"))
    image = Probe(COPIES, {}, (search,))
    if context.recipe.consumer is None:
        return (install(context), image)
    loaded = Probe(LOADED, {}, (Step(("ldd", program(context, ALL)), LOOK_SECONDS),), after=(ALL.name,))
    return (install(context), questions(context), build(context, ALL), loaded, image)


def judge(context: Context, answers: Answers) -> Outcome:
    """No copy lies in the image, and no component is loaded from elsewhere than the installed wheel."""
    search = only(answers, COPIES)
    if not search.ran:
        return not_run(f"the image cannot be searched: {search.ending}")
    found = search.stdout.splitlines()
    usual = () if context.shipped else tuple(filter(_is_systems, found))
    copies = tuple(
        Fault(path, "the image has a copy of the wheel's library: it can stand in for the installed one")
        for path in found
        if path not in usual
    )
    if copies or context.recipe.consumer is None:
        remarks = tuple(
            Remark(path, "the system has a library of the same name as one that the wheel brings along")
            for path in usual
        )
        return Outcome(len(_names(context)), "libraries", copies, remarks)
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    return _judge_loaded(context, only(answers, LOADED))


def _is_systems(path: str) -> bool:
    """Whether it lies where distributions put what they package (Filesystem Hierarchy Standard), not what is built.

    A wheel brings along libraries that systems have too, such as libgomp.so.1, under their own names or others.
    """
    place = PurePosixPath(path)
    local = place.is_relative_to("/usr/local")
    return not local and any(map(place.is_relative_to, ("/lib", "/lib64", "/usr")))


def _judge_loaded(context: Context, listed: StepAnswer) -> Outcome:
    if not listed.ok:
        return Outcome(1, "programs", (Fault("app", UNREAD, evidence(listed)),))
    found = {name: path for name, path in paths(listed.stdout).items() if _is_own(context, name)}
    if not found and any(_is_own(context, name) for name in absent(listed.stdout)):
        return not_run("the loader finds no library of the wheel for the consumer: see G1")
    if not found:
        return Outcome(1, "programs", (Fault("app", "loads no library of the wheel", evidence(listed)),))
    faults = tuple(
        Fault(name, "is loaded from elsewhere than the installed wheel", (f"{name} => {path}",))
        for name, path in found.items()
        if not context.is_installed(path)
    )
    return Outcome(len(found), "loaded libraries", faults)


def _is_own(context: Context, needed: str) -> bool:
    return needed.rpartition("/")[2] in _names(context)
