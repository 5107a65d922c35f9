"""minirt's copies are made by the allocator that owns the memory, once; needs no GPU."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.elves import compiler

SOURCE = Path(__file__).parents[3] / "recipes" / "minirt" / "source"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that copies between devices whose allocators count."""
    program = tmp_path_factory.mktemp("copy") / "routes"
    sources = [*sorted((SOURCE / "src" / "runtime").glob("*.cpp")), Path(__file__).with_name("copy_routes.cpp")]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    command = [compiler(), *flags, f"-I{SOURCE / 'include'}", "-pthread", *map(str, sources), "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    return program


def test_routes(program: Path) -> None:
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    owners = "different allocators own them; copy through the host"
    two = f"cannot copy from device type 128:7 to device type 129:0: {owners}"
    nobody = "cannot copy: no loaded library registered an allocator for"
    assert dict(line.split(":", 1) for line in done.stdout.splitlines()) == {
        "host to host": "",
        "host to device": " first.from_host(3,5)",
        "device to host": " first.to_host(3,5)",
        "device to device": " first.on_device(11,5)",
        "device to another of its type": " second.on_device(21,5)",
        "nothing from host to host": "",
        "nothing to a device": "",
        "nothing to the host": "",
        "nothing on a device": "",
        "two owners": f" {two}",
        "nothing between two owners": f" {two}",
        "to a device of nobody": f" {nobody} device type 130:4",
        "from a device of nobody": f" {nobody} cuda:2",
        "nothing to a device of nobody": f" {nobody} device type 130:4",
        "owner of the host's memory": " none",
        "owner of the first's": " first",
    }


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("twice", "an allocator for 'device type 128:0' is registered twice"),
        ("host", "an allocator for 'cpu' was registered, but the host's memory needs none"),
    ],
)
def test_a_false_owner_ends_the_process(program: Path, claim: str, reason: str) -> None:
    done = subprocess.run([program, claim], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGABRT
    assert reason in done.stderr
