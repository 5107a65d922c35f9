"""C6: the package and each extension module import by themselves, with the declared requirements alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from orchestrator.elf.model import Elf
from orchestrator.verify.dynamic.consumers import only
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import (
    WRONG_REQUIREMENTS,
    has_wrong_requirements,
    install_owner,
    not_installed,
    not_run,
)
from orchestrator.verify.dynamic.import_module import IMPORTED
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.ldd import PYTHON_API
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.python_side import MODELS, link, python, ready
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.c2_needed import expected_of_system, loaded_before
from orchestrator.verify.static.requirements import declared
from orchestrator.wheel.layout import installed_path
from orchestrator.wheel.model import Library

PACKAGE = "import"
EXTENSIONS = "import_extensions"
NOT_AT_HAND = "what the wheel requires is not at hand: give [test] requires-lock, or peers-lock"
IMPORT_SECONDS = 600.0
"""Packages that bring hundreds of megabytes take their time."""

_SCRIPT = Path(__file__).with_name("import_module.py")
_OTHER_PYTHON = re.compile(r"(?:cpython-\d|pypy)[^.]*\.so")
_NO_LIBRARY = re.compile(r"\bImportError: (?P<name>[^\s:]+): cannot open shared object file")
_LINE = re.compile(rf"^{IMPORTED}\t(?P<module>[^\t\n]+)\t(?P<file>[^\t\n]*)$", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    """An extension module by the name that it is imported by, and its file below site-packages."""

    library: Library
    name: str
    file: str
    before: tuple[str, ...]
    """Modules that its users have imported: they bring what it needs."""


@dataclass(frozen=True)
class _Extensions:
    """The wheel's extension modules: those to import, those of another Python, those that no name imports."""

    here: tuple[_Module, ...]
    foreign: tuple[Library, ...]
    nameless: tuple[Library, ...]


def at_hand(context: Context) -> bool:
    """Whether what the wheel requires is there: nothing, or pip takes it from beside the wheel, or it is linked."""
    beside = context.neighbours
    return context.beside or not declared(context.subject) or bool(beside and not beside.missing)


def why_not(context: Context) -> str:
    """Why it is not."""
    beside = context.neighbours
    return beside.missing if beside and beside.missing else NOT_AT_HAND


def probes(context: Context) -> tuple[Probe, ...]:
    """Import each in a process of its own; where that cannot be, install the wheel if nothing else does."""
    if not at_hand(context):
        return (install(context),) if install_owner(context) == "C6" else ()
    start = partial(_step, context)
    files = {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}
    package = Probe(PACKAGE, files, (start(context.recipe.project.import_),), after=ready(context))
    modules = tuple(start(one.name, *one.before) for one in _extensions(context).here)
    # The models' run leaves the bytecode of most that these import.
    extensions = Probe(EXTENSIONS, files, modules, after=(*ready(context), PACKAGE), behind=(MODELS,))
    return (install(context), *link(context), package, *((extensions,) if modules else ()))


def judge(context: Context, answers: Answers) -> Outcome:
    """Each import must end well, and be of the wheel's own file."""
    missing = not_installed(context, answers, "C6") if INSTALL in answers else None
    if missing is not None:
        return missing
    if not at_hand(context):
        return not_run(why_not(context))
    found = faults(context, answers)
    if found and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    if found and all(lacked := [_lacked_by_image(context, fault) for fault in found]):
        return not_run(str(lacked[0]))
    extensions = _extensions(context)
    if extensions.foreign and not found:
        names = ", ".join(one.path for one in extensions.foreign)
        return not_run(f"{names}: for another Python than the row's {context.subject.row.python}")
    remarks = tuple(Remark(one.path, "no import statement names it: it is not tried") for one in extensions.nameless)
    return Outcome(1 + len(extensions.here), "imports", found, remarks)


