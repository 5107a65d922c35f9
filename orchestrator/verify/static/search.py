"""Search-path entries (DT_RPATH, DT_RUNPATH) against where a wheel's files are installed."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise

from orchestrator.elf.model import Elf
from orchestrator.wheel.layout import Entry, folder_of, installed_path, resolve_entry
from orchestrator.wheel.model import Library, Wheel

BUILD_ROOTS = frozenset(
    ("home", "root", "tmp", "build", "builds", "work", "workspace", "project", "io", "github", "__w", "src")
)
"""Folders at the root of a file system in which builds are done."""

_TOOLKIT = re.compile(r"cuda(-\d+(\.\d+)*)?")
_INSIDE_TOOLKIT = re.compile(r"lib(64|32)?|targets|compat|stubs|extras|nvvm|bin")
_TARGET = re.compile(r"(x86_64|aarch64|sbsa|ppc64le)-linux")
_NVIDIA_WHEEL = re.compile(
    r"cu\d+|cuda_\w+|cublas|cudnn|cufft|cufile|curand|cusolver|cusparse|cusparselt|nccl|nvjitlink"
)


def entries(library: Library, elf: Elf) -> tuple[Entry, ...]:
    """A library's own search path, entry by entry.

    A path that is empty as a whole (patchelf --set-rpath '' leaves one) has none: the loader passes over it, and
    takes only an empty entry beside a colon for the current folder.
    """
    if elf.search_path == ("",):
        return ()
    return tuple(resolve_entry(text, folder_of(library)) for text in elf.search_path)


def shown(elf: Elf) -> str:
    """The search path as `readelf` shows it."""
    if not elf.search_path:
        return "no search path"
    return f"{'RUNPATH' if elf.runpath else 'RPATH'} {':'.join(elf.search_path)}"


def folders(wheel: Wheel) -> frozenset[str]:
    """Every folder that the wheel's members make, from site-packages."""
    found: set[str] = set()
    for folder in {posixpath.dirname(installed_path(name)) for name in wheel.names}:
        while folder and folder not in found and posixpath.basename(folder) != "..":
            found.add(folder)
            folder = posixpath.dirname(folder)
    return frozenset(found)


def is_toolkit(path: str) -> bool:
    """Whether an absolute path's components are laid out as a CUDA toolkit, or NVIDIA's wheels of it.

    `/usr/local/cuda-12.6/lib64`, `/opt/cuda`, `…/targets/x86_64-linux/lib`, `…/nvidia/cu13/lib`; a
    folder that merely has cuda in its name, such as `/home/me/cuda-demo/lib`, is none.
    """
    parts = [part for part in path.split("/") if part]
    if parts[:-1] in (["usr", "local"], ["opt"]) and _TOOLKIT.fullmatch(parts[-1]):
        return True
    return any(
        (_TOOLKIT.fullmatch(here) and _INSIDE_TOOLKIT.fullmatch(below))
        or (here == "targets" and _TARGET.fullmatch(below))
        or (here == "nvidia" and _NVIDIA_WHEEL.fullmatch(below))
        for here, below in pairwise(parts)
    )
