"""Faults that are planted into a correct minirt wheel, one edit each, and the checks that own them.

Every fault keeps the wheel right in all other respects: RECORD fits, unless RECORD is the fault.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.support import elf_edit
from tests.support.wheel_draft import Draft

Edit = Callable[[Draft], None]

THREADPOOL = "/libminirt_threadpool.so"
OPTIMIZED = "/libminirt_kernels_optimized.so"
BLOCKED = "/libminirt_backend_blocked.so"
PROFILER = "/libminirt_profiler.so"
"""No other library needs it: faults in it stay its own."""
EXTENSION = "-linux-gnu.so"
CONFIG = "/lib/cmake/minirt/minirt-config.cmake"
METADATA = ".dist-info/METADATA"
VERSION_FILE = "/lib/cmake/minirt/minirt-config-version.cmake"


@dataclass(frozen=True)
class Fault:
    """One planted fault.

    `owners` are the ids of the checks that must fail, no more and no fewer.  `needs` says whether
    reading the wheel shows the fault, or only containers do.
    """

    name: str
    owners: tuple[str, ...]
    edit: Edit
    needs: Literal["static", "dynamic"] = "static"
    cmake: str = "4.4.5"
    """The CMake in whose environment a dynamic fault shows."""

    def apply(self, wheel: Path, folder: Path) -> Path:
        """Write the faulty wheel into `folder`; the given one stays as it is."""
        draft = Draft.of(wheel)
        self.edit(draft)
        return draft.write(folder)


def _elf(ending: str, edit: Callable[[bytes], bytes]) -> Edit:
    return lambda draft: draft.change(ending, edit)


def _patchelf(ending: str, *arguments: str) -> Edit:
    return _elf(ending, lambda data: elf_edit.patchelf(data, *arguments))


def _searching(path: str) -> Edit:
    """The profiler searches this path."""
    return _elf(PROFILER, lambda data: elf_edit.run_path(data, path))


def _copied(draft: Draft) -> None:
    name = draft.find(PROFILER)
    draft.files[name.replace(".so", "_old.so")] = draft.files[name]


def _stale(draft: Draft) -> None:
    name = draft.find(THREADPOOL)
    draft.files[name.replace(".so", "_v1.so")] = elf_edit.patchelf(
        draft.files[name], "--set-soname", "libminirt_threadpool_v1.so"
    )


def _deleted(draft: Draft) -> None:
    del draft.files[draft.find(PROFILER)]


def _unsafe_name(draft: Draft) -> None:
    draft.files["../minirt_evil.py"] = b""


def _clash(draft: Draft) -> None:
    draft.files["minirt/__INIT__.py"] = b""


def _doubled(draft: Draft) -> None:
    draft.unrecorded.append(("minirt/__init__.py", draft.files["minirt/__init__.py"]))


def _folder_entry(draft: Draft) -> None:
    draft.unrecorded.append((f"{draft.dist_info}/licenses/", b""))


def _unlisted(draft: Draft) -> None:
    draft.unrecorded.append(("minirt/extra.py", b"x = 1\n"))


def _wrong_hash(draft: Draft) -> None:
    def edit(data: bytes) -> bytes:
        first, rest = data.split(b"\n", 1)
        name, _, size = first.rsplit(b",", 2)
        return name + b",sha256=" + b"A" * 43 + b"," + size + b"\n" + rest

    draft.edit_record = edit


def _lists_absent(draft: Draft) -> None:
    draft.edit_record = lambda data: b"minirt/gone.py,sha256=" + b"A" * 43 + b",1\n" + data


def _add_file(name: str, text: str) -> Edit:
    def edit(draft: Draft) -> None:
        assert name not in draft.files
        draft.files[name] = text.encode()

    return edit


def _other_processor(draft: Draft) -> None:
    platform = draft.filename.removesuffix(".whl").rpartition("-")[2]
    draft.retag(f"cp311-cp311-{platform.replace('x86_64', 'aarch64')}")


def _platform(platform: str) -> Edit:
    return lambda draft: draft.retag(f"cp311-cp311-{platform}")


def _replace(ending: str, old: str, new: str) -> Edit:
    return lambda draft: draft.replace(ending, old, new)


def _own(function: str) -> Callable[[str], bool]:
    """Symbols of minirt whose mangled name has that function's (Itanium C++ ABI: length, then name)."""
    return lambda name: name.startswith("_ZN6minirt") and f"{len(function)}{function}" in name


