from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, RecipeError
from orchestrator.store.artefact import Artefact
from orchestrator.store.cuda_toolkit import CudaToolkit, cuda_toolkit, runtime_wheels
from orchestrator.store.debian.index import MIRROR_VARIABLE
from orchestrator.store.store import Store
from tests.support.damage import truncate
from tests.support.index import Index, serve
from tests.support.toolkit import NEWER, OLDER, debian_lock, lock


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with serve(tmp_path_factory.mktemp("index")) as index, pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        yield index


@pytest.fixture(scope="module")
def toolkit(tmp_path_factory: pytest.TempPathFactory, index: Index) -> CudaToolkit:
    folder = tmp_path_factory.mktemp("toolkit")
    return cuda_toolkit(Store(folder / "store"), "13.0", locks=lock(folder, "13.0", NEWER, index))


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory, index: Index) -> CudaToolkit:
    folder = tmp_path_factory.mktemp("older")
    store = Store(folder / "store")
    debian_lock(folder, "12.6", store=store)
    return cuda_toolkit(store, "12.6", locks=lock(folder, "12.6", OLDER, index))


def copied(toolkit: CudaToolkit, folder: Path) -> CudaToolkit:
    """The toolkit in a store of its own, which may be damaged; filling one takes seconds."""
    return replace(toolkit, store=Store(shutil.copytree(toolkit.store.root, folder / "store")))


def names(toolkit: CudaToolkit) -> set[str]:
    with tarfile.open(fileobj=toolkit.tar(), mode="r|") as archive:
        return {member.name for member in archive}


def test_a_toolkit_knows_its_parts_and_what_it_claims(toolkit: CudaToolkit) -> None:
    assert (toolkit.train, toolkit.name) == ("13.0", "cuda-13.0")
    assert {part.name: part.version for part in toolkit.parts} == NEWER
    assert toolkit.parts[0].filename == "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.whl"
    assert toolkit.claims == {"nvcc": "13.0.88", "ptxas": "13.0.88", "cudart": "13.0.96"}
    assert {"bin/nvcc", "lib/libcudart.so", "lib64"} <= names(toolkit)


def test_another_part_is_another_content(tmp_path: Path, index: Index, toolkit: CudaToolkit) -> None:
    again = cuda_toolkit(toolkit.store, "13.0", locks=lock(tmp_path, "13.0", NEWER))
    assert again == toolkit
    locks = lock(tmp_path, "13.0", {**NEWER, "nvidia-cuda-cccl": "13.0.90"}, index)
    assert cuda_toolkit(toolkit.store, "13.0", locks=locks).sha256 != toolkit.sha256


