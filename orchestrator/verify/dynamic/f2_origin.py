"""F2: a consumer needs the runtime library and looks for it beside itself."""

from __future__ import annotations

from orchestrator.elf.model import Elf
from orchestrator.elf.read import read_elf
from orchestrator.verify.dynamic.consumers import ALL, blame
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.outcome import Fault, Outcome


def judge(context: Context, answers: Answers) -> Outcome:
    """Read the program's dynamic section."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    return judge_program(read_elf(answers[ALL.name].collected["build/app"]), context.runtime.library)


def judge_program(elf: Elf, runtime: str) -> Outcome:
    """Judge one program."""
    faults = []
    if runtime not in elf.needed:
        faults.append(Fault("app", f"does not need {runtime}: it links something else", elf.needed))
    if not any(entry.startswith(("$ORIGIN", "${ORIGIN}")) for entry in elf.search_path):
        faults.append(Fault("app", "no entry of the search path begins with $ORIGIN", elf.search_path))
    return Outcome(1, "programs", tuple(faults))
