"""Damage by chance: each mutation follows from a seed and its number, and can be made again alone."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

from tests.detection.mutation.archive import damaged_archive
from tests.detection.mutation.large import large
from tests.detection.mutation.tables import NUMBERS, damaged_tables
from tests.support.wheel_draft import Draft

_WORDS = (
    b"\0", b"\xff\xfe", b"\r", b"\n\n", b"\x1b[2J", "\u202e".encode(), b"../", b"/", b"\\", b"${", b"}", b'"', b"#[[",
    b"(", b")", b";", b",", b"%", b"=", b"sha256=", b"Requires-Dist: ", b"Tag: ", b"Version: ", b"\xed\xa0\x80",
    b"9" * 5000, b"a" * 70000, b"(" * 4000, b"${" * 3000, b'"' * 4001, b"a," * 20000,
)  # fmt: skip
"""What parsers stumble over."""

_NAMES = (
    "../evil.py", "/etc/evil.py", "..\\evil.py", "C:/evil.py", "demo//evil.py", "./demo/evil.py", "demo/\x1b[31m.py",
    "demo/\u202etxt.py", "demo/" + "x" * 300 + ".py", "demo/" + "d/" * 2000 + "x.py", "demo/CON", "demo/a:b", "demo/ ",
    "demo", "demo/__init__.py/x", "DEMO/__init__.py", "demo/lib/libdemo.so.1.2", "demo/lib/.so", "-", " ",
    "demo-1.0.0.dist-info/RECORD.jws", "demo-1.0.0.dist-info", "other-2.dist-info/METADATA", "demo-1.0.0.data/x/y",
    "demo/lib/cmake/demo/demo-config.cmake/", "demo/l\u00e9/\u0301.so", "demo/new\nline.py", "x\0y.py",
)  # fmt: skip

LONGEST = 32 << 20
"""Bytes to which lines are repeated: what was repeated before is not made a thousand times as long again."""

_FILENAMES = (
    "demo.whl", "demo-1.0.0.whl", "demo-1.0.0-py3-none-any.whl", "demo-one-cp311-cp311-linux_x86_64.whl",
    "demo-1.0.0-1-cp311-cp311-manylinux_2_28_x86_64.whl", "demo-1.0.0-cp311-abi3-manylinux_2_999_x86_64.whl",
    "de mo-1.0.0-cp311-cp311-linux_x86_64.whl", "demo-1!1.0+\u00e9-cp311-cp311-linux_x86_64.whl", "\u202e.whl",
    "-----.whl",
    "demo-1.0.0-cp311.cp312-cp311.none.abi3-linux_x86_64.win_amd64.any.whl", "demo-" + "9" * 150 + "-py3-none-any.whl",
)  # fmt: skip


def mutate(wheel: Path, folder: Path, seed: int, number: int) -> tuple[str, Path]:
    """Write mutation `number` of a wheel into `folder`: its kind, and its path."""
    chance = random.Random(f"{seed}/{number}")
    kind = tuple(_KINDS)[number % len(_KINDS)]
    folder.mkdir(parents=True)
    if kind == "zip":
        path = folder / wheel.name
        path.write_bytes(_damaged_zip(chance, wheel.read_bytes()))
        return kind, path
    draft = Draft.of(wheel)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _KINDS[kind](chance, draft)
    return kind, draft.write(folder)


def _damaged_zip(chance: random.Random, data: bytes) -> bytes:
    """The archive itself: its tables are at the end, and a header stands before each member."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        heads = [at for at in range(len(data) - 4) if data[at : at + 2] == b"PK" and data[at + 2] in b"\1\3\5"]
        match chance.randrange(6):
            case 0:
                data = data[: chance.randrange(len(data))]
            case 1 if heads:  # a field of a header
                at = chance.choice(heads) + chance.randrange(4, 46)
                data = _put(data, at, chance.choice(("<H", "<I")), chance.choice(NUMBERS))
            case 2 if heads:  # a name, or what follows it
                data = _noise(chance, data, chance.choice(heads) + 30, 40)
            case 3:
                data = _noise(chance, data, max(0, len(data) - 400), 400)
            case 4:
                at, more = chance.randrange(len(data) + 1), chance.randbytes(chance.randrange(1, 200))
                data = data[:at] + more + data[at:]
            case _:
                at = chance.randrange(len(data) + 1)
                data = data[:at] + data[at + chance.randrange(1, 500) :]
    return data


