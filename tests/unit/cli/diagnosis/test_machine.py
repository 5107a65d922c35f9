"""This machine: what its kernel tells, in folders of the test's own."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from orchestrator.cli.diagnosis.machine import (
    Machine,
    available_memory,
    look_at_machine,
    machine_notices,
    nvidia_cards,
)

GB = 1_000_000_000
MACHINE = Machine(system="x", arch="x86_64", cores=2, memory=16 * GB, available=8 * GB, gpus=None, cards=0, emulated={})


def said(machine: Machine, folder: Path, need: int = GB) -> list[tuple[str, str, str]]:
    return [(one.kind, one.message, one.advice) for one in machine_notices(machine, need=need, binfmt=folder)]


def test_a_machine_with_all_that_is_needed_has_nothing_to_note(tmp_path: Path) -> None:
    assert said(MACHINE, tmp_path) == []


def test_too_little_memory(tmp_path: Path) -> None:
    ((kind, message, advice),) = said(MACHINE, tmp_path, need=9 * GB)
    assert (kind, message) == ("memory", "8.0 GB of memory are available, and a row needs up to 9.0 GB.")
    assert "--jobs 1" in advice


def test_memory_is_read_as_the_kernel_writes_it(tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:  4 kB\nMemAvailable:    3 kB\n")
    assert available_memory(tmp_path / "meminfo") == 3072
    assert available_memory(tmp_path / "none") == 0
    assert 0 < look_at_machine().available <= look_at_machine().memory


def test_a_gpu_without_a_driver(tmp_path: Path) -> None:
    for name, vendor, kind in (("gpu", "0x10de", "0x030200"), ("sound", "0x10de", "0x040300"), ("nic", "0x8086", "0x")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "vendor").write_text(f"{vendor}\n")
        (tmp_path / name / "class").write_text(f"{kind}\n")
    assert nvidia_cards(tmp_path) == 1
    ((kind, message, advice),) = said(dataclasses.replace(MACHINE, cards=1), tmp_path)
    assert kind == "gpu"
    assert message == "NVIDIA GPUs in this machine: 1; but its driver does not run."
    assert "nvidia-driver" in advice
    assert said(dataclasses.replace(MACHINE, cards=1, gpus=1), tmp_path) == []


AARCH64 = "7f454c460201010000000000000000000200b700"


@pytest.mark.parametrize(("state", "flags", "noted"), [("enabled", "F", 0), ("enabled", "OC", 1), ("disabled", "F", 1)])
def test_an_interpreter_that_containers_cannot_use(tmp_path: Path, state: str, flags: str, noted: int) -> None:
    entry = tmp_path / "qemu-aarch64"
    entry.write_text(f"{state}\ninterpreter /usr/bin/qemu-aarch64\nflags: {flags}\noffset 0\nmagic {AARCH64}\n")
    found = said(MACHINE, tmp_path)
    assert len(found) == noted
    if noted:
        assert found[0][0] == "emulation"
        assert f"{entry} is registered for aarch64" in found[0][1]
        assert f"echo -1 >{entry}" in found[0][2]
    assert said(dataclasses.replace(MACHINE, arch="aarch64"), tmp_path) == []
