"""C3: copied elsewhere, with $ORIGIN search paths alone, the wheel's files find what they need, symbols too."""

from __future__ import annotations

from pathlib import Path

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import install_owner, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.ldd import Resolved, loadable
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.texts import evidence, failure
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static import c2_needed
from orchestrator.verify.static.nvidia import cuda_library, is_driver
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Library

COPY = "copied_layout"
LOADER = "copied_loader"
_PLACE = "elsewhere/and/deeper"
_SCRIPT = Path(__file__).with_name("copy_libraries.py")


def applies(context: Context) -> bool:
    """Something needs a library, and the loader of the row's processor reads it."""
    return c2_needed.applies(context.subject) and bool(libraries(context))


def libraries(context: Context) -> tuple[Library, ...]:
    """What is copied: the script reads 64-bit files alone."""
    return tuple(library for library in loadable(context) if library.elf and library.elf.bits == 64)


def probes(context: Context) -> tuple[Probe, ...]:
    """Copy all of them; then resolve each with the real loader."""
    names = tuple(installed_path(library.path) for library in libraries(context))
    copied = Step(("python3", "-I", _SCRIPT.name, context.places.site, _PLACE, *names))
    files = {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}
    folder = f"{context.folder(COPY)}/{_PLACE}"
    steps = tuple(Step(("ldd", "-r", f"{folder}/{name}"), always=True) for name in names)
    return (
        install(context),
        Probe(COPY, files, (copied,), after=(INSTALL,)),
        Probe(LOADER, {}, steps, after=(COPY,)),
    )


def judge(context: Context, answers: Answers) -> Outcome:
    """What is not found in place either is C2's.

    Undefined symbols of extension modules are C6's, which resolves them at once, and those of CUDA rows C10's.
    """
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see {install_owner(context)}")
    if c2_needed.check(context.subject).faults:
        return not_run("the loader does not find everything where the wheel is installed: see C2")
    if not answers[COPY].ok:
        fault = Fault(context.subject.wheel.filename, "its libraries cannot be copied", failure(answers[COPY]))
        return Outcome(1, "copied libraries", (fault,))
    faults: list[Fault] = []
    copied = libraries(context)
    for library, step in zip(copied, answers[LOADER].steps, strict=True):
        resolved = Resolved(library, step)
        if (unread := resolved.unread()) is not None:
            faults.append(unread)
            continue
        faults += [
            Fault(library.path, f"does not find {name} once the wheel is copied", evidence(step))
            for name in resolved.absent
            if not _is_others(context, library, name)
        ]
        if not context.subject.row.is_cuda and not library.is_extension:
            faults += resolved.undefined()
    return Outcome(len(copied), "copied libraries", tuple(faults))


def _is_others(context: Context, library: Library, name: str) -> bool:
    """Whether it is no file of the wheel's, and C2 or C4 say why it need not be: it is not copied."""
    if is_driver(name) or cuda_library(name) is not None:
        return True
    reason = c2_needed.allowed(context.subject, library, name) or c2_needed.loaded_before(context.subject, name)
    return reason is not None
