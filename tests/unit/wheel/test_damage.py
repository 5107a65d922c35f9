"""Damaged archives: a problem, or a refusal; never another exception."""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.errors import WheelError
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel
from tests.support.elves import tiny_elf
from tests.support.wheels import make_wheel

FILES = {"a/__init__.py": b"x = 1\n" * 50, "a/libtiny.so": tiny_elf(), "a/data.bin": bytes(range(256)) * 20}


def try_read(path: Path) -> Wheel | None:
    try:
        return read_wheel(path)
    except WheelError as error:
        assert error.exit_code == 4  # noqa: PT017
        return None


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_wheel(tmp_path, FILES, requires=["numpy"])


def test_truncations_are_refused(path: Path) -> None:
    data = path.read_bytes()
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        with pytest.raises(WheelError, match="not a wheel"):
            read_wheel(path)


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = path.read_bytes()
    (directory,) = struct.unpack_from("<I", data, len(data) - 6)
    refused = 0
    for _ in range(120):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 2, 8))):
            region = chance.choice((range(directory), range(directory, len(data))))
            broken[chance.choice(region)] = chance.choice((0, 1, 0xFF, chance.randrange(256)))
        path.write_bytes(broken)
        refused += try_read(path) is None
    assert refused < 120


def overwrite(path: Path, name: str, edit: Callable[[bytearray, int, int], None]) -> None:
    """Edit the archive's bytes, given the offsets of a member's local header and of its directory entry."""
    with zipfile.ZipFile(path) as archive:
        local = archive.getinfo(name).header_offset
    data = bytearray(path.read_bytes())
    (directory,) = struct.unpack_from("<I", data, len(data) - 6)
    edit(data, local, data.index(name.encode(), directory) - 46)
    path.write_bytes(data)


def flip_content(data: bytearray, local: int, _: int) -> None:
    data[local + 30 + len("a/libtiny.so") + 5] ^= 0xFF


def wrong_crc(data: bytearray, local: int, entry: int) -> None:
    for offset in (local + 14, entry + 16):
        data[offset] ^= 0xFF


def encrypted(data: bytearray, local: int, entry: int) -> None:
    data[local + 6] |= 1
    data[entry + 8] |= 1


def unknown_method(data: bytearray, local: int, entry: int) -> None:
    data[local + 8] = data[entry + 10] = 77


def larger_than_it_is(data: bytearray, _: int, entry: int) -> None:
    struct.pack_into("<I", data, entry + 24, 1 << 20)


def smaller_than_it_is(data: bytearray, _: int, entry: int) -> None:
    struct.pack_into("<I", data, entry + 24, 100)


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (flip_content, "cannot be inflated"),
        (wrong_crc, "Bad CRC-32"),
        (encrypted, "it is encrypted"),
        (unknown_method, "compression"),
        (larger_than_it_is, "cannot be inflated"),
        (smaller_than_it_is, "cannot be inflated"),
    ],
)
def test_a_damaged_member_is_named_and_the_rest_is_read(
    path: Path, edit: Callable[[bytearray, int, int], None], text: str
) -> None:
    overwrite(path, "a/libtiny.so", edit)
    wheel = read_wheel(path)
    found = dict(wheel.problems)
    assert list(found) == ["a/libtiny.so"]
    assert text in found["a/libtiny.so"]
    assert [(library.path, library.elf) for library in wheel.libraries] == [("a/libtiny.so", None)]
    assert wheel.libraries[0].error == found["a/libtiny.so"]
    hashes = {member.name: member.sha256 for member in wheel.members}
    assert hashes.pop("a/libtiny.so") is None
    assert all(hashes.values())
    assert wheel.metadata is not None