def faults(context: Context, answers: Answers) -> tuple[Fault, ...]:
    """What does not import; of a package that does not, that alone: what is in it cannot."""
    beside = context.neighbours
    if beside and beside.lacking:
        wheel = context.subject.wheel.filename
        return tuple(Fault(wheel, f"requires {one}, which nothing locked satisfies") for one in beside.lacking)
    package = context.recipe.project.import_
    fault = _judge(context, package, package, None, only(answers, PACKAGE))
    if fault is not None:
        return (fault,)
    modules = _extensions(context).here
    steps = answers[EXTENSIONS].steps if modules else ()
    judged = (
        _judge(context, one.library.path, one.name, one.file, step) for one, step in zip(modules, steps, strict=True)
    )
    return tuple(filter(None, judged))


def _step(context: Context, module: str, *before: str) -> Step:
    return Step(
        (*python(context), _SCRIPT.name, context.places.site, module, *before),
        IMPORT_SECONDS,
        always=True,
    )


def _judge(context: Context, subject: str, module: str, file: str | None, step: StepAnswer) -> Fault | None:
    """What is wrong with one import; `file` is where below the site folder it must be from, None for anywhere in it."""
    if not step.ok:
        return Fault(subject, "does not import", evidence(step))
    said = next((match for match in _LINE.finditer(step.stdout) if match["module"] == module), None)
    if said is None:
        return Fault(subject, "ends the process before it is imported", evidence(step))
    wanted = f"{context.places.site}/{file}"
    if (said["file"] != wanted) if file else not context.is_installed(said["file"]):
        return Fault(subject, "is not what is imported by its name", (f"{module} is {said['file']}",))
    return None


def _lacked_by_image(context: Context, fault: Fault) -> str | None:
    """Which library the wheel may expect of any system, and this image has not, so that an import failed."""
    for line in fault.evidence:
        match = _NO_LIBRARY.search(line)
        policy = expected_of_system(context.subject, match["name"]) if match else None
        if match and policy:
            lacks = f"the image '{context.image}' has no {match['name']}, which {policy} lets the wheel expect"
            return f"{fault.subject} {fault.reason}: {lacks}; add its package to images/{context.image}.toml"
    return None


def _extensions(context: Context) -> _Extensions:
    here: list[_Module] = []
    foreign: list[Library] = []
    nameless: list[Library] = []
    for library, elf in context.subject.wheel.readable():
        file = PurePosixPath(installed_path(library.path))
        if elf.machine != context.subject.row.arch or file.parts[0] == "..":
            continue
        stem, _, ending = library.name.partition(".")
        own_ending = ending.startswith(f"cpython-{context.subject.row.python.removeprefix('cp')}-")
        if not library.is_extension and not ((own_ending or ending == "abi3.so") and _calls_python(elf)):
            continue
        names = (*file.parts[:-1], stem)
        if not own_ending and _OTHER_PYTHON.fullmatch(ending):
            foreign.append(library)
        elif all(map(str.isidentifier, names)) and (own_ending or ending == "abi3.so" or _is_named(elf, stem, ending)):
            here.append(_Module(library, ".".join(names), str(file), _before(context, elf)))
        else:
            nameless.append(library)
    return _Extensions(tuple(here), tuple(foreign), tuple(nameless))


def _calls_python(elf: Elf) -> bool:
    """Whether it calls Python's C API: so named it is a module, if its PyInit function is lost too."""
    return any(not one.defined and PYTHON_API.fullmatch(one.name) for one in elf.symbols)


def _is_named(elf: Elf, stem: str, ending: str) -> bool:
    """Whether a plain `name.so` is the module of that name, rather than a library for several (Python, PEP 489)."""
    return ending == "so" and any(one.is_export and one.name == f"PyInit_{stem}" for one in elf.symbols)


def _before(context: Context, elf: Elf) -> tuple[str, ...]:
    """What C2 takes to be loaded before the module."""
    return ("torch",) if any(loaded_before(context.subject, name) for name in elf.needed) else ()
