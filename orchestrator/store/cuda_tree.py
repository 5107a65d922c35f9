"""The tree of a CUDA toolkit, as its installer would lay it out, assembled from packages.

NVIDIA's wheels hold it below `nvidia/cu13/` or, in CUDA 12, a folder for each package; what is kept is
`bin`, `include`, `lib` and `nvvm`.  Added are the links that a linker and build systems look for:
`lib/libcudart.so` and `lib64`.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path, PurePosixPath

from orchestrator.errors import FetchError
from orchestrator.tarstream import TarMember

LAYOUT = "1"
"""Raise when the same packages are laid out in another way, so that engines fill their volumes anew."""

_PLACES = re.compile(r"nvidia/[^/]+/(?P<kept>(?:bin|include|lib|nvvm)/.+)")
_MARKER = "__init__.py"  # makes a folder a Python package; no part of a toolkit
_RUNTIME = re.compile(r"lib/libcudart\.so\.\d+")


def toolkit_members(wheels: Sequence[Path]) -> Iterator[TarMember]:
    """The members of the tree, each folder before what it holds; read them in turn.

    Raises:
        FetchError: two packages hold other content under one name, or none has the runtime library.
    """
    with ExitStack() as stack:
        files: dict[str, tuple[zipfile.ZipFile, zipfile.ZipInfo]] = {}
        for wheel in wheels:
            archive = stack.enter_context(zipfile.ZipFile(wheel))
            for path, info in _kept(archive):
                if path in files and files[path][1].CRC != info.CRC:
                    raise FetchError(f"{wheel}: another package of the toolkit holds '{path}' with other content.")
                files[path] = archive, info
        runtime = [path for path in files if _RUNTIME.fullmatch(path)]
        if len(runtime) != 1:
            raise FetchError(f"The toolkit's packages hold {len(runtime)} libraries lib/libcudart.so.N, not one.")
        yield from _folders(files)
        yield TarMember.link("lib/libcudart.so", PurePosixPath(runtime[0]).name)
        yield TarMember.link("lib64", "lib")
        for path, (archive, info) in sorted(files.items()):
            yield TarMember(
                name=path, size=info.file_size, mode=_mode(info.external_attr >> 16), open=partial(archive.open, info)
            )


def _kept(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    for info in archive.infolist():
        match = _PLACES.fullmatch(info.filename)
        if match and not info.is_dir() and PurePosixPath(info.filename).name != _MARKER:
            yield match["kept"], info


def _folders(paths: Iterable[str]) -> Iterator[TarMember]:
    for folder in sorted({str(parent) for path in paths for parent in PurePosixPath(path).parents} - {"."}):
        yield TarMember.folder(f"{folder}/")


def _mode(mode: int) -> int:
    return 0o755 if mode & 0o100 else 0o644
