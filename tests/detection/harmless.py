"""Negative controls: edits that break nothing, of which no check may say anything."""

from __future__ import annotations

import struct
import zipfile

from tests.detection.fault import Harmless, WheelEdit
from tests.detection.faults.cuda import KERNELS
from tests.detection.faults.cuda_runtime import REQUIREMENT
from tests.support import elf_edit, zips
from tests.support.faults import CONFIG, METADATA, PROFILER, added, elf, patchelf, replaced, searching
from tests.support.wheel_draft import Draft

_RECORD_OF = "_ZN6minirt8Profiler6record"
_REPORT = "_ZNK6minirt8Profiler6reportB5cxx11Ev"
_LIKE_A_SENTINEL = "_ZN6minirt8Profiler10record_allEv"
_REGISTRY = "_ZN6minirt16register_backendEv"


def _zipped(**options: bool | int | bytes) -> WheelEdit:
    def edit(draft: Draft) -> None:
        draft.zipped = zips.as_zip(**options)  # type: ignore[arg-type]

    return edit


def _carriage_returns(ending: str) -> WheelEdit:
    return lambda draft: draft.change(ending, lambda data: data.replace(b"\n", b"\r\n"))


def _record_with_carriage_returns(draft: Draft) -> None:
    draft.edit_record = lambda data: data.replace(b"\n", b"\r\n")


def _signed(draft: Draft) -> None:
    draft.unrecorded.append((f"{draft.dist_info}/RECORD.jws", b"{}"))


def _cuda_folder(draft: Draft) -> None:
    draft.files["minirt/cuda/readme.txt"] = b"what a search path leads to\n"
    draft.change(PROFILER, lambda data: elf_edit.run_path(data, "$ORIGIN:$ORIGIN/../cuda"))


def _is_record(name: str) -> bool:
    return name.startswith(_RECORD_OF)


HARMLESS: tuple[Harmless, ...] = (
    Harmless(
        name="search path as DT_RPATH",
        because="what a loader searches for this library is the same; auditwheel writes it so",
        edit=patchelf(PROFILER, "--force-rpath", "--set-rpath", "$ORIGIN"),
    ),
    Harmless(
        name="search path with ${ORIGIN}",
        because="ld.so(8) has both spellings",
        edit=searching("${ORIGIN}"),
    ),
    Harmless(
        name="search path that ends with a slash",
        because="it is the same folder",
        edit=searching("$ORIGIN/"),
    ),
    Harmless(
        name="search path with a folder called cuda",
        because="it is the wheel's own, and no toolkit is laid out so",
        edit=_cuda_folder,
    ),
    Harmless(
        name="owned symbol that is protected",
        because="others link it as before; only the library itself takes no other's",
        edit=elf(PROFILER, lambda data: elf_edit.protect(data, _is_record)),
    ),
    Harmless(
        name="owned symbol that is chosen at load time",
        because="STT_GNU_IFUNC defines a function as well",
        edit=elf(PROFILER, lambda data: elf_edit.chosen_at_load(data, _is_record)),
    ),
    Harmless(
        name="symbol whose name begins as an owned one",
        because="record_all is not record",
        edit=elf(PROFILER, lambda data: elf_edit.rename(data, _REPORT, _LIKE_A_SENTINEL)),
    ),
    Harmless(
        name="table for debuggers that names another's symbol",
        because="loaders and linkers of programs read the dynamic symbols alone",
        edit=elf(PROFILER, lambda data: elf_edit.with_symbol_table(data, _REGISTRY)),
    ),
    Harmless(
        name="library of the system needed besides",
        because="every system of the tag has libm",
        edit=patchelf(PROFILER, "--add-needed", "libm.so.6"),
    ),
    Harmless(
        name="text that is called as a library",
        because="it is no ELF file, and lies in no folder of libraries",
        edit=added("minirt/data/notes.so", "INPUT ( libminirt.so )\n"),
    ),
    Harmless(
        name="header folder that ends as tests",
        because="contest is no folder of tests",
        edit=added("minirt/include/minirt/contest/test_free.h", "#pragma once\n"),
    ),
    Harmless(
        name="comments of a build folder and a placeholder",
        because="CMake does not read them",
        edit=lambda draft: draft.append(
            CONFIG,
            "# built in /home/builder/minirt of @minirt_VERSION@\n#[==[ /home/builder\n@PACKAGE_INIT@ ]]\n]==]\n",
        ),
    ),
    Harmless(
        name="METADATA with CR LF",
        because="headers of messages may end so",
        edit=_carriage_returns(METADATA),
    ),
    Harmless(name="WHEEL with CR LF", because="likewise", edit=_carriage_returns(".dist-info/WHEEL")),
    Harmless(name="RECORD with CR LF", because="Python's csv writes it so", edit=_record_with_carriage_returns),
    Harmless(
        name="signature beside RECORD",
        because="RECORD.jws is made of RECORD and cannot stand in it",
        edit=_signed,
    ),
    Harmless(
        name="requirement in METADATA's description",
        because="what follows the headers is text",
        edit=lambda draft: draft.append(METADATA, "\nRequires-Dist: nvidia-cublas-cu12\nTag: py2-none-any\n"),
    ),
    Harmless(
        name="members stored",
        because="a member need not be packed",
        edit=_zipped(method=zipfile.ZIP_STORED),
    ),
    Harmless(name="members in the opposite order", because="they have none", edit=_zipped(backwards=True)),
    Harmless(
        name="sizes behind members",
        because="an archive that is streamed out has data descriptors",
        edit=_zipped(streamed=True),
    ),
    Harmless(
        name="times in extra fields",
        because="other zip programs add them",
        edit=_zipped(extra=struct.pack("<HHBI", 0x5455, 5, 1, 1_600_000_000)),
    ),
    Harmless(name="sizes of 64 bits", because="a member may have them before it needs them", edit=_zipped(wide=True)),
    Harmless(
        name="comment of the archive", because="its end record says how long it is", edit=_zipped(comment=b"built")
    ),
    Harmless(
        name="CUDA: bounds of a requirement in another order",
        variant="cuda-13.0",
        because="a specifier is a set",
        edit=replaced(METADATA, REQUIREMENT, "Requires-Dist: nvidia-cuda-runtime>=13.0,<14\n"),
    ),
    Harmless(
        name="CUDA: requirement in another spelling",
        variant="cuda-13.0",
        because="names are compared in normal form",
        edit=replaced(METADATA, REQUIREMENT, "Requires-Dist: NVIDIA_CUDA.Runtime (<14, >=13.0)\n"),
    ),
    Harmless(
        name="CUDA: driver needed",
        variant="cuda-13.0",
        because="whoever has a GPU has it, and no wheel can bring it",
        edit=patchelf(KERNELS, "--add-needed", "libcuda.so.1"),
    ),
)
"""All of them are shown by reading."""
