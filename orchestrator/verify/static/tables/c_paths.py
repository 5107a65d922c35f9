"""C: what the loader searches, and finds."""

from __future__ import annotations

from orchestrator.verify.static import c1_search_path, c2_needed, c4_cuda_hop, c5_toolkit_path, c9_relative_path
from orchestrator.verify.static.tables.row import StaticCheck, has_dynamic

CHECKS = (
    StaticCheck(
        id="C1",
        name="search-path",
        asserts="No search path is empty, absolute or relative to the current folder.",
        about="programs and shared libraries",
        fix="Set INSTALL_RPATH to $ORIGIN paths and BUILD_WITH_INSTALL_RPATH, or rewrite with patchelf.",
        why="Seven extension modules left the builder with paths into its build tree: they loaded there and "
        "nowhere else. An empty entry searches whatever folder the user stands in.",
        source="ld.so(8), search order; CMake manual, INSTALL_RPATH",
        applies=has_dynamic,
        check=c1_search_path.check,
    ),
    StaticCheck(
        id="C2",
        name="needed-found",
        asserts="The loader finds everything that is needed.",
        about="files that need a library",
        fix="Ship the library, give the file a $ORIGIN path that leads to it, or declare who brings it. Where the "
        "package's own code loads it first (ctypes), say so in the recipe's [[unresolved]].",
        why="A library that is absent, or shipped where no path leads, fails at the first import on every "
        "machine but the builder.",
        source="ELF gABI, Shared Object Dependencies; ld.so(8); PEP 600, PEP 656",
        applies=c2_needed.applies,
        check=c2_needed.check,
    ),
    StaticCheck(
        id="C4",
        name="cuda-hop",
        asserts="A relative path leads to the CUDA runtime's wheel, which is of the row's CUDA release.",
        about="libraries that need a CUDA library which the wheel does not bring",
        fix="Add $ORIGIN/<up to site-packages>/nvidia/… to the search path.",
        why="A hop one folder too short pointed at nothing, and a check of how the entry begins accepted it; "
        "the loader's cache, which knew an installed toolkit, hid that.",
        source="ld.so(8), $ORIGIN; the folders of NVIDIA's runtime wheels",
        applies=c4_cuda_hop.applies,
        check=c4_cuda_hop.check,
    ),
    StaticCheck(
        id="C5",
        name="no-toolkit-path",
        asserts="No search path names a CUDA toolkit.",
        about="programs and shared libraries",
        fix="Set INSTALL_RPATH_USE_LINK_PATH off, or remove the entry with patchelf.",
        why="The builder's toolkit was searched before the runtime that the wheel declares, so that another "
        "version was loaded wherever a toolkit stood at that place.",
        source="CMake manual, INSTALL_RPATH_USE_LINK_PATH",
        applies=has_dynamic,
        check=c5_toolkit_path.check,
    ),
    StaticCheck(
        id="C9",
        name="relative-path",
        asserts="Relative search paths lead somewhere inside the wheel, once.",
        about="files with a $ORIGIN path",
        fix="Remove the entry where the search path is set (CMake: INSTALL_RPATH), or afterwards with patchelf "
        "--set-rpath; or correct how many folders it climbs.",
        why="Published wheels search folders that do not exist, the same one twice, or all of site-packages, "
        "where any other package's library may answer first.",
        source="ld.so(8), $ORIGIN",
        applies=c9_relative_path.applies,
        check=c9_relative_path.check,
    ),
)
"""The strongest first."""
