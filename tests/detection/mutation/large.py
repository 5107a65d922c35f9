"""Large texts of one kind: what takes a parser or an expression more than their length shows in the time limit."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.support.elves import tiny_elf
from tests.support.wheel_draft import Draft

SIZES = (1 << 12, 1 << 16, 1 << 16, 1 << 17, 1 << 18, 1 << 18, 1 << 19, 1 << 20)
"""Bytes; a text of 2 MiB is read as a whole."""

_CMAKE = (
    b"#[[", b"#[=", b"[[", b"[=", b'"', b'\\"', b"/a/b ", b"/a", b"-L/a:", b"C:/a ", b"@a", b"@", b"file ", b"set(",
    b"${", b"set(PACKAGE_VERSION ", b'set(A "${A}${A}")\n', b"include(a.cmake)\n", b"(", b")", b";", b"\n", b" ",
    b"\t\r", b"#", b"\0", b"\xff", b"message(A0)${A0}", b"__version__ = '", b"prefix=${prefix}\n", b"if(1)\n",
    b"function(a)\n",
)  # fmt: skip
_METADATA = (
    b"Requires-Dist: a\n", b"Requires-Dist: nvidia-cuda-runtime-cu12>=1; python_version<'3'\n", b" b\n", b"a: b\r",
    b"-", b"Content-Type: message/rfc822\n\n", b"--x\n", b"\0\1\2\x7f", b"\xff", b"abc\n", b"Version: 1\n",
    b"Tag: py3-none-any\n",
)  # fmt: skip
_REQUIREMENTS = (
    b",a", b">=1,", b"1.", b"9", b"(", b"((a", b" and os_name=='a'", b" or os_name=='a'", b"\t ", b"'", b"-", b"a.",
    b"[a,", b" ; ", b"@ h", b"1!", b"*", b"==1.*,",
)  # fmt: skip
_STARTS = (
    b"Requires-Dist: a", b"Requires-Dist: a[a", b"Requires-Dist: a==", b"Requires-Dist: a; ",
    b"Requires-Dist: a==1+a",
)  # fmt: skip
_RECORD = (
    b"demo/x.py,sha256=abc,1\n", b"demo/__init__.py,,\n", b",", b'"', b'""', b"\n", b"\r\n", b"\0", b"a,,9\n",
    b"../", b"a",
)  # fmt: skip
_SYMBOLS = (
    b"S", b"St", b"I", b"IS_", b"B1b", b"9", b"N4demo", b"St6vectorI", b"1a", b"L", b"C1", b"Dp", b"T_", b"_ZN",
    b"E",
)  # fmt: skip
"""Parts of mangled names (Itanium C++ ABI, chapter 5)."""


def large(chance: random.Random, draft: Draft) -> None:
    """One member has a large text, or there are many members."""
    chance.choice(_WAYS)(chance, draft)


def _repeated(chance: random.Random, units: tuple[bytes, ...], size: int) -> bytes:
    """One unit, or two in turn, behind each other; now and then counted through, so that no two are the same."""
    unit = b"".join(chance.sample(units, chance.choice((1, 1, 2))))
    if chance.random() < 0.2:
        return b"".join(unit + b"%d" % number for number in range(size // (len(unit) + 6)))
    return unit * (size // len(unit))


def _cmake(chance: random.Random, draft: Draft) -> None:
    name = chance.choice([name for name in draft.files if name.endswith((".cmake", ".pc", "version.py"))])
    text = _repeated(chance, _CMAKE, chance.choice(SIZES))
    draft.files[name] = chance.choice((text, draft.files[name] + text, text + draft.files[name]))


def _metadata(chance: random.Random, draft: Draft) -> None:
    name = chance.choice([f"{draft.dist_info}/METADATA", f"{draft.dist_info}/WHEEL"])
    size = chance.choice(SIZES)
    text = _repeated(chance, _METADATA, size)
    if chance.random() < 0.5:
        text = chance.choice(_STARTS) + _repeated(chance, _REQUIREMENTS, size) + b"\n"
    draft.files[name] += text


def _record(chance: random.Random, draft: Draft) -> None:
    text = _repeated(chance, _RECORD, chance.choice(SIZES))
    draft.edit_record = lambda data: data + text


def _symbols(chance: random.Random, draft: Draft) -> None:
    """Many symbols of one long name: a few bytes each, since they share it."""
    name = b"_Z" + _repeated(chance, _SYMBOLS, chance.choice((100, 1000, 4000, 8000, 60000)))
    draft.files["demo/lib/libnames.so"] = tiny_elf(repeated=(name, chance.choice((1, 20, 300, 5000))))


def _members(chance: random.Random, draft: Draft) -> None:
    depth = chance.choice((1, 1, 100, 1000))
    for number in range(chance.choice((100, 1000, 3000)) // (1 + depth // 100)):
        draft.files["demo/" + "d/" * depth + f"{chance.choice('aA')}{number}{chance.choice(('.py', '.so', ''))}"] = b""


def _packages(chance: random.Random, draft: Draft) -> None:
    """Packages that include each other."""
    count = chance.choice((10, 300))
    for number in range(count):
        text = (
            f'include("${{CMAKE_CURRENT_LIST_DIR}}/../p{(number + 1) % count}/p{(number + 1) % count}-config.cmake")\n'
        )
        draft.files[f"demo/lib/cmake/p{number}/p{number}-config.cmake"] = text.encode()


_WAYS: tuple[Callable[[random.Random, Draft], None], ...] = (
    _cmake,
    _cmake,
    _metadata,
    _metadata,
    _record,
    _symbols,
    _members,
    _packages,
)
