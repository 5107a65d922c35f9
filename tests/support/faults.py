"""Edits of a correct minirt wheel that plant faults, and names of its members by their endings.

Every edit keeps the wheel right in all other respects: RECORD fits, unless RECORD is the fault.
"""

from __future__ import annotations

from collections.abc import Callable

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


def elf(ending: str, edit: Callable[[bytes], bytes]) -> Edit:
    return lambda draft: draft.change(ending, edit)


def patchelf(ending: str, *arguments: str) -> Edit:
    return elf(ending, lambda data: elf_edit.patchelf(data, *arguments))


def searching(path: str) -> Edit:
    """The profiler searches this path."""
    return elf(PROFILER, lambda data: elf_edit.run_path(data, path))


def copied(draft: Draft) -> None:
    name = draft.find(PROFILER)
    draft.files[name.replace(".so", "_old.so")] = draft.files[name]


def stale(draft: Draft) -> None:
    name = draft.find(THREADPOOL)
    draft.files[name.replace(".so", "_v1.so")] = elf_edit.patchelf(
        draft.files[name], "--set-soname", "libminirt_threadpool_v1.so"
    )


def deleted(draft: Draft) -> None:
    del draft.files[draft.find(PROFILER)]


def unsafe_name(draft: Draft) -> None:
    draft.files["../minirt_evil.py"] = b""


def clash(draft: Draft) -> None:
    draft.files["minirt/__INIT__.py"] = b""


def doubled(draft: Draft) -> None:
    draft.unrecorded.append(("minirt/__init__.py", draft.files["minirt/__init__.py"]))


def folder_entry(draft: Draft) -> None:
    draft.unrecorded.append((f"{draft.dist_info}/licenses/", b""))


def unlisted(draft: Draft) -> None:
    draft.unrecorded.append(("minirt/extra.py", b"x = 1\n"))


def wrong_hash(draft: Draft) -> None:
    def edit(data: bytes) -> bytes:
        first, rest = data.split(b"\n", 1)
        name, _, size = first.rsplit(b",", 2)
        return name + b",sha256=" + b"A" * 43 + b"," + size + b"\n" + rest

    draft.edit_record = edit


def wrong_long_hash(draft: Draft) -> None:
    def edit(data: bytes) -> bytes:
        first, rest = data.split(b"\n", 1)
        name, _, size = first.rsplit(b",", 2)
        return name + b",sha512=" + b"A" * 86 + b"," + size + b"\n" + rest

    draft.edit_record = edit


def lists_absent(draft: Draft) -> None:
    draft.edit_record = lambda data: b"minirt/gone.py,sha256=" + b"A" * 43 + b",1\n" + data


def added(name: str, text: str) -> Edit:
    def edit(draft: Draft) -> None:
        assert name not in draft.files
        draft.files[name] = text.encode()

    return edit


def other_processor(draft: Draft) -> None:
    platform = draft.filename.removesuffix(".whl").rpartition("-")[2]
    draft.retag(f"cp311-cp311-{platform.replace('x86_64', 'aarch64')}")


def platform(platform: str) -> Edit:
    return lambda draft: draft.retag(f"cp311-cp311-{platform}")


def replaced(ending: str, old: str, new: str) -> Edit:
    return lambda draft: draft.replace(ending, old, new)


def own(function: str) -> Callable[[str], bool]:
    """Symbols of minirt whose mangled name has that function's (Itanium C++ ABI: length, then name)."""
    return lambda name: name.startswith("_ZN6minirt") and f"{len(function)}{function}" in name


def undefined_profiler(data: bytes) -> bytes:
    own = set(elf_edit.defined_names(data))
    return elf_edit.undefine(data, lambda name: name in own)
