"""D1: the version file is complete and says the wheel's version."""

from __future__ import annotations

import re

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.install import install, why_not_installed
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.dynamic.questions import prefix_question, questions, replies
from orchestrator.verify.outcome import Fault, Outcome

_PLACEHOLDER = re.compile(r"@[A-Za-z_]\w*@")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_SET = re.compile(r'^\s*set\s*\(\s*(?P<name>\w*VERSION)\s+"?(?P<value>[^")\s]*)"?\s*\)', re.IGNORECASE | re.MULTILINE)
_INCLUDE = re.compile(r"^\s*include\s*\(", re.IGNORECASE | re.MULTILINE)
_PYTHON_VERSION = re.compile(r"^__version__\s*(?::[^=]+)?=\s*[\"']([^\"']+)[\"']", re.MULTILINE)


def applies(context: Context) -> bool:
    """Where the package answers version requests."""
    return context.package.versions


def probes(context: Context) -> tuple[Probe, ...]:
    """Ask CMake for the version, besides reading the file."""
    return (install(context), questions(context))


def judge(context: Context, answers: Answers) -> Outcome:
    """Read every version file, and compare with what CMake reports."""
    package = context.package.package
    names = {f"{package.lower()}-config-version.cmake", f"{package}ConfigVersion.cmake"}
    files = {path: data for path, data in context.subject.wheel.texts.items() if path.rpartition("/")[2] in names}
    if not files:
        fault = Fault(package, "the package has no version file: every version request is refused")
        return Outcome(1, "packages", (fault,))
    faults = [fault for path, data in files.items() for fault in _read(context, path, data.decode("utf-8", "replace"))]
    if why_not_installed(answers) is None:
        faults += _asked(context, answers)
    return Outcome(len(files), "version files", tuple(faults))


def _read(context: Context, path: str, text: str) -> list[Fault]:
    code = _COMMENT.sub("", text)
    left = sorted(set(_PLACEHOLDER.findall(code)))
    if left:
        return [Fault(path, "placeholders were not filled in", tuple(left))]
    values = {match["name"]: match["value"] for match in _SET.finditer(code)}
    faults = []
    numeric = values.get("PACKAGE_VERSION")
    if numeric is None and _INCLUDE.search(code):
        pass  # hands on to another file: what CMake then reads is compared below
    elif numeric is None:
        faults.append(Fault(path, "sets no PACKAGE_VERSION"))
    elif not _same(numeric, context.release):
        faults.append(Fault(path, f"PACKAGE_VERSION is '{numeric}', the wheel's release is {_dotted(context.release)}"))
    full = _package_version(context)
    for name, value in values.items():
        if name.endswith("BUILD_VERSION") and value != full:
            faults.append(Fault(path, f"{name} is '{value}', the package's version is '{full}'"))
    return faults


def _asked(context: Context, answers: Answers) -> list[Fault]:
    asked = replies(answers)
    faults = []
    for index, prefix in enumerate(context.package.prefixes):
        reply = asked.get(prefix_question(index))
        if reply is not None and reply.found and not _same(reply.one("version"), context.release):
            reason = f"CMake reads version '{reply.one('version')}', the wheel's release is {_dotted(context.release)}"
            faults.append(Fault(prefix, reason))
    return faults


def _package_version(context: Context) -> str:
    """The full version that the package gives itself: its version.py's, or else the wheel's."""
    wheel = context.subject.wheel
    for name in ("version.py", "_version.py", "__init__.py"):
        data = wheel.texts.get(f"{context.recipe.project.import_}/{name}")
        match = _PYTHON_VERSION.search(data.decode("utf-8", "replace")) if data is not None else None
        if match:
            return match[1]
    return str(wheel.version)


def _dotted(release: tuple[int, ...]) -> str:
    return ".".join(map(str, release))


def _same(text: str, release: tuple[int, ...]) -> bool:
    """Whether a dotted version is that release; trailing zeros do not matter."""
    if not re.fullmatch(r"\d+(\.\d+)*", text):
        return False
    parts = tuple(map(int, text.split(".")))
    width = max(len(parts), len(release))
    return parts + (0,) * (width - len(parts)) == release + (0,) * (width - len(release))
