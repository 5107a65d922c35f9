"""Damaged ELF files: a finding, never a crash, and never much time or memory."""

from __future__ import annotations

import random
import struct
import time
import tracemalloc
from pathlib import Path

import pytest

from orchestrator.elf.model import Elf
from orchestrator.elf.read import ElfError, read_elf
from tests.support.elves import tiny_elf

FATBINS = Path(__file__).parents[2] / "data" / "fatbin"


def try_read(data: bytes | bytearray) -> Elf | None:
    try:
        return read_elf(data)
    except ElfError:
        return None


def test_every_truncation_is_noticed(library: Path) -> None:
    data = library.read_bytes()
    for size in [*range(0, 1024, 16), *range(1024, len(data), 509)]:
        elf = try_read(data[:size])
        assert elf is None or elf.problems, size


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes(library: Path, seed: int) -> None:
    chance = random.Random(seed)
    originals = (library.read_bytes(), tiny_elf(), tiny_elf(32, ">"), (FATBINS / "own130-size.so").read_bytes())
    for data in originals:
        # What is interesting lies in the headers, at both ends of the file.
        regions = (range(64), range(64, 1024), range(1024, len(data)), range(max(0, len(data) - 4096), len(data)))
        for _ in range(60):
            broken = bytearray(data)
            for _ in range(chance.choice((1, 1, 3, 20))):
                region = chance.choice(regions)
                if region:
                    broken[chance.choice(region) % len(broken)] = chance.choice(
                        (0, 1, 0x7F, 0xFF, chance.randrange(256))
                    )
            elf = try_read(broken)
            assert elf is None or elf.bits in (32, 64)


def test_absurd_sizes_cost_nothing(library: Path) -> None:
    data = bytearray(library.read_bytes())
    (table,) = struct.unpack_from("<Q", data, 0x28)
    for index in range(1, 30):
        struct.pack_into("<Q", data, table + 64 * index + 32, 1 << 60)
    tracemalloc.start()
    elf = try_read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert elf is not None
    assert any("reach beyond the file" in problem for problem in elf.problems)
    assert peak < 20 * len(data)


def test_names_larger_than_the_file_are_cut_off() -> None:
    data = tiny_elf(repeated=(b"n" * 60_000, 5_000))
    tracemalloc.start()
    elf = try_read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert elf is not None
    assert "dynamic symbol table: the strings are larger than the file" in elf.problems
    assert peak < 5 * len(data)


def test_a_name_without_an_end_is_a_problem() -> None:
    elf = try_read(tiny_elf(repeated=(b"n" * 70_000, 1)))
    assert elf is not None
    assert [symbol.name for symbol in elf.symbols] == ["tiny_call", "tiny_use", ""]
    assert any("dynamic symbol table: no string at offset" in problem for problem in elf.problems)


def test_a_library_without_its_dynamic_strings_says_so() -> None:
    data = bytearray(tiny_elf())
    size = next(size for size in range(40, 100) if struct.pack("<QQ", 10, size) in data)
    struct.pack_into("<Q", data, data.index(struct.pack("<QQ", 10, size)) + 8, 4)
    elf = try_read(data)
    assert elf is not None
    assert elf.needed == ("",)
    assert any("NEEDED: no string at offset" in problem for problem in elf.problems)


def test_overlapping_version_chains_end(library: Path) -> None:
    # Every one of 20 000 heads claims 65 535 entries, all in the same bytes.
    data = bytearray(library.read_bytes())
    heads = struct.pack("<HHIII", 1, 0xFFFF, 1, 16, 16) * 20_000
    load = next(i for i in range(64, 1024, 56) if data[i : i + 4] == b"\1\0\0\0")
    size = len(data) + len(heads)
    struct.pack_into("<QQQQQ", data, load + 8, 0, 0, 0, size, size)
    for tag, value in ((0x6FFFFFFE, len(data)), (0x6FFFFFFF, 20_000)):
        position = data.index(struct.pack("<Q", tag))
        struct.pack_into("<Q", data, position + 8, value)
    started = time.process_time()
    elf = try_read(data + heads)
    assert time.process_time() - started < 5
    assert elf is not None
    assert any("a chain leaves the file, or is longer than it" in problem for problem in elf.problems)
