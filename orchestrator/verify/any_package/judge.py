"""K6, K7 and K8 of one CMake package, by what CMake answered."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from packaging.version import Version

from orchestrator.verify.any_package.ask import (
    BOGUS,
    DATA,
    DEBIAN,
    FOREIGN,
    HINTED,
    LINKED,
    NONE,
    OWN,
    RHEL,
    asks_bogus,
    bogus,
    finding,
    linking,
    pythons,
)
from orchestrator.verify.any_package.found import FoundPackage
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import why_not_installed
from orchestrator.verify.dynamic.probe import Answer, Answers
from orchestrator.verify.dynamic.questions import Reply, read_replies
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.requirements import declared

_HEADER = re.compile(r"^CMake (?:Error|Warning)\b.*$", re.MULTILINE)
_NEEDED_CMAKE = re.compile(r"\bCMake\b\D{0,40}?(\d+\.\d+(?:\.\d+)*)", re.IGNORECASE)
_DEPENDENCY = re.compile(
    r"could not be found because dependency (?P<declared>\S+) could not be found"
    r"|package configuration file provided by \"(?P<config>[^\"]+)\""
    r"|Could NOT find (?P<module>[\w.+-]+)"
    r"|find_package\((?P<before>[\w.+-]+)"
    r"|Modules/Find(?P<ending>(?!Package)\w+)\.cmake:\d+ \(message\)"
)
"""What CMake says where a package looks for another (its modules CMakeFindDependencyMacro and
FindPackageHandleStandardArgs, find_package itself, a find module that ends the configure), and a package that
wants another to be found before."""

_NO_MODULE = re.compile(r"No module named '?(\w+)")
"""What Python says of a module that is not there, or of one in a package that is not."""

_LOOKS_FOR_PYTHON = re.compile(
    r"\bPython3?\b.{0,40}\b(?:found|find|missing|required|needed)\b"
    r"|\b(?:find|found|missing|requires?|needs?)\b.{0,40}\bPython3?\b"
)
"""How people word that."""

_SYSTEM = frozenset(("usr", "lib", "lib64"))
"""Folders at the root in which systems keep headers and libraries."""

_SHARED = frozenset(("nvidia", "cmeel.prefix", "bin", "etc", "include", "lib", "lib64", "share"))
"""Folders into which several distributions install; what wheels put into an installation's prefix lies there too."""

_WITH = {OWN: "the package's own Python", FOREIGN: "another Python", NONE: "no Python"}


def found(context: Context, answers: Answers, package: FoundPackage) -> Outcome:
    """K6: CMake of both families finds the package, or it says which CMake it needs."""
    reason = _why_not_there(answers)
    if reason:
        return not_run(reason)
    answer = answers[finding(context, package).id]
    # A package can keep a question from being answered, by a variable of the same name as one of ours.
    asked = {family: Reply(()) for family in (DEBIAN, RHEL)} | dict(read_replies(answer.collected))
    if answer.ok and all(asked[family].found for family in (DEBIAN, RHEL)):
        return Outcome(2, "searches", remarks=_remarks(context, answers, package))
    told = _said(answer, asked)
    asks_itself = not answer.ok or not asked.get(HINTED, Reply(())).found
    excuse = (
        _needs_cmake(context, told)
        or _needs_package(context, package, told)
        or _needs_module(context, told)
        or (_needs_python(context, told) or _needs_neighbours(context, package) if asks_itself else None)
    )
    if excuse and not is_endless(answer):
        return not_run(excuse)
    if not answer.ok:
        how = "does not end" if is_endless(answer) else "ends with an error"
        reason = f"find_package({package.name}) {how} in CMake {context.cmake}"
        return Outcome(1, "configures", (Fault(package.config, reason, failure(answer)),))
    one = {DEBIAN: "a Debian-like", RHEL: "a RHEL-like"}
    seen = [words for family, words in one.items() if asked[family].found]
    prefix = f"with the prefix {package.prefix or 'site-packages'}"
    how = f"finds {package.name} only on {seen[0]} system" if seen else f"does not find {package.name}"
    reason = f"{prefix}, CMake {context.cmake} {how}"
    return Outcome(2, "searches", (Fault(package.config, reason, tuple(filter(None, (told.strip(),)))),))


