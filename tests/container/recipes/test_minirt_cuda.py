"""minirt's CUDA build on the builder image: what it refuses, and that its bytes do not depend on the folder."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits, RunResult, Volume
from orchestrator.elf.read import read_elf
from orchestrator.images.imageset import ImageSet
from orchestrator.store.cuda_toolkit import cuda_toolkit
from orchestrator.store.store import Store
from orchestrator.store.toolchain import cmake_toolchain
from orchestrator.tarstream import tar_of

pytestmark = pytest.mark.container

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "recipes" / "minirt" / "source"
OLD, NEW = "3.24.3", "4.4.5"
CUDA = "/usr/local/cuda"
NVCC = {"CUDACXX": f"{CUDA}/bin/nvcc"}
LISTED = {"CUDAARCHS": "80-real;90-real;90-virtual"}


class Bench:
    """The builder image with a CMake and a CUDA toolkit; minirt's source lies in `source`."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.store = engine, Store.default()
        self.image = ImageSet(ROOT / "images", self.store, engine).ensure("builder", python="3.11", policy="stand-in")
        self.work: Volume

    def run(self, script: str, *, train: str = "13.0", cmake: str = NEW, env: Mapping[str, str]) -> RunResult:
        toolkit, tool = cuda_toolkit(self.store, train), cmake_toolchain(self.store, cmake)
        self.work = self.engine.volume("minirt", row="minirt")
        files = {str(path.relative_to(SOURCE)): path.read_bytes() for path in SOURCE.rglob("*") if path.is_file()}
        return self.engine.run(
            image=self.image.reference,
            command=["/bin/sh", "-c", script],
            row="minirt",
            step="minirt",
            work=self.work,
            mounts={
                CUDA: self.engine.toolchain_volume(toolkit.name, toolkit.sha256, toolkit.tar),
                "/cmake": self.engine.toolchain_volume("cmake", tool.sha256, tool.tar),
            },
            env={"PATH": f"/cmake/bin:{CUDA}/bin:/usr/bin:/bin", **env},
            inputs={"source": tar_of(files)},
            limits=Limits(seconds=300),
            capture=True,
        )

    def configure(self, *options: str, env: Mapping[str, str]) -> RunResult:
        return self.run(f"cmake -S source -B build -DMINIRT_PYTHON=OFF {' '.join(options)} 2>&1", env=env)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Engine.connect() as engine:
        yield Bench(engine)


@pytest.mark.parametrize(
    ("options", "env", "message"),
    [
        (["-DMINIRT_CUDA=ON"], LISTED, "no CUDA compiler was given, and none is looked for"),
        (["-DMINIRT_CUDA=ON"], NVCC, "no CUDA architectures were given"),
        (["-DMINIRT_CUDA=ON"], {**NVCC, "CUDAARCHS": "native"}, "the CUDA architecture 'native' is none that is given"),
        (["-DMINIRT_CUDA=ON", "-DCMAKE_CUDA_ARCHITECTURES=OFF"], NVCC, "the CUDA architecture 'OFF' is none"),
        (["-DMINIRT_CUDA=ON", "-DSKBUILD=2"], {**NVCC, **LISTED}, "the wheel would require no CUDA runtime"),
        (
            ["-DMINIRT_CUDA=ON"],
            {**NVCC, **LISTED, "MINIRT_CUDA_VERSION": "12.6"},
            f"another CUDA runtime than that of the compiler, which is CUDA 13.0.88 ({CUDA}/bin/nvcc)",
        ),
        ([], {"MINIRT_CUDA_VERSION": "13.0"}, "makes the wheel require a CUDA runtime, but MINIRT_CUDA is OFF"),
    ],
)
def test_what_was_not_said_is_refused(bench: Bench, options: list[str], env: Mapping[str, str], message: str) -> None:
    result = bench.configure(*options, env=env)
    assert result.exit == 1
    # CMake breaks long messages into lines.
    said = " ".join(result.stdout.decode().split())
    assert message in said
    assert "Configuring done" not in said


def test_what_was_said_is_taken(bench: Bench) -> None:
    """The control: the same configurations with nothing missing."""
    wheel = {"MINIRT_CUDA_VERSION": "13.0"}
    result = bench.configure("-DMINIRT_CUDA=ON", "-DSKBUILD=2", env={**NVCC, **LISTED, **wheel})
    assert result.exit == 0, result.output_tail
    assert "minirt 1.2.0, CUDA: ON" in result.stdout.decode()


def test_a_toolkit_at_hand_is_not_taken(bench: Bench) -> None:
    result = bench.configure(env={**NVCC, **LISTED})
    assert result.exit == 0, result.output_tail
    assert "minirt 1.2.0, CUDA: OFF" in result.stdout.decode()
    assert "CUDA compiler" not in result.stdout.decode()


TWICE = """
set -e
for place in a another/place; do
  mkdir -p $place
  cp -R source $place/source
  cmake -S $place/source -B $place/build -DMINIRT_PYTHON=OFF -DMINIRT_CUDA=ON 2>&1
  cmake --build $place/build -j 2 2>&1
  cmake --install $place/build --prefix $place/installed --component minirt --strip
done
"""


@pytest.mark.parametrize(("train", "cmake"), [("12.6", OLD), ("13.2", NEW)])
def test_two_folders_give_the_same_bytes(bench: Bench, train: str, cmake: str) -> None:
    result = bench.run(TWICE, train=train, cmake=cmake, env={**NVCC, **LISTED})
    assert result.exit == 0, result.output_tail
    first, second = (installed(bench, place) for place in ("a", "another/place"))
    assert {name: digest(content) for name, content in first.items()} == {
        name: digest(content) for name, content in second.items()
    }
    major = train.partition(".")[0]
    hop = {"12": "$ORIGIN/../../nvidia/cuda_runtime/lib", "13": "$ORIGIN/../../nvidia/cu13/lib"}[major]
    libraries = {name: read_elf(content) for name, content in first.items() if name.endswith(".so")}
    assert len(libraries) == 9
    for name, elf in libraries.items():
        linked = name.rpartition("/")[2] in ("libminirt_backend_cuda.so", "libminirt_kernels_cuda.so")
        assert (f"libcudart.so.{major}" in elf.needed) is linked, name
        assert elf.runpath == (("$ORIGIN", hop) if linked else ("$ORIGIN",)), name
        code = {(one.kind, one.arch) for one in elf.device_code}
        wanted = {("cubin", "80"), ("cubin", "90"), ("ptx", "90")} if "kernels_cuda" in name else set()
        assert code == wanted, name


def installed(bench: Bench, place: str) -> dict[str, bytes]:
    with bench.engine.get(bench.work, f"{place}/installed") as stream:
        content = io.BytesIO(stream.read())
    with tarfile.open(fileobj=content) as tar:
        files = {member.name: tar.extractfile(member) for member in tar if member.isreg()}
        return {name: file.read() for name, file in files.items() if file}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
