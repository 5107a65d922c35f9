"""The tree of a CUDA toolkit, as its installer would lay it out, assembled from packages.

NVIDIA's wheels hold it below `nvidia/cu13/` or, in CUDA 12, a folder for each package; what is kept is
`bin`, `include`, `lib` and `nvvm`.  Added are the links that a linker and build systems look for:
`lib/libcudart.so` and `lib64`.

CUDA 12's wheels lack what compiles; that is Debian's package of NVIDIA's own programs, and these are told by
an `nvcc.profile` of ours to find everything in the tree.  No package holds the static runtime or the device
runtime of 12.6, which nvcc's link line always names, and CMake's test of a compiler with it: the first is
a linker script that means the shared runtime, the second an empty archive, so who really needs one
meets undefined symbols.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from orchestrator.errors import FetchError
from orchestrator.store.debian.contents import package_files
from orchestrator.store.toolchain import open_wheel
from orchestrator.tarstream import TarMember

LAYOUT = "1"
"""Raise when the same packages are laid out in another way, so that engines fill their volumes anew."""

_CHANGED = (
    "The packages are laid out in another way than at the lock's last refresh: take the toolkit's lock back to what it "
    "was, or look at what they hold now and correct orchestrator/store/cuda_tree.py."
)

_PLACES = re.compile(r"nvidia/[^/]+/(?P<kept>(?:bin|include|lib|nvvm)/.+)")
_MARKER = "__init__.py"  # makes a folder a Python package; no part of a toolkit
_RUNTIME = re.compile(r"lib/libcudart\.so\.\d+")

_FRONT_END = {
    "usr/lib/nvidia-cuda-toolkit/bin/nvcc": "bin/nvcc",
    "usr/lib/nvidia-cuda-toolkit/bin/cicc": "nvvm/bin/cicc",
    "usr/lib/nvidia-cuda-toolkit/bin/crt/link.stub": "bin/crt/link.stub",
    "usr/lib/nvidia-cuda-toolkit/bin/crt/prelink.stub": "bin/crt/prelink.stub",
    "usr/bin/cudafe++": "bin/cudafe++",
    "usr/bin/fatbinary": "bin/fatbinary",
    "usr/bin/nvlink": "bin/nvlink",
}
# The syntax is nvcc's: `+=` prepends, `=+` appends; _HERE_ is nvcc's folder.
_PROFILE = b"""\
NVVMIR_LIBRARY_DIR = $(_HERE_)/../nvvm/libdevice
PATH += $(_HERE_)/../nvvm/bin:$(_HERE_):
INCLUDES += "-I$(_HERE_)/../include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(_HERE_)/../lib"
"""
_BESIDE_FRONT_END = {
    "bin/nvcc.profile": _PROFILE,
    "lib/libcudadevrt.a": b"!<arch>\n",
    "lib/libcudart_static.a": b"INPUT(-lcudart)\n",
}


def toolkit_members(
    wheels: Sequence[Path], front_end: Path | None = None, linked: tuple[Path, Path] | None = None
) -> Iterator[TarMember]:
    """The members of the tree, each folder before what it holds; read them in turn.

    `front_end` is the Debian package with nvcc where the wheels have none.  To compile for another processor, `linked`
    is the runtime's wheel of the compiler's processor, and that of the other one, whose `lib` takes its place:
    headers are the same for all processors.

    Raises:
        FetchError: two packages hold other content under one name, one lacks what is needed, or cannot be opened.
        EngineError: the tool that opens a Debian package is not installed.
    """
    with ExitStack() as stack:
        files: dict[str, tuple[zipfile.ZipFile, zipfile.ZipInfo]] = {}
        for wheel in wheels:
            archive = stack.enter_context(open_wheel(wheel))
            for path, info in _kept(archive):
                if path in files and files[path][1].CRC != info.CRC:
                    raise FetchError(
                        f"{wheel}: another package of the toolkit holds '{path}' with other content.", advice=_CHANGED
                    )
                files[path] = archive, info
        if linked:
            files |= _replacements(*(stack.enter_context(open_wheel(wheel)) for wheel in linked))
        runtime = [path for path in files if _RUNTIME.fullmatch(path)]
        if len(runtime) != 1:
            raise FetchError(
                f"The toolkit's packages hold {len(runtime)} libraries lib/libcudart.so.N, not one.", advice=_CHANGED
            )
        added = {*_FRONT_END.values(), *_BESIDE_FRONT_END} if front_end else set()
        if both := sorted(added & files.keys()):
            raise FetchError(
                f"The toolkit's wheels hold {', '.join(both)}, which was to come from {front_end}.", advice=_CHANGED
            )
        yield from _folders([*files, *added])
        yield TarMember.link("lib/libcudart.so", PurePosixPath(runtime[0]).name)
        yield TarMember.link("lib64", "lib")
        for path, (archive, info) in sorted(files.items()):
            yield TarMember(
                name=path, size=info.file_size, mode=_mode(info.external_attr >> 16), open=partial(archive.open, info)
            )
    if front_end:
        yield from (TarMember.of_bytes(path, data) for path, data in _BESIDE_FRONT_END.items())
        for source, entry, content in package_files(front_end, _FRONT_END):
            yield TarMember(
                name=_FRONT_END[source], size=entry.size, mode=_mode(entry.mode), open=partial(_same, content)
            )


def _kept(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    for info in archive.infolist():
        match = _PLACES.fullmatch(info.filename)
        if match and not info.is_dir() and PurePosixPath(info.filename).name != _MARKER:
            yield match["kept"], info


def _replacements(own: zipfile.ZipFile, others: zipfile.ZipFile) -> dict[str, tuple[zipfile.ZipFile, zipfile.ZipInfo]]:
    """What of `lib` comes from the other processor's wheel: all that this processor's has, and nothing else."""
    ours, theirs = (
        {path: info for path, info in _kept(archive) if path.startswith("lib/")} for archive in (own, others)
    )
    if ours.keys() != theirs.keys():
        raise FetchError(
            f"{others.filename}: holds other libraries than {own.filename}: "
            f"{', '.join(sorted(ours.keys() ^ theirs.keys()))}.",
            advice=_CHANGED,
        )
    return {path: (others, info) for path, info in theirs.items()}


def _folders(paths: Iterable[str]) -> Iterator[TarMember]:
    for folder in sorted({str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}):
        yield TarMember.folder(f"{folder}/")


def _same(content: IO[bytes]) -> IO[bytes]:
    return content


def _mode(mode: int) -> int:
    return 0o755 if mode & 0o100 else 0o644