def paths(context: Context, answers: Answers, package: FoundPackage) -> Outcome | None:
    """K7: what targets and variables name exists; None where they name no path."""
    unfound = _unfound(context, answers, package)
    if unfound:
        return unfound
    listed = _listed(context, answers, package)
    missing = [(owner, role, path) for owner, role, state, path in listed if state == "absent"]
    if not listed:
        return None
    absent = [one for one in missing if not _is_systems(context, one[2])]
    others = sorted(declared(context.subject))
    own = [one for one in absent if not (others and _others_may_bring(context, one[2]))]
    if absent and not own:
        return not_run(f"{absent[0][2]} is not of this wheel; what it requires may bring it: {', '.join(others)}")
    if missing and not absent:
        return not_run(f"{missing[0][2]} is a folder of the system that the package found here, and is not there")
    faults = tuple(
        Fault(f"{package.name}, {owner}", f"{role} names what does not exist", (path,))
        for owner, role, path in dict.fromkeys(own)
    )
    return Outcome(len(listed), "paths of targets and variables", faults)


def generates(context: Context, answers: Answers, package: FoundPackage) -> Outcome:
    """K8: a project that links its targets generates, whichever Python CMake finds, and with none."""
    unfound = _unfound(context, answers, package)
    if unfound:
        return unfound
    absent = [path for _, _, state, path in _listed(context, answers, package) if state == "absent"]
    if not all(_is_systems(context, path) for path in absent):
        return not_run("the package hands out paths that do not exist: see K7")
    ended = {python: answers[linking(context, package, python).id] for python in pythons(context)}
    prepared = ended[NONE].steps[0]
    if not prepared.ok:
        return not_run(f"the image's programs cannot be given without Python: {prepared.ending}")
    wrong = {python: answer for python, answer in ended.items() if not answer.ok}
    for answer in wrong.values():
        if excuse := _needs_package(context, package, _output(answer), but=("Python",)):
            return not_run(excuse)
        if any(path in _output(answer) for path in absent):
            return not_run("the package hands out paths of the system that are not there: see K7")
    if OWN in wrong and (excuse := _needs_module(context, _output(wrong[OWN]))):
        return not_run(excuse)
    if OWN in ended and len(wrong) == len(ended):
        reason = "a project that links its targets does not generate"
        return Outcome(len(ended), "projects", (Fault(package.config, reason, failure(next(iter(wrong.values())))),))
    linked = [reply for answer in ended.values() if (reply := read_replies(answer.collected).get(LINKED))]
    lacking = dict.fromkeys(f"{fields[0]} links {fields[1]}" for reply in linked for fields in reply.all("unlinkable"))
    if lacking and not any(reply.all("linked") for reply in linked):
        reason = "none of its targets can be linked: each links one that does not exist"
        return Outcome(len(ended), "projects", (Fault(package.config, reason, tuple(lacking)),))
    faults = (
        Fault(package.config, f"a project that links its targets does not generate with {_WITH[python]}", failure(one))
        for python, one in wrong.items()
    )
    remarks = (
        Remark(package.config, f"nobody can link a target of it: {one}, which does not exist") for one in lacking
    )
    return Outcome(len(ended), "projects", tuple(faults), tuple(remarks))


def _remarks(context: Context, answers: Answers, package: FoundPackage) -> tuple[Remark, ...]:
    """That the package takes any component for found, if it does: many have none, which is no fault."""
    if asks_bogus(context):
        reply = read_replies(answers[bogus(context, package).id].collected).get(BOGUS)
        if reply is not None and reply.found:
            return (Remark(package.config, "is found with a component that does not exist"),)
    return ()


def _why_not_there(answers: Answers) -> str | None:
    """Why the wheel is not in the container as an installation has it; None if it is."""
    failed = answers[DATA].failed
    return why_not_installed(answers) or (f"the wheel's data cannot be unpacked ({failed.ending})" if failed else None)


def _unfound(context: Context, answers: Answers, package: FoundPackage) -> Outcome | None:
    """Not run, because CMake does not get at the package even where it is told its folder; None if it does."""
    reason = _why_not_there(answers)
    if reason:
        return not_run(reason)
    answer = answers[finding(context, package).id]
    reply = read_replies(answer.collected).get(HINTED)
    if reply is None or not reply.found:
        return not_run("CMake does not find the package: see K6")
    return None if answer.ok else not_run(f"find_package({package.name}) does not end well everywhere: see K6")


