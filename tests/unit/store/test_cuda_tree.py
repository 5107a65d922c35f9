from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.cuda_tree import toolkit_members
from orchestrator.tarstream import TarStream
from tests.support.toolkit import FILES, FRONT_END, debian_package, wheel


def wheels(folder: Path, *contents: Mapping[str, bytes]) -> list[Path]:
    paths = [folder / f"part{number}.whl" for number in range(len(contents))]
    for path, files in zip(paths, contents, strict=True):
        path.write_bytes(wheel("part", "1", files))
    return paths


def unpacked(parts: Iterable[Path], front_end: Path | None = None) -> dict[str, tuple[int, bytes | str | None]]:
    """Mode, and content or target of a link, by name in the archive's order."""
    data = TarStream(toolkit_members(list(parts), front_end)).read()
    found: dict[str, tuple[int, bytes | str | None]] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isreg() else None
            found[member.name] = (member.mode, content.read() if content else member.linkname or None)
    return found


def newer(folder: Path) -> list[Path]:
    return wheels(folder, FILES["nvidia-cuda-nvcc"], FILES["nvidia-cuda-runtime"])


def older(folder: Path) -> list[Path]:
    return wheels(folder, FILES["nvidia-cuda-nvcc-cu12"], FILES["nvidia-cuda-runtime-cu12"])


def test_wheels_become_one_tree_with_the_links_that_linkers_look_for(tmp_path: Path) -> None:
    assert unpacked(newer(tmp_path)) == {
        "bin": (0o755, None),
        "include": (0o755, None),
        "lib": (0o755, None),
        "lib/libcudart.so": (0o777, "libcudart.so.13"),
        "lib64": (0o777, "lib"),
        "bin/nvcc": (0o755, b"nvcc"),
        "bin/nvcc.profile": (0o644, b"profile"),
        "include/cuda.h": (0o644, b"cuda"),
        "lib/libcudart.so.13": (0o644, b"runtime"),
    }


def test_debians_front_end_takes_the_place_that_nvcc_looks_in(tmp_path: Path) -> None:
    found = unpacked(older(tmp_path), debian_package(tmp_path, FRONT_END))
    assert {name: value for name, value in found.items() if value[1] is not None} == {
        "lib/libcudart.so": (0o777, "libcudart.so.12"),
        "lib64": (0o777, "lib"),
        "lib/libcudart.so.12": (0o644, b"runtime"),
        "lib/libcudadevrt.a": (0o644, b"!<arch>\n"),
        "lib/libcudart_static.a": (0o644, b"INPUT(-lcudart)\n"),
        "bin/ptxas": (0o755, b"ptxas"),
        "bin/nvcc": (0o755, b"nvcc"),
        "bin/nvcc.profile": (0o644, found["bin/nvcc.profile"][1]),
        "bin/cudafe++": (0o755, b"cudafe++"),
        "bin/fatbinary": (0o755, b"fatbinary"),
        "bin/nvlink": (0o755, b"nvlink"),
        "bin/crt/link.stub": (0o644, b"link"),
        "bin/crt/prelink.stub": (0o644, b"prelink"),
        "nvvm/bin/cicc": (0o755, b"cicc"),
    }
    profile = found["bin/nvcc.profile"][1]
    assert isinstance(profile, bytes)
    # Nothing in it names a place outside the tree.
    assert [word for word in profile.decode().split() if "/" in word and "$(_HERE_)/../" not in word] == []


def test_every_folder_comes_before_what_it_holds(tmp_path: Path) -> None:
    names = list(unpacked(older(tmp_path), debian_package(tmp_path, FRONT_END)))
    for place, name in enumerate(names):
        folder = name.rpartition("/")[0]
        assert not folder or folder in names[:place]


def test_the_same_file_in_two_wheels_is_one_and_another_is_refused(tmp_path: Path) -> None:
    runtime = FILES["nvidia-cuda-runtime"]
    assert unpacked(wheels(tmp_path, runtime, runtime)) == unpacked(wheels(tmp_path, runtime))
    other = {"nvidia/cu13/include/cuda.h": b"another"}
    with pytest.raises(FetchError, match=r"holds 'include/cuda\.h' with other content"):
        unpacked(wheels(tmp_path, runtime, other))


def test_a_tree_without_its_runtime_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"hold 0 libraries lib/libcudart\.so\.N, not one"):
        unpacked(wheels(tmp_path, FILES["nvidia-cuda-nvcc"]))


def test_a_front_end_that_the_wheels_have_already_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"wheels hold bin/nvcc, bin/nvcc\.profile, which was to come from"):
        unpacked(newer(tmp_path), debian_package(tmp_path, FRONT_END))


def test_a_front_end_that_lost_a_program_is_refused(tmp_path: Path) -> None:
    less = {path: data for path, data in FRONT_END.items() if not path.endswith("cicc")}
    with pytest.raises(FetchError, match="does not hold usr/lib/nvidia-cuda-toolkit/bin/cicc"):
        unpacked(older(tmp_path), debian_package(tmp_path, less))


def test_what_is_no_wheel_is_named(tmp_path: Path) -> None:
    parts = newer(tmp_path)
    parts[1].write_bytes(b"no zip archive")
    with pytest.raises(FetchError, match=r"part1\.whl: cannot be read as a wheel \(File is not a zip file\)"):
        unpacked(parts)
