"""C3: copied elsewhere, with $ORIGIN search paths alone, the wheel's files find what they need, symbols too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import install_owner, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.ldd import Resolved, loadable, needed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.texts import evidence, failure
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static import c2_needed
from orchestrator.verify.static.nvidia import cuda_library, is_driver
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.loader import Loader
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
    """A library that C2 blames is not judged: it lacks something in place too.

    What a library lacks is told of the one that names it, and of what loads that only where the first finds it alone.
    Undefined symbols of extension modules are C6's, which resolves them at once, and those of CUDA rows C10's.
    """
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see {install_owner(context)}")
    blamed = {fault.subject for fault in c2_needed.check(context.subject).faults}
    copied = libraries(context)
    if blamed.issuperset(library.path for library in copied):
        return not_run("no library finds what it needs where the wheel is installed: see C2")
    if not answers[COPY].ok:
        fault = Fault(context.subject.wheel.filename, "its libraries cannot be copied", failure(answers[COPY]))
        return Outcome(1, "copied libraries", (fault,))
    resolved = tuple(map(Resolved, copied, answers[LOADER].steps))
    judged = tuple(one for one in resolved if one.library.path not in blamed)
    remarks = tuple(
        Remark(one.library.path, "is not judged: C2 says what it lacks where the wheel is installed")
        for one in resolved
        if one.library.path in blamed
    )
    blame = _Blame(context, judged, blamed)
    components = {component.library for component in context.recipe.component}
    faults: list[Fault] = []
    for one in judged:
        if (unread := one.unread()) is not None:
            faults.append(unread)
            continue
        faults += [
            Fault(one.library.path, f"does not find {name} once the wheel is copied", evidence(one.step))
            for name in blame.lacking(one)
        ]
        if not context.subject.row.is_cuda and not one.library.is_extension:
            faults += one.undefined(is_linked=one.library.name in components)
    return Outcome(len(judged), "copied libraries", tuple(faults), remarks)


class _Blame:
    """Which library is told of, where `ldd` of several says that one name is not found."""

    def __init__(self, context: Context, judged: Sequence[Resolved], blamed: Collection[str]) -> None:
        self._context = context
        self._loader = Loader(context.subject.wheel)
        # What C2 tells of a library is absent for all that load it.
        self._told = set(needed(one for one in libraries(context) if one.path in blamed))
        self._told |= {name for one in judged for name in one.lacking if not self._is_found_as_part(one, name)}

    def lacking(self, one: Resolved) -> list[str]:
        """The names whose absence is a fault of that library."""
        own = [name for name in one.lacking if not self._is_found_as_part(one, name)]
        others = [name for name in one.absent if name not in one.lacking and name not in self._told]
        return [name for name in (*own, *others) if not self._is_others(one, name)]

    def _is_found_as_part(self, one: Resolved, name: str) -> bool:
        """Whether it is found only as part of what loads the library, and asked for there: `ldd` of that says it."""
        alone = self._loader.finds_alone(one.library, name)
        return alone is None and self._loader.finds(one.library, name) is not None

    def _is_others(self, one: Resolved, name: str) -> bool:
        """Whether it is no file of the wheel's, and C2 or C4 say why it need not be: it is not copied."""
        subject = self._context.subject
        if name in one.lacking and self._loader.finds_alone(one.library, name) is not None:
            return False
        if is_driver(name) or cuda_library(name) is not None or c2_needed.expected_of_system(subject, name):
            return True
        return c2_needed.left_to_others(subject, one.library, name) is not None