def _damaged_elf(chance: random.Random, draft: Draft) -> None:
    """A library: its headers, its tables, its length."""
    name = chance.choice([name for name in draft.files if name.endswith(".so")])
    data = draft.files[name]
    match chance.randrange(5):
        case 0:  # the file's header, and program headers behind it
            at = chance.randrange(4, 64 + 56 * 8)
            data = _put(data, at, chance.choice(("<B", "<H", "<I", "<Q")), chance.choice(NUMBERS))
        case 1:  # a section header
            table = max(0, len(data) - chance.randrange(1, 64 * 30))
            data = _put(data, table, chance.choice(("<I", "<Q")), chance.choice(NUMBERS))
        case 2:  # symbols, strings and hashes lie at the front
            data = _noise(chance, data, chance.randrange(min(len(data), 4096)), 64)
        case 3:
            data = data[: chance.randrange(len(data))]
        case _:
            at = chance.randrange(len(data))
            data = _put(data, at - at % 8, "<Q", chance.choice((*NUMBERS, chance.getrandbits(64))))
    draft.files[name] = data


def _damaged_text(*endings: str) -> Callable[[random.Random, Draft], None]:
    def edit(chance: random.Random, draft: Draft) -> None:
        name = chance.choice([name for name in draft.files if name.endswith(endings)])
        draft.files[name] = other_text(chance, draft.files[name])

    return edit


def _damaged_record(chance: random.Random, draft: Draft) -> None:
    """RECORD as it is written last."""
    before, seed = draft.edit_record, chance.getrandbits(32)
    draft.edit_record = lambda data: other_text(random.Random(seed), before(data))


def _damaged_names(chance: random.Random, draft: Draft) -> None:
    """Members under other names, and the wheel."""
    name = chance.choice(_NAMES)
    match chance.randrange(4):
        case 0:
            draft.files[name] = chance.randbytes(20)
        case 1:
            old = chance.choice(list(draft.files))
            if not old.endswith(".dist-info/WHEEL"):  # by which a draft knows its folder
                draft.files[name] = draft.files.pop(old)
        case 2:
            again = chance.choice((name, *draft.files))
            draft.unrecorded += [(again, chance.randbytes(20))] * chance.choice((1, 2, 300))
        case _:
            draft.filename = chance.choice(_FILENAMES)


def other_text(chance: random.Random, data: bytes) -> bytes:
    """A text with one change."""
    lines = data.split(b"\n")
    match chance.randrange(6):
        case 0:
            at = chance.randrange(len(data) + 1)
            return data[:at] + chance.choice(_WORDS) + data[at:]
        case 1:
            return _noise(chance, data, chance.randrange(len(data) + 1), 30)
        case 2:
            chance.shuffle(lines)
            return b"\n".join(lines)
        case 3:
            times = chance.choice((2, 50, 1000))
            return b"\n".join(lines * max(1, min(times, LONGEST // (len(data) + 1))))
        case 4:
            return data[: chance.randrange(len(data) + 1)]
        case _:
            line = chance.randrange(len(lines))
            lines[line] = chance.choice(_WORDS) + lines[line] + chance.choice(_WORDS)
            return b"\n".join(lines)


_KINDS: dict[str, Callable[[random.Random, Draft], None]] = {
    # "zip" damages the bytes of the archive, "archive" what it says of its members.
    "zip": lambda _chance, _draft: None,
    "ELF": _damaged_elf,
    "METADATA": _damaged_text("/METADATA", "/WHEEL"),
    "RECORD": _damaged_record,
    "names": _damaged_names,
    "CMake": _damaged_text(".cmake", ".pc", "version.py"),
    "archive": damaged_archive,
    "tables": damaged_tables,
    "large": large,
}


def _put(data: bytes, at: int, form: str, value: int) -> bytes:
    size = struct.calcsize(form)
    if at + size > len(data):
        return data
    return data[:at] + struct.pack(form, value & ((1 << 8 * size) - 1)) + data[at + size :]


def _noise(chance: random.Random, data: bytes, at: int, length: int) -> bytes:
    edited = bytearray(data)
    for place in range(at, min(at + length, len(data))):
        if chance.random() < 0.2:
            edited[place] = chance.randrange(256)
    return bytes(edited)
