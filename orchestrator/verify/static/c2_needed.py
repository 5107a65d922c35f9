"""C2: the loader finds everything that the wheel's files need."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from orchestrator.elf.model import Binding, Elf
from orchestrator.report.words import number
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.nvidia import cuda_library, is_driver
from orchestrator.verify.static.requirements import belongs_to_requirement, brought, declared, shares_prefix
from orchestrator.verify.static.search import entries, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import PREFIX_LIBRARIES
from orchestrator.wheel.loader import Loader
from orchestrator.wheel.model import Library
from orchestrator.wheel.names import without_hash
from orchestrator.wheel.platform_tag import is_system_library

_TORCH = re.compile(r"lib(torch|c10|shm)\w*\.so")


def applies(subject: StaticSubject) -> bool:
    """Some file names a library that it needs."""
    return any(elf.needed and elf.machine == subject.row.arch for _, elf in dynamic(subject.wheel))


def check(subject: StaticSubject) -> Outcome:
    """By the loader's rules, with nothing installed but this wheel and what it declares.

    The system brings what the promised manylinux or musllinux policy lists; a driver's libraries come
    with its hardware.  CUDA runtime libraries that the wheel does not ship are C4's (search path) and
    K10's (requirement); files for another processor than the row's are J1's.
    """
    question = _Question(subject)
    faults: list[Fault] = []
    remarks: list[Remark] = []
    inspected = 0
    for library, elf in dynamic(subject.wheel):
        wrong: dict[str, list[str]] = {}
        left: dict[str, list[str]] = {}
        for needed in elf.needed if elf.machine == subject.row.arch else ():
            inspected += 1
            if question.is_found_or_others(library, needed):
                continue
            leave = left_to_others(subject, library, needed, question.requirements)
            if leave:
                left.setdefault(leave, []).append(needed)
            else:
                wrong.setdefault(question.why(needed), []).append(needed)
        path = (shown(elf),)
        faults += [Fault(library.path, f"needs {', '.join(names)}, {why}", path) for why, names in wrong.items()]
        faults += question.other_versions(library, elf)
        faults += question.lost_on_the_way(library, elf)
        remarks += [Remark(library.path, f"{', '.join(names)} left to others: {why}") for why, names in left.items()]
    return Outcome(inspected, "needed libraries", tuple(faults), tuple(remarks))


class _Question:
    """What is the same for every library of a wheel."""

    def __init__(self, subject: StaticSubject) -> None:
        self.requirements = brought(subject)
        self._subject = subject
        self.shipped: dict[str, list[Library]] = {}
        self._loader = Loader(subject.wheel)
        self._elves = {library.path: elf for library, elf in dynamic(subject.wheel)}
        self._arch = subject.row.arch
        for library in subject.wheel.libraries:
            self.shipped.setdefault(library.name, []).append(library)

    def why(self, needed: str) -> str:
        """Why the loader does not find it."""
        if needed in self.shipped:
            where = ", ".join(one.path for one in self.shipped[needed])
            return f"which ships as {where}, out of the loader's reach"
        return f"absent from the wheel and from what {_family(_platforms(self._subject))} lets it expect"

    def other_versions(self, library: Library, elf: Elf) -> list[Fault]:
        """Symbol versions that it needs of a library which the loader takes from the wheel and which lacks them.

        The loader refuses such a file (LSB, symbol versioning), but takes a library without any versions for one
        that has them, and does without a version that only weak symbols need.
        """
        strong = {one.version for one in elf.symbols if not one.defined and one.binding is not Binding.WEAK}
        faults = []
        for needed, versions in elf.versions_needed.items():
            path = self._loader.finds(library, needed) or ""
            found = self._elves.get(path)
            if found is None or not found.versions_defined or elf.machine != self._arch:
                continue
            if lacking := [one for one in versions if one in strong and one not in found.versions_defined]:
                count = number(len(lacking), "symbol versions")
                reason = f"needs {count} of {needed} that {path} does not define: {', '.join(lacking)}"
                faults.append(Fault(library.path, reason, (f"defined: {', '.join(found.versions_defined)}",)))
        return faults

    def lost_on_the_way(self, library: Library, elf: Elf) -> list[Fault]:
        """Needs of what it loads that are in reach when something else loads that, and not when this file does.

        Only modules and programs are certain to be where loading begins.  Their DT_RPATH serves what they load
        too, their DT_RUNPATH does not (ld.so(8)).
        """
        if elf.machine != self._arch or not (elf.interpreter or library.is_extension):
            return []
        faults = []
        for load in self._loader.loads(library)[1:]:
            missed = [name for name, path in load.found if path is None and self._loader.finds(load.library, name)]
            lost = [name for name in missed if not self._others_bring(load.library, name)]
            if lost and load.library.elf:
                names = ", ".join(lost)
                reason = (
                    f"loads {load.library.path}, which does not find {names} then: its own search path leads elsewhere"
                )
                paths = (shown(elf), f"{load.library.path}: {shown(load.library.elf)}")
                faults.append(Fault(library.path, reason, paths))
        return faults

    def is_found_or_others(self, library: Library, needed: str) -> bool:
        """Whether the loader finds it, the system brings it, or another check answers for it."""
        if self._loader.finds(library, needed) is not None or expected_of_system(self._subject, needed):
            return True
        if (candidates := self.shipped.get(needed)) is not None:
            # One that is damaged or for another processor is B6's or J1's.
            return all(one.elf is None or one.elf.machine != self._arch for one in candidates)
        return is_driver(needed) or ((cuda := cuda_library(needed)) is not None and not cuda.is_copy)

    def _others_bring(self, library: Library, needed: str) -> bool:
        return bool(
            expected_of_system(self._subject, needed)
            or left_to_others(self._subject, library, needed, self.requirements)
        )


def _platforms(subject: StaticSubject) -> tuple[str, ...]:
    return tuple(tag.platform for tag in subject.wheel.tags)


def _family(platforms: tuple[str, ...]) -> str:
    return "musllinux" if any(tag.startswith("musllinux") for tag in platforms) else "manylinux"


def expected_of_system(subject: StaticSubject, needed: str) -> str | None:
    """The policy that the wheel promises and that lets it expect the library of any system, None if it does not."""
    platforms = _platforms(subject)
    return _family(platforms) if is_system_library(needed, subject.row.arch, platforms) else None


def left_to_others(subject: StaticSubject, library: Library, needed: str, names: set[str] | None = None) -> str | None:
    """Why the loader may miss what a library names, None if it may not; `names` are what is required (`brought`)."""
    required = brought(subject) if names is None else names
    return _allowed(subject, library, needed) or loaded_before(subject, needed) or _required(library, needed, required)


def _allowed(subject: StaticSubject, library: Library, needed: str) -> str | None:
    """The reason for which the recipe lets the loader miss it, None if it does not."""
    for one in subject.recipe.unresolved if subject.recipe else ():
        if fnmatchcase(needed, one.library) and fnmatchcase(library.path, one.subjects):
            return one.reason
    return None


def loaded_before(subject: StaticSubject, needed: str) -> str | None:
    """The declared requirement that is loaded before the wheel's libraries and has it, None if none does.

    Extensions of torch need no path to it: they are loaded after it, and what is loaded is found.
    """
    if "torch" in declared(subject) and _TORCH.fullmatch(needed):
        return "the declared requirement torch brings it, and is loaded first"
    return None


def _required(library: Library, needed: str, names: set[str]) -> str | None:
    """A declared requirement that brings it, since the search path leads into its folder; None if none does.

    NVIDIA's distributions hold nothing under a name that auditwheel gave to a copy.
    """
    is_copy = without_hash(needed) != needed
    for entry in entries(library, library.elf) if library.elf else ():
        if not entry.path or (entry.outside and entry.path != PREFIX_LIBRARIES):
            continue
        if is_copy and entry.path.startswith("nvidia/"):
            continue
        if owner := belongs_to_requirement(entry.path, names):
            return f"the search path leads to the declared requirement {owner}"
        if owner := shares_prefix(entry.path, needed, names):
            return f"the declared requirement {owner} installs into the same prefix"
    return None
