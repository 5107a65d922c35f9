"""D16: LD_LIBRARY_PATH puts other libraries in the place of the package's; with DT_RPATH it would not."""

from __future__ import annotations

from pathlib import Path

from orchestrator.verify.dynamic.consumers import ALL, LOOK_SECONDS, blame, build, program
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.d15_runpath import applies as is_promised
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.ldd import UNREAD, paths
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome

SHADOW = "shadow"

_SCRIPT = Path(__file__).with_name("retag.py")


def applies(context: Context) -> bool:
    """Where the package says how programs search for it."""
    return is_promised(context)


def probes(context: Context) -> tuple[Probe, ...]:
    """The consumer, and its copy that differs in the tag alone, each with a folder of libraries in LD_LIBRARY_PATH."""
    return (install(context), questions(context), build(context, ALL), _shadow(context))


def _libraries(context: Context) -> tuple[str, ...]:
    """Where the components' libraries are installed."""
    owners = (library for component in context.shipped for library in context.subject.owners(component))
    return tuple(map(context.installed_at, owners))


def _shadow(context: Context) -> Probe:
    app = program(context, ALL)
    shadowed = ("env", f"LD_LIBRARY_PATH={context.folder(SHADOW)}/libraries")
    return Probe(
        SHADOW,
        {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8"), "libraries/.keep": ""},
        (
            Step(("ln", "-s", *_libraries(context), "libraries")),
            Step((*shadowed, "ldd", app), LOOK_SECONDS),
            Step(("python3", _SCRIPT.name, app, "rpath")),
            Step((*shadowed, "ldd", "./rpath"), LOOK_SECONDS),
        ),
        after=(ALL.name,),
    )


def judge(context: Context, answers: Answers) -> Outcome:
    """Every component that the program loads must come from the other folder; with DT_RPATH none may."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    prepared, shadowed, retagged, control = answers[SHADOW].steps
    if not prepared.ok:
        return not_run(f"the other folder could not be made: {prepared.ending}")
    folder = f"{context.folder(SHADOW)}/libraries/"
    if not shadowed.ok:
        return Outcome(1, "programs", (Fault("app", UNREAD, evidence(shadowed)),))
    ours = {component.library for component in context.shipped}
    found = {name: path for name, path in paths(shadowed.stdout).items() if name.rpartition("/")[2] in ours}
    faults = [
        Fault(name, "LD_LIBRARY_PATH does not put another in its place", (f"{name} => {path}",))
        for name, path in found.items()
        if not path.startswith(folder)
    ]
    if not faults and not control.ok:
        wrong = control if retagged.ok else retagged
        return not_run(f"the copy with DT_RPATH could not be tried: {wrong.ending}")
    # What only another library needs is searched for by that library's DT_RUNPATH, whatever the program has.
    by_path = paths(control.stdout)
    if not faults and all(by_path.get(name, folder).startswith(folder) for name in found):
        reason = "a program with DT_RPATH takes libraries from LD_LIBRARY_PATH too: the trial proves nothing"
        faults.append(Fault("control", reason, evidence(control)))
    return Outcome(len(found), "libraries", tuple(faults), evidence=tuple(f"{n} => {p}" for n, p in found.items()))
