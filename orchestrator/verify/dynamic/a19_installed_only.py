"""A19: nothing of the build is where the wheel is tried: what programs load is what was installed."""

from __future__ import annotations

from orchestrator.verify.dynamic.consumers import ALL, blame, build, only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.loaded import LOADED, loaded, paths
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

COPIES = "copies_in_image"


def applies(context: Context) -> bool:
    """Where the wheel has libraries."""
    return bool(_names(context))


def _names(context: Context) -> tuple[str, ...]:
    """File names that only this wheel has: its components', or those of all its libraries where it has none."""
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
    return (install(context), questions(context), build(context, ALL), loaded(context), image)


def judge(context: Context, answers: Answers) -> Outcome:
    """No copy lies in the image, and no component is loaded from elsewhere than the installed wheel."""
    search = only(answers, COPIES)
    if not search.ran:
        return not_run(f"the image cannot be searched: {search.ending}")
    faults = [
        Fault(path, "the image has a copy of the wheel's library: it can stand in for the installed one")
        for path in search.stdout.splitlines()
    ]
    if context.recipe.consumer is None:
        return Outcome(len(_names(context)), "libraries", tuple(faults))
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}") if not faults else _outcome(context, faults)
    listed = only(answers, LOADED)
    if not listed.ok:
        faults.append(Fault("app", "the loader does not read it", evidence(listed)))
    found = {name: path for name, path in paths(listed.stdout).items() if name.rpartition("/")[2] in _names(context)}
    faults += [
        Fault(name, "is loaded from elsewhere than the installed wheel", (f"{name} => {path}",))
        for name, path in found.items()
        if not context.is_installed(path)
    ]
    return _outcome(context, faults)


def _outcome(context: Context, faults: list[Fault]) -> Outcome:
    return Outcome(len(_names(context)), "libraries", tuple(faults))
