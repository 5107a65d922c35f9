from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, RecipeError
from orchestrator.store.store import Store
from orchestrator.store.toolchain import Toolchain, cmake_toolchain, known_cmakes, ninja_toolchain
from tests.support.damage import truncate
from tests.support.index import serve
from tests.support.toolkit import wheel


def _wheel(folder: Path, files: dict[str, tuple[bytes, int]]) -> Path:
    path = folder / "tool.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, (content, mode) in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100000 | mode) << 16
            archive.writestr(info, content)
    return path


def _names(toolchain: Toolchain) -> dict[str, int]:
    with tarfile.open(fileobj=toolchain.tar(), mode="r|") as archive:
        return {member.name: member.mode for member in archive}


def test_what_a_wheel_carries_is_laid_out_as_bin_and_share(tmp_path: Path) -> None:
    wheel = _wheel(
        tmp_path,
        {
            "cmake/__init__.py": (b"", 0o644),
            "cmake/data/bin/cmake": (b"elf", 0o755),
            "cmake/data/doc/x": (b"", 0o644),
            "cmake/data/share/cmake-4.4/Modules/A.cmake": (b"", 0o644),
            "cmake/data/share/cmake-4.4/Modules/squeeze.sh": (b"", 0o755),
        },
    )
    assert _names(Toolchain(name="cmake", version="4.4", sha256="", wheel=lambda: wheel)) == {
        "bin": 0o755,
        "share": 0o755,
        "share/cmake-4.4": 0o755,
        "share/cmake-4.4/Modules": 0o755,
        "bin/cmake": 0o755,
        "share/cmake-4.4/Modules/A.cmake": 0o644,
        "share/cmake-4.4/Modules/squeeze.sh": 0o755,
    }


def test_a_program_in_the_wheels_scripts_is_found(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path, {"ninja-1.13.2.data/scripts/ninja": (b"elf", 0o644)})
    assert _names(Toolchain(name="ninja", version="1.13.2", sha256="", wheel=lambda: wheel)) == {
        "bin": 0o755,
        "bin/ninja": 0o755,
    }


def test_a_wheel_without_the_program_is_refused(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path, {"ninja/__init__.py": (b"", 0o644)})
    with pytest.raises(FetchError, match="no program 'ninja'"):
        Toolchain(name="ninja", version="1", sha256="", wheel=lambda: wheel).tar().read()


def test_the_versions_that_have_locks_are_known_in_order() -> None:
    assert known_cmakes() == ("3.18.0", "3.20.2", "3.23.3", "3.24.3", "3.27.9", "3.28.4", "3.31.10", "4.4.5")


def test_an_unknown_cmake_gets_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"no lock for CMake 3\.24\.2") as caught:
        cmake_toolchain(Store(tmp_path), "3.24.2")
    assert "Did you mean '3.24.3'?" in caught.value.advice


def test_what_is_no_wheel_is_named(tmp_path: Path) -> None:
    (tmp_path / "tool.whl").write_bytes(b"no zip archive")
    with pytest.raises(FetchError, match=r"tool\.whl: cannot be read as a wheel"):
        Toolchain(name="ninja", version="1", sha256="", wheel=lambda: tmp_path / "tool.whl").tar().read()


def test_a_damaged_tool_is_fetched_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = wheel("ninja", "1", {"ninja/data/bin/ninja": b"elf"})
    store = Store(tmp_path / "store")
    with serve(tmp_path / "index") as index:
        sha256 = index.publish("ninja", "ninja-1-py3-none-manylinux2014_x86_64.whl", data)
        monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", index.address)
        (tmp_path / "ninja.lock").write_text(f"ninja==1 --hash=sha256:{sha256}\n")
        tool = ninja_toolchain(store, locks=tmp_path)
        truncate(store, sha256)
        assert "bin/ninja" in _names(tool)
    truncate(store, sha256)
    with pytest.raises(FetchError, match="ninja==1 is not in the store, and the package index cannot be reached"):
        tool.tar()