def _target_without_library(draft: Draft) -> None:
    _deleted(draft)
    draft.replace(CONFIG, 'if(EXISTS "${_minirt_library}")', "if(TRUE)")


def _undefined_profiler(data: bytes) -> bytes:
    own = set(elf_edit.defined_names(data))
    return elf_edit.undefine(data, lambda name: name in own)


STATIC_FAULTS = (
    Fault("absolute search path", ("C1",), _searching("$ORIGIN:/opt/minirt/lib")),
    Fault("build folder in the search path", ("C1",), _searching("/home/builder/minirt/build:$ORIGIN")),
    Fault("empty search-path entry", ("C1",), _searching("$ORIGIN:")),
    Fault("search path from the current folder", ("C1",), _searching("lib:$ORIGIN")),
    Fault("toolkit in the search path", ("C5",), _searching("$ORIGIN:/usr/local/cuda-12.6/lib64")),
    Fault("search path that leads nowhere", ("C9",), _searching("$ORIGIN:$ORIGIN/../plugins")),
    Fault("search path twice", ("C9",), _searching("$ORIGIN:$ORIGIN/../lib")),
    Fault("search path of all site-packages", ("C9",), _searching("$ORIGIN:$ORIGIN/../..")),
    Fault("search path out of site-packages", ("C9",), _searching("$ORIGIN:$ORIGIN/../../../lib")),
    Fault("no search path", ("C2",), _patchelf(PROFILER, "--remove-rpath")),
    Fault("needs an absent library", ("C2",), _patchelf(PROFILER, "--add-needed", "libabsent.so.1")),
    Fault("other SONAME", ("B11",), _patchelf(PROFILER, "--set-soname", "libminirt_profiler.so.1")),
    Fault("SONAME with a path", ("B11",), _patchelf(PROFILER, "--set-soname", "/opt/libminirt_profiler.so")),
    Fault(
        "extension lost a component",
        ("B8",),
        _patchelf(EXTENSION, "--remove-needed", "libminirt_kernels_quantized.so"),
    ),
    Fault(
        "extension has the registry",
        ("B1", "B7", "B9", "B16"),
        _elf(EXTENSION, lambda data: elf_edit.define(data, _own("get_num_registered_backends"))),
    ),
    Fault("library under a second name", ("B1", "B16"), _copied),
    Fault("stale library", ("B1", "B16"), _stale),
    Fault("component missing", ("B2",), _deleted),
    Fault("component defines nothing", ("B3",), _elf(PROFILER, _undefined_profiler)),
    Fault("truncated library", ("B6",), _elf(PROFILER, lambda data: data[: len(data) // 8])),
    Fault(
        "executable stack",
        ("K1",),
        _elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_GNU_STACK", lambda f: f | elf_edit.PF_X)),
    ),
    Fault(
        "writable code",
        ("K9",),
        _elf(PROFILER, lambda data: elf_edit.segment_flags(data, "PT_LOAD", lambda _: 7)),
    ),
    Fault("text relocations", ("K9",), _elf(PROFILER, elf_edit.text_relocations)),
    Fault(
        "library for another processor",
        ("J1",),
        _elf(PROFILER, lambda data: elf_edit.machine(data, elf_edit.EM_AARCH64)),
    ),
    Fault("tag of another processor", ("J1",), _other_processor),
    Fault("tag of an older system", ("J5",), _platform("manylinux_2_5_x86_64")),
    Fault("tag of any system", ("K4",), lambda draft: draft.retag("py3-none-any")),
    Fault("WHEEL has another tag", ("J7",), lambda draft: draft.tag_lines("cp312-cp312-linux_x86_64")),
    Fault("wrong hash in RECORD", ("J7",), _wrong_hash),
    Fault("file that RECORD lacks", ("J7",), _unlisted),
    Fault("RECORD lists an absent file", ("J7",), _lists_absent),
    Fault("METADATA has another version", ("J6",), _replace(METADATA, "\nVersion: ", "\nVersion: 9.")),
    Fault(
        "version.py has another version", ("J6",), _replace("minirt/version.py", '__version__ = "', '__version__ = "9.')
    ),
    Fault("folder entry", ("K11",), _folder_entry),
    Fault("name twice", ("K11",), _doubled),
    Fault("names that differ in case", ("K11",), _clash),
    Fault("name that climbs", ("K11",), _unsafe_name),
    Fault(
        "build folder in the CMake package",
        ("K5",),
        lambda draft: draft.append(CONFIG, 'set(MINIRT_DEBUG_DIR "/home/builder/minirt/build")\n'),
    ),
    Fault(
        "build folder in a pkg-config file",
        ("K5",),
        _add_file(
            "minirt/lib/pkgconfig/minirt.pc",
            "prefix=/home/builder/install\nName: minirt\nDescription: x\nVersion: 1\nLibs: -L${prefix}/lib -lminirt\n",
        ),
    ),
    Fault("CUDA requirement", ("H8",), _replace(METADATA, "\nName: ", "\nRequires-Dist: nvidia-nccl-cu13\nName: ")),
    Fault("CUDA library needed", ("C4", "H8", "K10"), _patchelf(PROFILER, "--add-needed", "libcudart.so.13")),
    Fault("CUDA header", ("H8",), _add_file("minirt/include/cuda_runtime.h", "#pragma once\n")),
)
"""Shown by reading the wheel."""

_SEARCH = '"LINKER:--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/../lib"'

DYNAMIC_FAULTS = (
    Fault(
        "version file takes every version",
        ("D2",),
        lambda draft: draft.append(VERSION_FILE, "set(PACKAGE_VERSION_COMPATIBLE TRUE)\n"),
        "dynamic",
    ),
    Fault(
        "version file says another build",
        ("D1",),
        _replace(VERSION_FILE, 'minirt_BUILD_VERSION "', 'minirt_BUILD_VERSION "9.'),
        "dynamic",
    ),
    Fault(
        "missing component goes unnoticed",
        ("D3", "D4"),  # D4 asks with plain COMPONENTS too
        _replace(CONFIG, "if(minirt_FIND_REQUIRED_${_minirt_component})", "if(FALSE)"),
        "dynamic",
    ),
    Fault(
        "optional component is fatal",
        ("D4",),
        _replace(CONFIG, "if(minirt_FIND_REQUIRED_${_minirt_component})", "if(TRUE)"),
        "dynamic",
    ),
    Fault("targets for an old CMake", ("D6",), _replace(CONFIG, " 3.28)", " 3.24)"), "dynamic", "3.24.3"),
    Fault("target without its library", ("B2", "D5", "K7"), _target_without_library, "dynamic"),
    Fault(
        "include folder that does not exist",
        ("K7",),
        _replace(
            CONFIG,
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS}"',
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS};${MINIRT_INCLUDE_DIRS}/gone"',
        ),
        "dynamic",
    ),
    Fault("program records RPATH", ("D15",), _replace(CONFIG, "--enable-new-dtags", "--disable-new-dtags"), "dynamic"),
    Fault(
        "program does not look beside itself",
        ("D15", "F2", "F3"),
        _replace(CONFIG, _SEARCH, '"LINKER:--enable-new-dtags"'),
        "dynamic",
    ),
    Fault(
        "header that needs what does not ship",
        ("E1",),
        _add_file("minirt/include/minirt/extra.h", "#pragma once\n#include <re2/re2.h>\n"),
        "dynamic",
    ),
    Fault(
        "kernel that computes nothing",
        ("G1", "G6"),
        _elf(OPTIMIZED, lambda data: elf_edit.return_at_once(data, _own("relu"))),
        "dynamic",
    ),
    Fault(
        "runtime brings the operators",
        ("G2",),
        _replace(
            CONFIG,
            "INTERFACE_LINK_LIBRARIES minirt::threadpool)",
            'INTERFACE_LINK_LIBRARIES "minirt::threadpool;minirt::kernels_optimized")',
        ),
        "dynamic",
    ),
    Fault(
        "backend that does not register", ("G1", "G3", "G5", "G6"), _elf(BLOCKED, elf_edit.no_initialisers), "dynamic"
    ),
)
"""Shown only by using the wheel.  `owners` are among static and dynamic checks together."""
