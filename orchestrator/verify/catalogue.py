"""The table of static checks: one row each, by catalogue id, strongest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.verify.outcome import Outcome
from orchestrator.verify.static import (
    b1_owned_once,
    b2_owner_present,
    b3_owner_defines,
    b4_complete,
    b6_readable,
    b7_extension_clean,
    b8_extension_needs,
    b9_extension_calls,
    b11_soname,
    b13_bundled_once,
    b16_no_duplicates,
    c1_search_path,
    c2_needed,
    c4_cuda_hop,
    c5_toolkit_path,
    c9_relative_path,
    h3_architectures,
    h4_ptx,
    h8_cpu_only,
    j1_architecture,
    j5_baseline,
    j6_version,
    j7_record,
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
from orchestrator.verify.static.native import dynamic, host_files, loadable
from orchestrator.verify.subject import StaticSubject


@dataclass(frozen=True)
class StaticCheck:
    """A check over the wheel alone.

    `applies` says whether the subject has what the check is about (a CUDA check on a CPU row does
    not apply and is absent from the report, which differs from 'not run').
    """

    id: str
    name: str
    asserts: str
    fix: str
    applies: Callable[[StaticSubject], bool]
    check: Callable[[StaticSubject], Outcome]


def _always(_: StaticSubject) -> bool:
    return True


def _has_libraries(subject: StaticSubject) -> bool:
    return bool(subject.wheel.libraries)


def _has_host_files(subject: StaticSubject) -> bool:
    return bool(host_files(subject.wheel))


def _has_loadable(subject: StaticSubject) -> bool:
    return bool(loadable(subject.wheel))


def _has_dynamic(subject: StaticSubject) -> bool:
    return bool(dynamic(subject.wheel))


# fmt: off
STATIC_CHECKS: tuple[StaticCheck, ...] = (
    StaticCheck("B1", "owned-once",
                "each owned symbol is defined once, by its owner",
                "Link the owner instead of compiling or archiving its sources in again.",
                b1_owned_once.applies, b1_owned_once.check),
    StaticCheck("B2", "owner-present",
                "the library of every required component ships",
                "Build and install the component's library, or say in the recipe when it is required.",
                b2_owner_present.applies, b2_owner_present.check),
    StaticCheck("B3", "owner-defines",
                "a component's library defines something of what it owns",
                "Name in the recipe what the library exports, and see that it is not hidden or inline.",
                b3_owner_defines.applies, b3_owner_defines.check),
    StaticCheck("B4", "owner-complete",
                "a component's library defines all that it owns",
                "Find the source that is no longer compiled into the library.",
                b4_complete.applies, b4_complete.check),
    StaticCheck("B6", "readable",
                "every ELF file can be read, and is what its name says",
                "Build the file again, and pack what the linker wrote; damaged or renamed files are not loaded.",
                _has_libraries, b6_readable.check),
    StaticCheck("B7", "extension-clean",
                "extension modules define nothing of the SDK",
                "Link the module to the shared library, not to its archive or objects.",
                b7_extension_clean.applies, b7_extension_clean.check),
    StaticCheck("B8", "extension-needs",
                "extension modules need the libraries that they used to contain",
                "Link the library with -Wl,--no-as-needed around it if only its registration is used.",
                b8_extension_needs.applies, b8_extension_needs.check),
    StaticCheck("B9", "extension-calls",
                "what extension modules call is undefined in them",
                "Link the module to the library that owns the function.",
                b9_extension_calls.applies, b9_extension_calls.check),
    StaticCheck("B11", "soname-is-name",
                "a component's SONAME is its file name, and no SONAME is a path",
                "Set the SONAME with -Wl,-soname (CMake: OUTPUT_NAME, NO_SONAME off, no VERSION).",
                b11_soname.applies, b11_soname.check),
    StaticCheck("B13", "bundled-once",
                "bundled third-party code is defined once",
                "Bundle it in one library and link the others to that one.",
                b13_bundled_once.applies, b13_bundled_once.check),
    StaticCheck("B16", "no-duplicates",
                "no two libraries strongly define the same symbol",
                "Hide the copy (-fvisibility=hidden, --exclude-libs), share it, or list it under [[tolerate]].",
                b16_no_duplicates.applies, b16_no_duplicates.check),
    StaticCheck("C1", "search-path",
                "no search path is empty, absolute or relative to the current folder",
                "Set INSTALL_RPATH to $ORIGIN paths and BUILD_WITH_INSTALL_RPATH, or rewrite with patchelf.",
                _has_dynamic, c1_search_path.check),
    StaticCheck("C2", "needed-found",
                "the loader finds everything that is needed",
                "Ship the library, give the file a $ORIGIN path that leads to it, or declare who brings it.",
                c2_needed.applies, c2_needed.check),
    StaticCheck("C4", "cuda-hop",
                "a relative path leads to the CUDA runtime's wheel",
                "Add $ORIGIN/<up to site-packages>/nvidia/… to the search path.",
                c4_cuda_hop.applies, c4_cuda_hop.check),
    StaticCheck("C5", "no-toolkit-path",
                "no search path names a CUDA toolkit",
                "Set INSTALL_RPATH_USE_LINK_PATH off, or remove the entry with patchelf.",
                _has_dynamic, c5_toolkit_path.check),
    StaticCheck("C9", "relative-path",
                "relative search paths lead somewhere inside the wheel, once",
                "Remove the entry, or correct how many folders it climbs.",
                c9_relative_path.applies, c9_relative_path.check),
    StaticCheck("H3", "architectures",
                "each library's device code covers exactly the row's architectures",
                "See that the architecture list reaches the compiler in the variable that the build reads.",
                h3_architectures.applies, h3_architectures.check),
    StaticCheck("H4", "ptx",
                "the newest architecture is there as PTX",
                "Add <newest>-virtual to the architectures.",
                h4_ptx.applies, h4_ptx.check),
    StaticCheck("H8", "cpu-only",
                "a CPU wheel holds no CUDA",
                "Turn CUDA off explicitly in the CPU variant; a builder with a toolkit turns it on by itself.",
                h8_cpu_only.applies, h8_cpu_only.check),
    StaticCheck("J1", "architecture",
                "the tag's processor is the contents' processor",
                "Build on, or cross-compile for, the processor of the tag.",
                j1_architecture.applies, j1_architecture.check),
    StaticCheck("J5", "baseline",
                "the tag claims no older system than the symbols need",
                "Build on an older system, avoid the newer symbols, or claim the measured tag.",
                j5_baseline.applies, j5_baseline.check),
    StaticCheck("J6", "one-version",
                "every place that tells the version tells the same one",
                "Derive all of them from one source.",
                j6_version.applies, j6_version.check),
    StaticCheck("J7", "record",
                "RECORD, WHEEL and METADATA say what the archive holds",
                "Rebuild RECORD after every change of a member (`wheel unpack`, `wheel pack`); let the build backend "
                "write METADATA and WHEEL, and `wheel tags` change a tag.",
                _always, j7_record.check),
    StaticCheck("K1", "executable-stack",
                "no executable stack",
                "Assemble with --noexecstack, and link with -Wl,-z,noexecstack.",
                _has_loadable, k1_executable_stack.check),
    StaticCheck("K2", "copies",
                "no library ships twice",
                "Ship one file under its SONAME.",
                _has_libraries, k2_copies.check),
    StaticCheck("K3", "soname-exists",
                "a file of each SONAME exists",
                "Ship the library under its SONAME.",
                k3_soname_exists.applies, k3_soname_exists.check),
    StaticCheck("K4", "pure-tag",
                "no ELF file in a wheel tagged 'any'",
                "Tag the wheel for its platform (setuptools: has_ext_modules; others: the platform option).",
                k4_pure_tag.applies, k4_pure_tag.check),
    StaticCheck("K5", "no-build-paths",
                "no absolute build path in CMake and pkg-config files",
                "Compute paths from the file's own place (CMAKE_CURRENT_LIST_DIR, ${pcfiledir}).",
                k5_build_paths.applies, k5_build_paths.check),
    StaticCheck("K6", "cmake-layout",
                "CMake of both families finds the package",
                "Install the package files below lib/cmake/<name> or share/cmake/<name>.",
                k6_cmake_layout.applies, k6_cmake_layout.check),
    StaticCheck("K9", "writable-code",
                "no text relocations, and no segment both writable and executable",
                "Compile with -fPIC, and remove -Wl,-z,notext and -Wl,--omagic.",
                _has_loadable, k9_writable_code.check),
    StaticCheck("K10", "cuda-declared",
                "CUDA libraries that are linked are declared or bundled",
                "Declare the distribution in the project's dependencies.",
                k10_cuda_declared.applies, k10_cuda_declared.check),
    StaticCheck("K11", "archive-names",
                "the names in the archive are the same to every installer",
                "Build the archive again in one go: each name once, relative, for a plain file, nothing between them.",
                _always, k11_names.check),
    StaticCheck("K12", "debug-size",
                "debug information is noted",
                "Strip the libraries (-Wl,-s, or install/strip).",
                _has_host_files, k12_debug_size.check),
)
# fmt: on