def _listed(context: Context, answers: Answers, package: FoundPackage) -> list[tuple[str, ...]]:
    """Owner, role, state and path of all that the package hands out."""
    reply = read_replies(answers[finding(context, package).id].collected)[HINTED]
    return [fields for fields in reply.all("path") if len(fields) == 4]


def _said(answer: Answer, asked: Mapping[str, Reply]) -> str:
    """What the package says of itself, and what CMake said where it ended with an error."""
    messages = dict.fromkeys(reply.one("message") for reply in asked.values())
    return "\n".join([*filter(None, messages), *([] if answer.ok else [_output(answer)])])


def _output(answer: Answer) -> str:
    """What CMake said of its errors: what it could do without it tells on standard output, where that is apart."""
    failed = answer.failed
    return (failed.stderr.strip() or failed.output) if failed else ""


def is_endless(answer: Answer) -> bool:
    """Whether some step was stopped at its deadline."""
    return any(step.timed_out for step in answer.steps)


def _others_may_bring(context: Context, path: str) -> bool:
    """Whether another distribution may install a path: not below a folder that only this wheel has."""
    if not context.is_installed(path):
        return False
    top = posixpath.relpath(posixpath.normpath(path), context.places.site).partition("/")[0]
    own = {name.partition("/")[0] for name in context.subject.wheel.names}
    return top in _SHARED or top not in own


def _is_systems(context: Context, path: str) -> bool:
    """Whether a path was computed from the system, such as the headers of the Python found there.

    No file of the wheel names it, and it is outside of all that a container holds of the wheel.
    """
    top = path.lstrip("/").partition("/")[0]
    texts = context.subject.wheel.texts
    return top in _SYSTEM and not any(path.encode() in text for name, text in texts.items() if name.endswith(".cmake"))


def _needs_module(context: Context, told: str) -> str | None:
    """The reason not to judge files that run a Python which lacks what the wheel requires, for that is not there."""
    others = _uninstalled(context)
    own = {name.partition("/")[0].partition(".")[0] for name in context.subject.wheel.names}
    for match in _NO_MODULE.finditer(told):
        if others and match[1] not in own:
            return f"it runs a Python that has no module {match[1]}{others}"
    return None


def _needs_python(context: Context, told: str) -> str | None:
    """The reason not to judge a package that looks for the wheel's own Python where there is none."""
    if context.package.python or not _LOOKS_FOR_PYTHON.search(" ".join(told.split())):
        return None
    return f"it looks for Python, and the image has not that of the wheel ({context.subject.row.python})"


def _needs_neighbours(context: Context, package: FoundPackage) -> str | None:
    """The reason not to judge a package that fails where those are missing that install into the same prefix."""
    is_data = any(name.endswith(f".data/data/{package.config}") for name in context.subject.wheel.names)
    is_shared = is_data or package.prefix.partition("/")[0] in ("cmeel.prefix", "nvidia")
    others = _uninstalled(context) if is_shared else ""
    return f"it is not found alone in a prefix that it shares{others}" if others else None


def _uninstalled(context: Context) -> str:
    """What the wheel requires, as the end of a sentence; '' where it requires nothing."""
    names = sorted(declared(context.subject))
    return f"; what the wheel requires is not installed here: {', '.join(names)}" if names else ""


def _needs_cmake(context: Context, told: str) -> str | None:
    """The reason not to judge a package that names a newer CMake as what it needs."""
    for match in _NEEDED_CMAKE.finditer(_HEADER.sub("", told)):
        if context.cmake and Version(match[1]) > Version(context.cmake):
            return f"it says that it needs CMake {match[1]}, and this is CMake {context.cmake}"
    return None


def _needs_package(context: Context, package: FoundPackage, told: str, but: tuple[str, ...] = ()) -> str | None:
    """The reason not to judge a package that looks for another, which the wheel does not bring."""
    for match in _DEPENDENCY.finditer(" ".join(told.split())):
        name = next(filter(None, match.groups()))
        if name != package.name and not (but and name.startswith(but)):
            needed = f"it needs the CMake package {name}, which is not there or was not asked for"
            return needed + _uninstalled(context)
    return None
