"""The CMake packages of two wheels: which there are, and which targets their files name.

Only running CMake tells which targets a package makes (`inspect --probe`, `verify`); what its files name can be
compared without.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from itertools import islice

from orchestrator.diff.libraries import values
from orchestrator.diff.model import CMakeDiff
from orchestrator.verify.static.k6_cmake_layout import config_name
from orchestrator.wheel.model import Wheel

LONGEST = 1 << 19
"""Characters of a file that are looked at."""
MOST = 200
"""So many functions, loops, and calls or turns of each are looked at, and of a body LONGEST_BODY characters."""
LONGEST_BODY = 20_000

_COMMENT = re.compile(r"#[^\n]*")
_ADDED = re.compile(r"\b(?:add_library|add_executable)\s*\(\s*([A-Za-z_][\w.+:-]*)", re.IGNORECASE)
_NAMESPACED = re.compile(r"(?<![\w$.+-])(?<!::)([A-Za-z_][\w.+-]*)::([A-Za-z_][\w.+-]*)(?!\w*::)")
_BLOCK = re.compile(r"\b(function|macro|foreach)\s*\(\s*(\w+)\b([^()]*)\)", re.IGNORECASE)


@dataclass
class _Package:
    """What the files of one package say."""

    configs: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


def cmake_packages(before: Wheel, after: Wheel) -> tuple[CMakeDiff, ...]:
    """Packages that came, went, or name other targets, by name."""
    old, new = _packages(before), _packages(after)
    found = []
    for package in sorted(old.keys() | new.keys()):
        was, now = old.get(package, _Package()), new.get(package, _Package())
        compared = CMakeDiff(
            package=package,
            how="changed" if package in old and package in new else "added" if package in new else "removed",
            configs=values(sorted(was.configs), sorted(now.configs)),
            names=values(sorted(was.names), sorted(now.names)),
        )
        if compared.configs or compared.names:
            found.append(compared)
    return tuple(found)


def target_names(package: str, text: str) -> set[str]:
    """Targets that CMake code names: those it adds by name, and namespaced ones of the package's or an added namespace.

    Comments do not count.  Of names that are put together, those in the file's own functions and loops are seen, as
    far as its calls and lists give them in so many words.
    """
    code = _spelled_out(_COMMENT.sub("", text[:LONGEST]))
    added = set(_ADDED.findall(code))
    spaces = {package.casefold()} | {name.partition("::")[0].casefold() for name in added if "::" in name}
    named = {f"{space}::{name}" for space, name in _NAMESPACED.findall(code) if space.casefold() in spaces}
    return {name for name in added | named if not name.endswith(":")}


def _spelled_out(code: str) -> str:
    """The code, and behind it the bodies of its functions and loops with their variables replaced."""
    more: list[str] = []
    lower = code.lower()
    for block in islice(_BLOCK.finditer(code), MOST):
        end = lower.find(f"end{block[1].lower()}", block.end())
        body = code[block.end() : min(end, block.end() + LONGEST_BODY)]
        if end < 0:
            break
        words = block[3].split()
        if block[1].lower() == "foreach":
            listed = [] if "LISTS" in words else [word for word in words[:MOST] if word not in ("IN", "ITEMS")]
            more += (_replace(body, {block[2]: word}) for word in listed)
            continue
        calls = re.finditer(rf"(?<![\w$]){block[2]}\s*\(([^()]*)\)", code)
        more += (_replace(body, dict(zip(words, call[1].split(), strict=False))) for call in islice(calls, MOST))
    return "\n".join((code, *more))


def _replace(body: str, words: dict[str, str]) -> str:
    for variable, word in words.items():
        body = body.replace(f"${{{variable}}}", word)
    return body


def _packages(wheel: Wheel) -> dict[str, _Package]:
    """By name; every CMake file of a config file's folder belongs to its package."""
    folders: dict[str, set[str]] = {}
    found: dict[str, _Package] = {}
    for path in wheel.texts:
        if (name := config_name(path)) is not None:
            found.setdefault(name, _Package()).configs.add(path)
            folders.setdefault(posixpath.dirname(path), set()).add(name)
    for path, data in wheel.texts.items():
        if path.endswith(".cmake"):
            for name in folders.get(posixpath.dirname(path), ()):
                found[name].names |= target_names(name, data.decode("utf-8", "replace"))
    return found