def test_the_older_toolkit_has_the_front_end_among_its_parts(older: CudaToolkit) -> None:
    assert {part.name: part.version for part in older.parts} == {**OLDER, "nvidia-cuda-toolkit": "12.4.131~12.4.1-2"}
    assert older.parts[-1].filename == "nvidia-cuda-toolkit_12.4.131~12.4.1-2_amd64.deb"
    assert older.claims["nvcc"] == "12.4.131"
    assert {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"} <= names(older)
    assert cuda_toolkit(older.store, "12.6", locks=older.locks) == older


def runtime(toolkit: CudaToolkit, *requires: str) -> tuple[Artefact, ...]:
    return runtime_wheels(toolkit.store, toolkit.train, requires, locks=toolkit.locks)


def test_the_runtime_is_the_locked_wheel_that_a_requirement_allows(toolkit: CudaToolkit) -> None:
    (wheel,) = runtime(toolkit, "nvidia-cuda-runtime>=13.0,<14")
    assert (wheel.name, wheel.version) == ("nvidia-cuda-runtime", "13.0.96")
    assert runtime(toolkit, "NVIDIA_cuda.runtime", "nvidia-cuda-runtime==13.0.*") == (wheel,)
    assert runtime(toolkit) == ()


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("nvidia-cuda-runtime>=13.2,<14", "CUDA 13.0 satisfies 'nvidia-cuda-runtime>=13.2,<14'"),
        ("nvidia-cuda-runtime-cu12>=12.6", "CUDA 13.0 satisfies 'nvidia-cuda-runtime-cu12>=12.6'"),
        ("nvidia-cublas", "CUDA 13.0 satisfies 'nvidia-cublas'"),
    ],
)
def test_a_requirement_that_nothing_satisfies_is_refused(toolkit: CudaToolkit, requirement: str, said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        runtime(toolkit, "nvidia-cuda-runtime", requirement)
    assert said in caught.value.message


def read(toolkit: CudaToolkit, name: str) -> bytes:
    with tarfile.open(fileobj=toolkit.tar(), mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name == name else None
            if content:
                return content.read()
    raise AssertionError(name)


def test_a_toolkit_for_another_processor_has_its_library_and_runs_here(
    tmp_path: Path, index: Index, toolkit: CudaToolkit
) -> None:
    locks = lock(tmp_path, "13.0", NEWER, index, other="aarch64")
    cross = cuda_toolkit(toolkit.store, "13.0", arch="aarch64", host="x86_64", locks=locks)
    assert cross.target is not None
    assert cross.target.filename == "nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_aarch64.whl"
    assert {part.filename for part in cross.parts} == {part.filename for part in toolkit.parts} | {
        cross.target.filename
    }
    assert names(cross) == names(toolkit)
    assert read(cross, "lib/libcudart.so.13") == b"runtime of aarch64"
    assert read(toolkit, "lib/libcudart.so.13") == b"runtime"
    assert read(cross, "bin/nvcc") == read(toolkit, "bin/nvcc")
    assert (cross.name, cross.claims) == ("cuda-13.0-aarch64", toolkit.claims)
    assert cross.sha256 != toolkit.sha256


def test_another_processors_runtime_with_other_libraries_is_refused(
    tmp_path: Path, index: Index, toolkit: CudaToolkit
) -> None:
    locks = lock(tmp_path, "13.0", NEWER, index, other="aarch64", more={"nvidia/cu13/lib/libmore.so": b"more"})
    cross = cuda_toolkit(toolkit.store, "13.0", arch="aarch64", host="x86_64", locks=locks)
    with pytest.raises(FetchError, match=r"holds other libraries than \S+: lib/libmore\.so") as caught:
        names(cross)
    assert "take the toolkit's lock back" in caught.value.advice


def test_a_lost_part_is_fetched_anew_and_told_where_its_lock_is_another_now(
    tmp_path: Path, index: Index, toolkit: CudaToolkit
) -> None:
    lost = copied(toolkit, tmp_path)
    part = lost.wheels[0]
    lost.store.require(part.sha256, part.filename).unlink()
    assert names(lost) == names(toolkit)
    lost.store.require(part.sha256, part.filename).unlink()
    others = lock(tmp_path, "13.0", {**NEWER, "nvidia-cuda-nvcc": "13.0.90"}, index)
    with pytest.raises(FetchError, match=r"nvidia_cuda_nvcc-13\.0\.88\S+ is no longer in the store"):
        replace(lost, locks=others).tar()


def test_a_damaged_part_is_fetched_anew_before_a_volume_is_filled(
    tmp_path: Path, toolkit: CudaToolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = copied(toolkit, tmp_path)
    store, whole = toolkit.store, names(toolkit)
    part = toolkit.wheels[0]
    truncate(store, part.sha256)
    assert store.blob(part.sha256) is not None, "who does not read it does not hash it"
    assert names(toolkit) == whole
    assert store.blob(part.sha256, verify=True) is not None

    truncate(store, part.sha256)
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "http://127.0.0.1:9/simple")
    with pytest.raises(FetchError, match=r"nvidia-cuda-nvcc==13\.0\.88 is not in the store, and the package index"):
        toolkit.tar()


def test_a_damaged_front_end_is_not_unpacked(
    tmp_path: Path, older: CudaToolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = copied(older, tmp_path)
    monkeypatch.setenv(MIRROR_VARIABLE, "http://127.0.0.1:9")
    assert "nvvm/bin/cicc" in names(toolkit)
    truncate(toolkit.store, toolkit.parts[-1].sha256)
    with pytest.raises(FetchError, match=r"Cannot download nvidia-cuda-toolkit 12\.4\.131"):
        toolkit.tar()
