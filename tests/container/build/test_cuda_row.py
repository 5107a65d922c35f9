"""A CUDA row, built: what its guards see, and what they stop."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.cuda_build import MOUNT, CudaBuild
from orchestrator.build.failure import FailedBuildError
from orchestrator.build.guards.catalogue import GUARDS
from orchestrator.build.inputs import collect_inputs
from orchestrator.build.wheel_build import build_wheel
from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.store.cuda_toolkit import CudaToolkit, cuda_toolkit
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream
from tests.support.command import run
from tests.support.tiny import locked
from tests.support.tiny_cuda import CMAKE, RECIPE, tiny_cuda_recipe

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[3]
BUILD = ("build", "--stand-in", "--json", "--recipe", "tinycuda", "--variant")
NOWHERE = {"DOCKER_HOST": "unix:///nowhere/engine.sock"}
ROW = Row(recipe="tinycuda", variant="cuda-13.0", arch="x86_64", python="cp311")
_GUARDS = {guard.id for guard in GUARDS} - {"A0", "J2"}
CLAIMS = {"nvcc": "13.0.88", "ptxas": "13.0.88", "cudart": "13.0.96"}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.connect() as connected:
        yield connected


def report(text: str) -> dict[str, Any]:
    (row,) = json.loads(text)["rows"]
    assert isinstance(row, dict)
    return row


def guards(row: dict[str, Any]) -> dict[str, str]:
    """Verdicts by id of the guards."""
    found: dict[str, str] = {}
    for check in row["checks"]:
        if check["id"] in _GUARDS and found.get(check["id"]) != "fail":
            found[check["id"]] = check["verdict"]
    return found


def test_an_honest_row_passes_its_guards_and_is_the_same_each_time(tmp_path: Path) -> None:
    tiny_cuda_recipe(tmp_path)
    done = run(*BUILD, "cuda-13.0", "--fresh", cwd=tmp_path).require(0)
    row = report(done.out)
    assert guards(row) == dict.fromkeys(("A11", "A12", "A13", "A14", "A15", "A16"), "pass")
    # The component versions are told before anything is compiled, and each part is in the report.
    assert "CUDA 13.0: nvcc 13.0.88, ptxas 13.0.88, cudart 13.0.96 (from " in done.err
    toolkit = cuda_toolkit(Store.default(), "13.0")
    parts = {(part.name, part.version, part.sha256) for part in toolkit.parts}
    assert parts <= {(one["name"], one["version"], one["sha256"]) for one in row["toolchains"]}
    (compiled,) = (check for check in row["checks"] if check["id"] == "A13")
    assert (compiled["reason"], compiled["evidence"]) == ("inspected 1 compilation", ["real 80 90; PTX 90"])
    # Without a CMake package the installed wheel is tried all the same.
    installed = {one["id"]: one["verdict"] for one in row["checks"] if one["environment"] == "bookworm/installed"}
    assert installed == dict.fromkeys(("A19", "C7", "C8", "C10", "H10"), "pass")
    again = run(*BUILD, "cuda-13.0", cwd=tmp_path, env=NOWHERE).require(0)
    assert guards(report(again.out)) == guards(row)
    fresh = report(run(*BUILD, "cuda-13.0", "--fresh", cwd=tmp_path).require(0).out)
    assert fresh["wheel"]["sha256"] == row["wheel"]["sha256"]


def test_a_wheel_without_a_cmake_package_is_loaded_in_an_image_without_a_toolkit(tmp_path: Path) -> None:
    tiny_cuda_recipe(tmp_path, cmake=CMAKE.replace("$ORIGIN/../nvidia/cu13/lib", "$ORIGIN"))
    row = report(run(*BUILD, "cuda-13.0", cwd=tmp_path).require(1).out)
    said = {one["id"]: one["reason"] for one in row["checks"] if one["verdict"] == "fail"}
    assert set(said) == {"C4", "C6", "C10"}
    assert said["C10"] == "the loader does not find libcudart.so.13"


def test_a_stored_wheel_keeps_what_its_guards_said(tmp_path: Path) -> None:
    recipe = tiny_cuda_recipe(
        tmp_path, cmake=CMAKE.replace("enable_language(CUDA)", "set(ENV{CUDAARCHS} 90)\n  enable_language(CUDA)")
    )
    first = report(run(*BUILD, "cuda-13.0", cwd=tmp_path).require(1).out)
    # The project replaced the list: one architecture is missing, and a bare number is PTX too.
    (fault,) = (check for check in first["checks"] if check["id"] == "A13" and check["verdict"] == "fail")
    assert (fault["subject"], fault["reason"]) == ("source/tiny.cu", "generates no code for sm_80")
    assert "--generate-code=arch=compute_90" in fault["evidence"][1]
    assert guards(first)["A12"] == "pass"
    assert not (tmp_path / "dist").exists()
    # The wheel is not built again, and a waiver covers the record as any other.
    waived = '\n[[waiver]]\ncheck = "A13"\nsubject = "*"\nreason = "only a test of waivers"\nuntil = 2999-01-01\n'
    (recipe / "recipe.toml").write_text(RECIPE + waived)
    second = report(run(*BUILD, "cuda-13.0", cwd=tmp_path).require(1).out)
    assert second["wheel"] == first["wheel"]
    built = [[step for step in row["steps"] if "/" not in step["name"]] for row in (first, second)]
    assert built[0] == built[1]
    (same,) = (check for check in second["checks"] if check["id"] == "A13")
    assert "only a test of waivers" in same["waived"]


def test_a_cpu_row_that_turns_cuda_on_is_refused(tmp_path: Path) -> None:
    tiny_cuda_recipe(tmp_path, recipe=RECIPE.replace('TINY_CUDA = "OFF"', 'TINY_CUDA = "ON"'))
    done = run(*BUILD, "cpu", cwd=tmp_path).require(7)
    assert "tinycuda/cpu/x86_64/cp311 may not be built: A10 cpu-says-off: TINY_CUDA: 'ON' does not turn CUDA off" in (
        done.err
    )
    assert "A14 toolkit-is-the-rows: TINY_CUDA: the row 'cpu' has no CUDA version, but turns CUDA on" in done.err
    assert "build environment" not in done.err
    assert guards(report(done.out)) == {"A10": "fail", "A14": "fail"}


@dataclass(frozen=True, kw_only=True)
class Planted(CudaToolkit):
    """A toolkit that is not what it should be."""

    members: tuple[TarMember, ...]

    def tar(self) -> TarStream:
        return TarStream(self.members)


def planted(number: str, *members: TarMember, claims: Mapping[str, str] = CLAIMS) -> Planted:
    return Planted(
        train="13.0", name="cuda-13.0-planted", sha256=number.zfill(64), claims=claims, wheels=(), front_end=None,
        store=Store.default(), members=members,
    )  # fmt: skip


def answering(name: str, version: str) -> TarMember:
    text = f'#!/bin/sh\necho "Cuda compilation tools, release {version[:4]}, V{version}"\n'
    return TarMember.of_bytes(f"bin/{name}", text.encode(), mode=0o755)


def headers(version: int) -> TarMember:
    return TarMember.of_bytes("include/cuda_runtime_api.h", f"#define CUDART_VERSION {version}\n".encode())


SOUND = (answering("ptxas", "13.0.88"), headers(13000))


@pytest.mark.parametrize(
    ("toolkit", "said"),
    [
        (planted("1", *SOUND), "A11 cuda-says-on: /usr/local/cuda/bin/nvcc: there is no such file"),
        (
            planted("2", TarMember.folder("bin/nvcc/"), *SOUND),
            "A11 cuda-says-on: /usr/local/cuda/bin/nvcc: is a folder, not a program",
        ),
        (
            planted("3", TarMember.of_bytes("bin/nvcc", b"#!/bin/sh\n", mode=0o755), *SOUND),
            "A11 cuda-says-on: /usr/local/cuda/bin/nvcc: answers nothing when asked for its version",
        ),
        (
            planted("4", answering("nvcc", "13.0.48"), *SOUND),
            "A14 toolkit-is-the-rows: /usr/local/cuda/bin/nvcc: is 13.0.48, but the lock says 13.0.88",
        ),
        (
            planted("5", answering("nvcc", "13.0.88"), answering("ptxas", "13.0.88"), headers(13020)),
            "A14 toolkit-is-the-rows: /usr/local/cuda/include/cuda_runtime_api.h: is 13.2, but the row is CUDA 13.0",
        ),
        (
            planted(
                "6",
                answering("nvcc", "12.4.131"),
                answering("ptxas", "12.6.85"),
                headers(12060),
                claims={"nvcc": "12.4.131", "ptxas": "12.6.85", "cudart": "12.6.77"},
            ),
            "A14 toolkit-is-the-rows: /usr/local/cuda/bin/ptxas: is 12.6.85, but the row is CUDA 13.0",
        ),
    ],
    ids=["missing", "folder", "stub", "other-nvcc", "other-headers", "other-train"],
)
def test_a_toolkit_that_is_not_the_rows_compiles_nothing(
    engine: Engine, tmp_path: Path, toolkit: Planted, said: str
) -> None:
    recipe_folder = tiny_cuda_recipe(tmp_path)
    (recipe_folder / "build.lock").write_text(locked("pip"))
    recipe = load_recipe(str(recipe_folder), ROOT / "recipes")
    store = Store.default()
    image = ImageSet(ROOT / "images", store, engine).ensure("builder", python="3.11", policy="stand-in")
    plan = cuda_plan(recipe, ROW, ["13.0"])
    assert plan
    cuda = CudaBuild(plan=plan, root=MOUNT, toolkit=toolkit)
    inputs = collect_inputs(store, recipe, ROW, image.digest, cuda=cuda)
    with pytest.raises(FailedBuildError) as caught:
        build_wheel(engine, store, inputs, image, tmp_path)
    engine.remove_volume(engine.toolchain_volume(toolkit.name, toolkit.sha256, toolkit.tar))
    assert said in str(caught.value)
    assert [step.name for step in caught.value.steps][-1] == "look at tools"
    assert {check.id for check in caught.value.checks} >= {"A11", "A12", "A14", "A16"}
