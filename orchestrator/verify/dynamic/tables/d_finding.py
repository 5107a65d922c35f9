"""D: where and how CMake finds the package."""

from __future__ import annotations

from orchestrator.verify.dynamic import (
    d10_pythons,
    d11_root_modes,
    d12_prefixes,
    d14_missing_headers,
    d17_python_only,
    d19_floor,
    d21_odd_paths,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="D12",
        name="prefixes-agree",
        asserts="Every promised prefix leads to the same targets and paths, however it is spelled.",
        about="CMake packages",
        fix="Install the config file where CMake searches below each prefix, and find the package's root from "
        "CMAKE_CURRENT_LIST_DIR by a file that is only there; normalise the path.",
        why="A config file that looked for its root by a folder's name stopped one level too low: the package was "
        "found, with include folders and libraries that were not there.",
        source="CMake manual, find_package (config mode search procedure)",
        scope="environment",
        judge=d12_prefixes.judge,
        probes=d12_prefixes.probes,
    ),
    DynamicCheck(
        id="D10",
        name="any-python-in-path",
        asserts="The package is found alike with another, a broken, a noisy, a silent and no Python in PATH.",
        about="CMake packages that promise to need no Python",
        fix="Take nothing from what a Python prints; if it must be asked, ignore every answer that is not usable. If "
        "the package needs its own Python, say so: cmake.python = true in the recipe.",
        why="A wheel for Python 3.10 was reported as not found where python3 was 3.12: the package looked for a file "
        "with the other's suffix.",
        source="CMake manual, cmake-packages(7) (relocatable packages) and execute_process (RESULT_VARIABLE)",
        scope="environment",
        judge=d10_pythons.judge,
        probes=d10_pythons.probes,
        applies=d10_pythons.applies,
    ),
    DynamicCheck(
        id="D11",
        name="find-root-modes",
        asserts="The package is found alike where CMake looks for headers, libraries and packages in a root alone.",
        about="CMake packages that promise to need no Python",
        fix="Build paths from CMAKE_CURRENT_LIST_DIR and test them with if(EXISTS); find_path and find_library look "
        "for them below CMAKE_FIND_ROOT_PATH.",
        why="A toolchain file for another system set the modes to ONLY: find_path looked for the package's own "
        "folder in the system's root, and a complete package was not found.",
        source="CMake manual, cmake-toolchains(7) and CMAKE_FIND_ROOT_PATH_MODE_INCLUDE",
        scope="environment",
        judge=d11_root_modes.judge,
        probes=d11_root_modes.probes,
        applies=d11_root_modes.applies,
    ),
    DynamicCheck(
        id="D21",
        name="odd-paths",
        asserts="A program links and runs with the package at a path with a space, with a comma, and behind a "
        "symbolic link.",
        about="CMake packages that promise to need no Python",
        fix="Give the linker each path as a quoted word of its own, and never behind a comma of -Wl, or LINKER:. For a "
        'library: -Wl,--push-state,--no-as-needed "PATH" -Wl,--pop-state (in a target with SHELL: before it); for a '
        'search path: -Xlinker -rpath -Xlinker "PATH".',
        why="A user's folder had a space in its name: the package was found, and the linker was given half a path.",
        source="CMake manual, target_link_options (LINKER: and SHELL:); gcc(1), -Wl",
        scope="environment",
        judge=d21_odd_paths.judge,
        probes=d21_odd_paths.probes,
        applies=d21_odd_paths.applies,
    ),
    DynamicCheck(
        id="D17",
        name="no-package-without-libraries",
        asserts="Without the libraries of its components the package is not found and says why; an extension module "
        "is never offered to link.",
        about="CMake packages that promise to need no Python",
        fix="Set <package>_FOUND to false and <package>_NOT_FOUND_MESSAGE to the reason where no library is there; "
        "define no target for an extension module.",
        why="The wheel of another system had the extension module alone: the package was found, and the link ended "
        "in a page of undefined Py… symbols.",
        source="CMake manual, find_package (<PackageName>_NOT_FOUND_MESSAGE)",
        scope="environment",
        judge=d17_python_only.judge,
        probes=d17_python_only.probes,
        applies=d17_python_only.applies,
    ),
    DynamicCheck(
        id="D14",
        name="no-package-without-headers",
        asserts="Without its include folder the package is not found, and says why.",
        about="CMake packages of recipes with headers",
        fix="Test the include folder with if(EXISTS), and set <package>_FOUND to false and "
        "<package>_NOT_FOUND_MESSAGE to the reason if it is missing.",
        why="A package without its headers was found: what failed was the first #include, and it did not tell the "
        "package from one that was never installed.",
        source="CMake manual, find_package (<PackageName>_NOT_FOUND_MESSAGE)",
        scope="environment",
        judge=d14_missing_headers.judge,
        probes=d14_missing_headers.probes,
        applies=d14_missing_headers.applies,
    ),
    DynamicCheck(
        id="D19",
        name="floor-is-true",
        asserts="The CMake at the promised floor configures with the package; one below it is refused, by the floor.",
        about="CMake packages of recipes that name such CMakes",
        fix="Let the config file begin with cmake_minimum_required of the floor, or refuse older versions by "
        "<package>_NOT_FOUND_MESSAGE; or change cmake.floor in the recipe.",
        why="A config file used a command that its stated minimum did not have: users of that CMake met a syntax "
        "error in a file of ours.",
        source="CMake manual, cmake_minimum_required",
        scope="environment",
        judge=d19_floor.judge,
        probes=d19_floor.probes,
        applies=d19_floor.applies,
    ),
)
"""The strongest first."""
