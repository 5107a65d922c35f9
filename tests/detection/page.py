"""`docs/detection.md`: what is planted, and which checks must see it."""

from __future__ import annotations

from pathlib import Path

from orchestrator.cli.explanations import explanations
from tests.detection.fault import BuildFault, Fault
from tests.detection.faults import FAULTS
from tests.detection.harmless import HARMLESS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "detection.md"

UNPLANTED = {
    "A1": "it never fails: the filter drops what the policy does not name, and says so",
    "A22": "it is asked of the filter itself: tests make matrices at random",
    "H0": "it never fails: it notes what device code there is",
    "H6": "it needs a GPU: not run where there is none",
    "H9": "it needs a GPU: not run where there is none",
    "K12": "it never fails: it notes how much debug information there is",
}
"""Checks that no planted fault can fail here, and why."""

_HEAD = """# Planted faults

Generated from `tests/detection/faults` by `nox -s detection -- --document`.

Each fault is one edit: of a correct wheel, of its recipe or a file beside that, of a build, or of the place where
checks are asked. `nox -s detection` plants all of them: the checks of the second column must fail, each of them with
its words of the fourth, and every other check must say what it says of the correct wheel (verdict, place, subject,
reason and notes, only numbers may differ), or that it cannot be asked because of one that fails.
"""

_HARMLESS = f"""
## Harmless edits

{len(HARMLESS)} negative controls, planted with the faults: they break nothing, and every check, every note must be as
on the correct wheel.
"""


def page() -> str:
    """The page as the registry is."""
    planted: dict[str, list[str]] = {}
    for fault in FAULTS:
        for owner in fault.owners:
            planted.setdefault(owner, []).append(fault.name)
    lines = [
        _HEAD,
        f"## Faults\n\n{len(FAULTS)} faults.\n",
        "| fault | checks | shown by | says |",
        "|---|---|---|---|",
    ]
    lines += [_row(fault.name, ", ".join(fault.owners), _shown(fault), _words(fault)) for fault in FAULTS]
    lines += [_HARMLESS, "| edit | shown by | harmless because |", "|---|---|---|"]
    lines += [_row(one.name, _shown(one), one.because) for one in HARMLESS]
    lines += ["\n## Checks\n", "| check | name | faults |", "|---|---|---|"]
    for check in explanations():
        told = str(len(planted[check.id])) if check.id in planted else f"none: {UNPLANTED.get(check.id, 'missing')}"
        lines.append(_row(check.id, check.name, told))
    return "\n".join(lines) + "\n"


def _shown(fault: Fault | BuildFault) -> str:
    if isinstance(fault, BuildFault):
        return fault.shown
    return f"{fault.variant} wheel{', without a recipe' if fault.inspected else ''}: {fault.shown}"


def _words(fault: Fault | BuildFault) -> str:
    if len(fault.owners) == 1:
        return fault.says
    return "; ".join(f"{owner}: {fault.words[owner]}" for owner in fault.owners)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"
