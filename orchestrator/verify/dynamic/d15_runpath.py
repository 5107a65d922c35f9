"""D15: a consumer records RUNPATH, not RPATH, with $ORIGIN first."""

from __future__ import annotations

import posixpath

from orchestrator.elf.model import Elf
from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.linking import LINKING, full, linking, written
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
    """Read the program's dynamic section, and that of one whose linker makes RPATH unless it is told otherwise."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    by_default = full(answers, context.route) if answers[LINKING].ok else None
    return judge_program(read_elf(answers[ALL.name].collected["build/app"]), written(context, answers), by_default)


def judge_program(elf: Elf, written: str, by_default: Elf | None = None) -> Outcome:
    """Judge the search path of one program; `written` tells what this CMake makes of $ORIGIN.

    Which of both tags a linker writes by itself differs: GNU ld 2.35 wrote RPATH, that of Debian 12 RUNPATH.
    `by_default` is a program whose linker was told --disable-new-dtags before the package's own options.
    """
    faults = []
    if elf.rpath:
        faults.append(Fault("app", "records RPATH, which outranks LD_LIBRARY_PATH", elf.rpath))
    elif by_default is not None and by_default.rpath:
        reason = "records RPATH with a linker that writes it by default: no option of the package asks for RUNPATH"
        faults.append(Fault("app", reason, by_default.rpath))
    if not elf.search_path:
        faults.append(Fault("app", "records no search path"))
    elif posixpath.normpath(elf.search_path[0]) not in {"$ORIGIN", "${ORIGIN}"}:
        faults.append(Fault("app", "$ORIGIN is not the first entry of the search path", (*elf.search_path, written)))
    return Outcome(1, "programs", tuple(faults), evidence=(*elf.search_path, written))
