"""K: what holds for any wheel, without a recipe."""

from __future__ import annotations

from orchestrator.verify.static import (
    k1_executable_stack,
    k2_copies,
    k3_soname_exists,
    k4_pure_tag,
    k5_build_paths,
    k6_cmake_layout,
    k9_writable_code,
    k10_cuda_declared,
    k11_names,
    k12_debug_size,
)
from orchestrator.verify.static.tables.row import StaticCheck, always, has_host_files, has_libraries, has_loadable

CHECKS = (
    StaticCheck(
        id="K1",
        name="executable-stack",
        asserts="No file asks for an executable stack.",
        about="programs and shared libraries",
        fix="Assemble with --noexecstack, and link with -Wl,-z,noexecstack.",
        why="A current glibc refuses to load such a library into a running program, so that the import fails; "
        "one object from assembler without a .note.GNU-stack section is enough.",
        source="ld(1), -z noexecstack; glibc 2.41 release notes",
        applies=has_loadable,
        check=k1_executable_stack.check,
    ),
    StaticCheck(
        id="K2",
        name="copies",
        asserts="No library ships twice.",
        about="wheels with ELF files (a failure where the recipe forbids copies, else a note)",
        fix="Ship one file under its SONAME.",
        why="Wheels keep no symbolic links: lib.so, lib.so.1 and lib.so.1.2 became three files, and a process "
        "that loads two of them initialises twice.",
        source="PyPA spec, Binary distribution format",
        applies=has_libraries,
        check=k2_copies.check,
    ),
    StaticCheck(
        id="K3",
        name="soname-exists",
        asserts="A file of each SONAME exists.",
        about="libraries that programs link and that are no component",
        fix="Ship the library under its SONAME.",
        why="A program that links lib.so records the SONAME lib.so.1, which the wheel does not have: it links, "
        "and does not start.",
        source="ELF gABI, Dynamic Section (DT_SONAME)",
        applies=k3_soname_exists.applies,
        check=k3_soname_exists.check,
    ),
    StaticCheck(
        id="K4",
        name="pure-tag",
        asserts="No ELF file is in a wheel tagged 'any'.",
        about="wheels tagged for any platform",
        fix="Tag the wheel for its platform (setuptools: has_ext_modules; others: the platform option).",
        why="Such a wheel installs on every processor and system, and fails on all but one when the library is loaded.",
        source="PyPA spec, Platform compatibility tags",
        applies=k4_pure_tag.applies,
        check=k4_pure_tag.check,
    ),
    StaticCheck(
        id="K5",
        name="no-build-paths",
        asserts="No absolute build path is in CMake and pkg-config files.",
        about="wheels with CMake files, pkg-config files or config scripts",
        fix="Compute paths from the file's own place (CMAKE_CURRENT_LIST_DIR, ${pcfiledir}).",
        why="A package that names the builder's folders works on the builder, where everybody tries it, and "
        "on no other machine.",
        source="CMake manual, cmake-packages(7) (relocatable packages); pkg-config(1), pcfiledir",
        applies=k5_build_paths.applies,
        check=k5_build_paths.check,
    ),
    StaticCheck(
        id="K6",
        name="cmake-layout",
        asserts="CMake of both families finds the package.",
        about="wheels with a CMake package",
        fix="Install the package files below lib/cmake/<name> or share/cmake/<name>.",
        why="A package below lib64/cmake, where a RHEL-like builder installs it, is not seen by the CMake of "
        "Debian-like systems, and the other way round for lib/<triplet>.",
        source="CMake manual, find_package (config mode search procedure)",
        applies=k6_cmake_layout.applies,
        check=k6_cmake_layout.check,
    ),
    StaticCheck(
        id="K9",
        name="writable-code",
        asserts="No file has text relocations, or a segment both writable and executable.",
        about="programs and shared libraries",
        fix="Compile with -fPIC, and remove -Wl,-z,notext and -Wl,--omagic.",
        why="Hardened systems, SELinux's for one, refuse to map such a file.",
        source="ELF gABI, Dynamic Section (DT_TEXTREL) and Program Header",
        applies=has_loadable,
        check=k9_writable_code.check,
    ),
    StaticCheck(
        id="K10",
        name="cuda-declared",
        asserts="CUDA libraries that are linked are declared or bundled, and not both.",
        about="libraries that need a CUDA library, and CUDA libraries in the wheel",
        fix="Declare the distribution in the project's dependencies, and do not pack what it brings.",
        why="A driver brings no libcudart: where nothing declares it, the first import on a clean machine ends "
        "in 'libcudart.so: cannot open shared object file'. A copy beside the declared one is a second runtime, "
        "with streams and memory that the first does not know.",
        source="PyPA spec, Core metadata (Requires-Dist); NVIDIA's runtime wheels",
        applies=k10_cuda_declared.applies,
        check=k10_cuda_declared.check,
    ),
    StaticCheck(
        id="K11",
        name="archive-names",
        asserts="The names in the archive are the same to every installer.",
        about="any wheel",
        fix="Build the archive again in one go: each name once, relative, for a plain file, nothing between them.",
        why="Of two members with one name some installers take the first and some the last; of two that differ "
        "in case, one overwrites the other on some systems.",
        source="APPNOTE.TXT (ZIP); PyPA spec, Binary distribution format",
        applies=always,
        check=k11_names.check,
    ),
    StaticCheck(
        id="K12",
        name="debug-size",
        asserts="Debug information is noted.",
        about="wheels with ELF files (a note)",
        fix="Strip the libraries (-Wl,-s, or install/strip).",
        why="Unstripped libraries make a download ten times as large, and nobody sees it.",
        source="strip(1)",
        applies=has_host_files,
        check=k12_debug_size.check,
    ),
)
"""The strongest first."""
