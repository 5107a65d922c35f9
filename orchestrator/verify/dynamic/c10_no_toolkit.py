"""C10: the loader finds everything in an image without a CUDA toolkit, CUDA in the installed runtime wheel."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import WRONG_REQUIREMENTS, has_wrong_requirements, not_run
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.ldd import Resolved, loadable, needed
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.texts import evidence, failure
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.c2_needed import expected_of_system, left_to_others
from orchestrator.verify.static.nvidia import cuda_library, is_driver
from orchestrator.wheel.model import Library

IMAGE = "toolkit_in_image"
LOADER = "loader"

# Of the image alone: volumes, with the wheel and the tools in them, are other file systems.
_FIND = (
    *("find", "/", "-xdev", "(", "-name", "nvcc", "-o", "-name", "libcudart.so*", "-o"),
    *("-regex", r"/\(usr/local\|opt\)/cuda[^/]*", ")", "-print", "-prune"),
)
# An image that was unpacked for another processor: its loader looks into its own folders alone.
_NO_CACHE = re.compile(r"Can't open cache file \S+\s*: No such file or directory")
_CACHE_ENTRY = re.compile(r"^\s+(?P<name>\S+) \(.*\) => (?P<path>\S+)$", re.MULTILINE)


def applies(context: Context) -> bool:
    """On CUDA rows."""
    return context.subject.row.is_cuda


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask what the image's loader knows, look for a toolkit, and resolve every library of the wheel."""
    image = (Step(("/sbin/ldconfig", "-p"), always=True), Step(_FIND, always=True))
    loader = tuple(Step(("ldd", "-r", context.installed_at(library)), always=True) for library in loadable(context))
    return (install(context), Probe(IMAGE, {}, image), Probe(LOADER, {}, loader, after=(INSTALL,)))


def judge(context: Context, answers: Answers) -> Outcome:
    """A toolkit in the image is a fault by itself: what a library finds there, users will miss."""
    faults = _judge_image(*answers[IMAGE].steps)
    if faults:
        return Outcome(len(faults), "images", tuple(faults))
    reason = why_not_installed(answers)
    if reason and context.recipe.cmake is None:  # with a CMake package, D2 tells it
        return Outcome(1, "wheels", (Fault(context.subject.wheel.filename, reason, failure(answers[INSTALL])),))
    if reason:
        return not_run(f"{reason}: see D2")
    remarks: list[Remark] = []
    origins: list[str] = []
    for library, step in zip(loadable(context), answers[LOADER].steps, strict=True):
        judged = _judge_library(context, library, step)
        faults += judged.faults
        remarks += judged.remarks
        origins += judged.origins
    if faults and has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    shown = tuple(dict.fromkeys(origins))
    return Outcome(len(loadable(context)), "libraries", tuple(faults), tuple(remarks), shown)


def _judge_image(cache: StepAnswer, found: StepAnswer) -> list[Fault]:
    none = cache.ran and _NO_CACHE.search(cache.stderr) is not None
    if not (cache.ok or none) or not found.ran:
        wrong = found if cache.ok or none else cache
        return [Fault("image", "it cannot be told whether the image has a CUDA toolkit", evidence(wrong))]
    entries = [(match["name"], match[0].strip()) for match in _CACHE_ENTRY.finditer(cache.stdout)]
    faults = []
    if not entries and not none:
        faults.append(Fault("image", "the loader's cache is empty: it proves nothing", evidence(cache)))
    known = tuple(line for name, line in entries if cuda_library(name) is not None)
    if known:
        faults.append(
            Fault("image", "the loader of the image knows CUDA libraries: it hides what the wheel lacks", known)
        )
    if found.stdout.strip():
        reason = "the image has a CUDA toolkit: it hides what the wheel lacks"
        faults.append(Fault("image", reason, tuple(found.stdout.splitlines())))
    return faults


@dataclass(frozen=True)
class _Judged:
    """What the loader said of one library; `origins` tells where it finds CUDA."""

    faults: tuple[Fault, ...] = ()
    remarks: tuple[Remark, ...] = ()
    origins: tuple[str, ...] = ()


def _excuse(context: Context, library: Library, name: str) -> str | None:
    """Why the loader need not find what a library names in this image, None if it must."""
    if is_driver(name):
        return "its device's driver brings it"
    if policy := expected_of_system(context.subject, name):
        return f"the image has none, and {policy} lets the wheel expect it"
    return left_to_others(context.subject, library, name)


def _judge_library(context: Context, library: Library, step: StepAnswer) -> _Judged:
    resolved = Resolved(library, step)
    if (unread := resolved.unread()) is not None:
        return _Judged((unread,))
    faults: list[Fault] = []
    remarks: list[Remark] = []
    origins: list[str] = []
    for name, path in resolved.found.items():
        if cuda_library(name) is None:
            continue
        origin = f"{name} => {path}"
        origins.append(origin)
        if not context.is_installed(path):
            faults.append(Fault(library.path, f"finds {name} outside of what is installed with the wheel", (origin,)))
    named = needed(loadable(context))
    # What another library of the wheel names is told of that one.
    for name in (*resolved.lacking, *(one for one in resolved.absent if one not in named)):
        if excuse := _excuse(context, library, name):
            remarks.append(Remark(library.path, f"{name} is not found: {excuse}"))
        else:
            faults.append(Fault(library.path, f"the loader does not find {name}", evidence(step)))
    components = {component.library for component in context.recipe.component}
    faults += resolved.undefined(is_linked=library.name in components)
    return _Judged(tuple(faults), tuple(remarks), tuple(origins))
