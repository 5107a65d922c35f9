"""D15: a consumer records RUNPATH, not RPATH, with $ORIGIN first."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import linking, written
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.outcome import Fault, Outcome


def applies(context: Context) -> bool:
    """Where a program is promised to run elsewhere."""
    return context.recipe.consumer is not None and context.is_relocatable


def probes(context: Context) -> tuple[Probe, ...]:
    """The whole consumer, and a program that shows how this CMake writes $ORIGIN."""
    return (install(context), questions(context), build(context, ALL), linking(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Read the program's dynamic section."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    return judge_program(read_elf(answers[ALL.name].collected["build/app"]), written(context, answers))


def judge_program(elf: Elf, written: str) -> Outcome:
    """Judge the search path of one program; `written` tells what this CMake makes of $ORIGIN."""
    faults = []
    if elf.rpath:
        faults.append(Fault("app", "records RPATH, which outranks LD_LIBRARY_PATH", elf.rpath))
    if not elf.search_path:
        faults.append(Fault("app", "records no search path"))
    elif elf.search_path[0] not in {"$ORIGIN", "${ORIGIN}"}:
        faults.append(Fault("app", "$ORIGIN is not the first entry of the search path", (*elf.search_path, written)))
    return Outcome(1, "programs", tuple(faults), evidence=(*elf.search_path, written))
