"""A small SDK, compiled once a session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.elves import build_library
from tests.support.judge import (
    CONFIG,
    KERNELS,
    KERNELS_SOURCE,
    MODULE,
    MODULE_SOURCE,
    RUNTIME,
    RUNTIME_SOURCE,
    VERSION_FILE,
    Build,
    Judge,
)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A compiler of libraries."""

    def compile_library(
        name: str,
        source: str,
        *flags: str,
        needs: Mapping[str, bytes] | None = None,
        soname: str | None = "",
        path: str | None = "$ORIGIN",
    ) -> bytes:
        folder = tmp_path_factory.mktemp("build")
        linked: list[str] = []
        for needed, data in (needs or {}).items():
            (folder / needed).write_bytes(data)
            linked += ["-L", str(folder), f"-l:{needed}"]
        options = [f"-Wl,-soname,{soname or name}"] if soname is not None else []
        if path is not None:
            options += ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{path}"]
        return build_library(folder / "out", name, source, [*options, *flags, *linked]).read_bytes()

    return compile_library


@pytest.fixture(scope="session")
def sdk(build: Build) -> dict[str, bytes]:
    """The files of a correct wheel."""
    runtime = build("libdemo.so", RUNTIME_SOURCE)
    kernels = build("libdemo_kernels.so", KERNELS_SOURCE, needs={"libdemo.so": runtime})
    both = {"libdemo.so": runtime, "libdemo_kernels.so": kernels}
    module = build("_C.so", MODULE_SOURCE, needs=both, soname=None, path="$ORIGIN/lib")
    return {
        "demo/__init__.py": b"",
        "demo/version.py": b'__version__ = "1.0+cpu"\n',
        RUNTIME: runtime,
        KERNELS: kernels,
        MODULE: module,
        CONFIG: b'get_filename_component(DEMO_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)\n',
        VERSION_FILE: b'set(PACKAGE_VERSION "1.0")\n',
    }


@pytest.fixture(scope="session")
def second_registry(build: Build) -> bytes:
    """A library that defines an owned and a bundled symbol once more."""
    return build(
        "libdemo_old.so",
        'namespace demo { int count_backends() { return 3; } } extern "C" int pool_create() { return 1; }',
    )


@pytest.fixture
def judge(tmp_path: Path, sdk: dict[str, bytes]) -> Judge:
    """A judge over the SDK's wheel."""
    return Judge(tmp_path, sdk)
