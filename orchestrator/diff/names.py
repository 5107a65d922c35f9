"""Names of libraries without what differs from one build to the next, and the family that a symbol is of."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Container, Iterable

from orchestrator.elf.demangle import demangle
from orchestrator.wheel.names import plain_name

_PYTHON_TAG = re.compile(r"\.(?:cpython-\d+\w*(?:-[\w-]+)?|abi3|pypy\d+-\w+(?:-[\w-]+)?)(?=\.so$)")
"""What setuptools and CMake put before `.so` for one interpreter (PEP 3149, PEP 384)."""
_SPECIAL = re.compile(r"^(?:(?:construction )?vtable|typeinfo(?: name)?|VTT|guard variable|TLS \w+ function) for ")
_OPERATOR = re.compile(r"\boperator\b.*")
_WORD = re.compile(r"[A-Za-z_]\w*")


def stem(path: str) -> str:
    """A library's file name as its builds share it: no interpreter, no hash of auditwheel, no version."""
    name = posixpath.basename(path)
    return plain_name(_PYTHON_TAG.sub("", name))


def stem_path(path: str) -> str:
    """The same with its folder."""
    return posixpath.join(posixpath.dirname(path), stem(path))


def shared(paths: Iterable[str]) -> frozenset[str]:
    """The file names that several of these libraries have, in different folders."""
    counts = Counter(posixpath.basename(path) for path in paths)
    return frozenset(name for name, count in counts.items() if count > 1)


def shown(path: str, ambiguous: Container[str] = ()) -> str:
    """A library's file name for people, `_C.*.so` for an extension's; with its folder where the name is `shared`."""
    short = _PYTHON_TAG.sub(".*", posixpath.basename(path))
    if posixpath.basename(path) in ambiguous:
        return posixpath.join(posixpath.dirname(path), short)
    return short


def family(symbol: str) -> str:
    """What a symbol belongs to: the first two namespaces, or the part of a C name before its first underscore.

    `torch::executor` for `torch::executor::native::add_out(…)`, `xnn_` for `xnn_create_runtime`.
    """
    plain = demangle(symbol)
    if plain == symbol:
        head, _, rest = symbol.partition("_")
        return f"{head}_" if head and rest else "(C names)"
    parts = _qualified(plain).split("::")
    return "::".join(parts[:-1][:2]) or "(no namespace)"


def _qualified(declaration: str) -> str:
    """The qualified name in a declaration, without template arguments, parameters and return type."""
    text, size = _SPECIAL.sub("", declaration).replace("(anonymous namespace)", "{anonymous}"), -1
    while size != len(text):
        size = len(text)
        text = re.sub(r"<[^<>]*>", "", text)
    # A conversion's name has a blank, and what it converts to.
    head = _OPERATOR.sub("operator", text.split("(", 1)[0]).strip()
    name = head.rsplit(" ", 1)[-1]
    return name if _WORD.search(name) else head
