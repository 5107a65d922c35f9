"""K6, K7 and K8 of one CMake package, by what CMake answered."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

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
from orchestrator.verify.any_package.excuses import excuse, needs_module, needs_package
from orchestrator.verify.any_package.found import SHARED, FoundPackage
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import why_not_installed
from orchestrator.verify.dynamic.probe import Answer, Answers
from orchestrator.verify.dynamic.questions import Reply, read_replies
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.requirements import declared

_SYSTEM = frozenset(("usr", "lib", "lib64"))
"""Folders at the root in which systems keep headers and libraries."""

_PREFIX = frozenset(("bin", "etc", "include", "lib", "lib64", "share"))
"""Folders of an installation's prefix, which here lie in site-packages: any distribution may install there."""

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
    nowhere = not answer.ok or not asked.get(HINTED, Reply(())).found
    reason = excuse(context, package, told, nowhere=nowhere)
    if reason and not answer.timed_out:
        return not_run(reason)
    if not answer.ok:
        how = "does not end" if answer.timed_out else "ends with an error"
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
        return not_run(f"{missing[0][2]} is a path of the system, not of this wheel, and is not there")
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
        if reason := needs_package(context, package, _output(answer), but=("Python",)):
            return not_run(reason)
        if any(path in _output(answer) for path in absent):
            return not_run("the package hands out paths of the system that are not there: see K7")
    if OWN in wrong and (reason := needs_module(context, _output(wrong[OWN]))):
        return not_run(reason)
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


def _others_may_bring(context: Context, path: str) -> bool:
    """Whether another distribution may install a path: not below a folder that only this wheel has."""
    if not context.is_installed(path):
        return False
    top = posixpath.relpath(posixpath.normpath(path), context.places.site).partition("/")[0]
    own = {name.partition("/")[0] for name in context.subject.wheel.names}
    return top in SHARED | _PREFIX or top not in own


def _is_systems(context: Context, path: str) -> bool:
    """Whether a path was computed from the system, such as the headers of the Python found there.

    It is outside of all that a container holds of the wheel, no file of the wheel names it, and none is called as
    it: too many `..` behind a file's own folder lead to `/lib/libdemo.so`.
    """
    top = path.lstrip("/").partition("/")[0]
    wheel = context.subject.wheel
    is_own = any(posixpath.basename(name) == posixpath.basename(path) for name in wheel.names)
    written = re.compile(rb"(?<![\w.+-])" + re.escape(path.encode()) + rb"(?![\w.+-])")  # python3.1 is no python3.11
    is_named = any(written.search(text) for name, text in wheel.texts.items() if name.endswith(".cmake"))
    return top in _SYSTEM and not is_own and not is_named
