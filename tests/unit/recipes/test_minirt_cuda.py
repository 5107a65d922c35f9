"""minirt's CUDA delegate, kernels and allocator, run on the host: what they call and compute.

The sources are those of the wheel; the CUDA runtime is a small one that runs kernels on threads
(`host_cuda`), under a sanitizer that sees each access outside of what was reserved.
"""

from __future__ import annotations

import os
import runpy
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.elves import compiler

FOLDER = Path(__file__).parents[3] / "recipes" / "minirt"
SOURCE = FOLDER / "source"
HOST = Path(__file__).with_name("host_cuda")


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Minirt's CUDA sources, and what they stand on, compiled."""
    folder = tmp_path_factory.mktemp("objects")
    parts = ("runtime", "threadpool", "backend_cuda", "extension_cuda", "kernels_cuda")
    sources = [file for part in parts for file in sorted((SOURCE / "src" / part).glob("*.c*"))]
    assert SOURCE / "src/kernels_cuda/dense.cu" in sources
    command = [*flags("-c"), "-x", "c++", *map(str, [*sources, HOST / "runtime.cpp"])]
    subprocess.run(command, cwd=folder, check=True, timeout=300)
    return tuple(folder.glob("*.o"))


def flags(*more: str) -> list[str]:
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    folders = [f"-I{SOURCE / 'include'}", f"-I{HOST}"]
    return [compiler(), "-std=c++17", "-Wall", "-Werror", "-DMINIRT_USE_THREADPOOL", *sanitizers, *folders, *more]


def program(folder: Path, objects: Sequence[Path], source: Path) -> Path:
    command = flags(str(source), *map(str, objects), "-pthread", "-o", str(folder / "program"))
    subprocess.run(command, check=True, timeout=300)
    return folder / "program"


@pytest.fixture(scope="module")
def probe(objects: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that shows what the delegate calls."""
    return program(tmp_path_factory.mktemp("probe"), objects, Path(__file__).with_name("cuda_probe.cpp"))


@pytest.fixture(scope="module")
def app(objects: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recipe's consumer."""
    return program(tmp_path_factory.mktemp("app"), objects, FOLDER / "consumers" / "app" / "main.cpp")


def answers(program: Path, *arguments: str, machine: str = "") -> dict[str, str]:
    done = subprocess.run(
        [program, *arguments],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "HOST_CUDA": machine},
    )  # fmt: skip
    assert "ERROR" not in done.stderr, done.stderr
    lines = [line.partition(":") for line in done.stdout.splitlines()]
    return {name: rest.strip() for name, _, rest in lines} | {"exit": str(done.returncode)}


def test_delegate_runs_where_it_was_prepared_on_the_callers_stream(probe: Path) -> None:
    said = answers(probe)
    assert "error" not in said
    # Weights and bias of two layers.
    assert said["prepare"] == " ".join(["down@1/5 wait@1/5"] * 4)
    assert said["execute"] == "down@1/7 wait@1/7 launch@1/7 launch@1/7 up@1/7 wait@1/7"
    assert said["values"] == "1 7 0"
    assert said["after"] == "device 0, stream 5, of a new thread 0"
    assert said["no rows"] == ""
    assert said["blocks in use"] == "0"


def test_copies_are_made_on_the_devices_that_own_the_memory(probe: Path) -> None:
    said = answers(probe)
    assert said["copies"] == "down@0/5 wait@0/5 across@1/5 up@1/5 wait@1/5"
    assert said["arrived"] == "42"
    refused = "failed: refused by the host's runtime (a name)"
    assert said["wrong device"] == f"CUDA: copying to the host {refused}"
    assert said["no such device"] == f"CUDA: choosing the device {refused}"


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        ("none", "CudaBackend: no CUDA device: the machine has no NVIDIA driver"),
        ("empty", "CudaBackend: no CUDA device: the driver knows of none"),
        ("old", "CUDA: counting the devices failed: the driver is too old (a name)"),
    ],
)
def test_a_machine_without_a_usable_device_is_named(probe: Path, machine: str, message: str) -> None:
    said = answers(probe, machine=machine)
    assert said["error"] == message
    assert "prepare" not in said
    assert said["blocks in use"] == "0"


def test_model_matches_its_reference(app: Path) -> None:
    model, reference = str(FOLDER / "models/mlp_cuda.mrt"), FOLDER / "models/mlp_cuda.txt"
    assert answers(app, model, str(reference), "1e-4")["exit"] == "0"


def test_another_reference_does_not_match(app: Path, tmp_path: Path) -> None:
    writer = runpy.run_path(str(FOLDER / "models" / "make_models.py"))
    _, inputs, outputs = writer["mlp_cuda"]()
    outputs[40][6] += 2e-4
    (tmp_path / "off.txt").write_text(writer["reference"](inputs, outputs), encoding="ascii")
    said = answers(app, str(FOLDER / "models/mlp_cuda.mrt"), str(tmp_path / "off.txt"), "1e-4")
    assert (said["mismatch"], said["exit"]) == ("more than 0.0001", "6")
