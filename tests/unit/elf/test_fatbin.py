"""Device code, against what cuobjdump printed for the same files."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from orchestrator.elf.fatbin import read_fatbin
from orchestrator.elf.read import read_elf

DATA = Path(__file__).parents[2] / "data" / "fatbin"
CUDA_13 = {"75", "80", "90", "90a", "100f", "103a", "110", "120a", "121"}

EXPECTED = {
    "own126nvcc124-plain.so": ("x86_64", {"50", "60", "70", "75", "80", "87", "90", "90a"}, {"90a"}),
    "own130-default.so": ("x86_64", CUDA_13, {"121"}),
    "own130-speed.so": ("x86_64", CUDA_13, {"121"}),
    "own130-size.so": ("x86_64", CUDA_13, {"121"}),
    "own132-aarch64.so": ("aarch64", {"87", "90", "110"}, {"110"}),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_published_expectation(name: str) -> None:
    machine, cubins, ptx = EXPECTED[name]
    elf = read_elf((DATA / name).read_bytes())
    found = [(code.kind, code.arch) for code in elf.device_code if code.loadable]
    assert elf.machine == machine
    assert sorted(found) == sorted([*(("cubin", arch) for arch in cubins), *(("ptx", arch) for arch in ptx)])
    assert len(elf.device_code) == len(found)
    assert elf.problems == ()
    assert elf.device_code_readable


def entry(kind: int, sm: int, payload: bytes = b"x" * 8, flags: int = 0, header: int = 64) -> bytes:
    fields = struct.pack(
        "<HHIQIIHHIIIQQQ", kind, 0x101, header, len(payload), 0, 0, 0, 8, sm, 0, 0, flags, 0, len(payload)
    )
    return fields + bytes(header - 64) + payload


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def archs(data: bytes) -> tuple[list[str], tuple[str, ...]]:
    entries, problems = read_fatbin(data, ".nv_fatbin")
    return [f"{e.kind}:{e.arch}:{e.compressed}" for e in entries], problems


def test_flags_kinds_and_padding() -> None:
    data = (
        bytes(8)
        + container(entry(2, 90, flags=0x100000 | 0x8000), entry(1, 90, flags=0x2000, header=72))
        + bytes(40)
        + container(entry(2, 100, flags=0x200000, header=120), entry(8, 80), entry(77, 80))
        + bytes(16)
    )
    assert archs(data) == (["cubin:90a:zstd", "ptx:90:lz4", "cubin:100f:None", "lto-ir:80:None", "kind-77:80:None"], ())


def test_relocatable_input_is_not_loadable() -> None:
    entries, _ = read_fatbin(container(entry(2, 80)), "__nv_relfatbin")
    assert [e.loadable for e in entries] == [False]


def test_reading_goes_on_behind_a_damaged_container() -> None:
    good = container(entry(2, 80))
    found, problems = archs(good + b"garbage!" * 4 + good)
    assert found == ["cubin:80:None"] * 2
    assert len(problems) == 1
    assert "no container here" in problems[0]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (container(entry(2, 80))[:-4], "runs past the section's end"),
        (container(entry(2, 80)[:40]), "truncated entry"),
        (container(entry(2, 80, header=64)[:4] + b"\xff\xff\xff\xff" + entry(2, 80)[8:]), "implausible entry"),
        (b"\x50\xed\x55\xba", "stray bytes"),
        (container(entry(2, 80)).replace(b"\x01\0\x10\0", b"\x09\0\x10\0"), "container version 9"),
    ],
)
def test_damage_is_named(data: bytes, text: str) -> None:
    found, problems = archs(data)
    assert found == []
    assert text in problems[0]


def test_any_bytes_end() -> None:
    chance = random.Random(1)
    good = container(*(entry(2, sm, chance.randbytes(64)) for sm in range(50, 90)))
    for _ in range(300):
        data = bytearray(good)
        for _ in range(4):
            data[chance.randrange(len(data))] = chance.randrange(256)
        read_fatbin(bytes(data), ".nv_fatbin")
    assert archs(bytes(1 << 22)) == ([], ())
