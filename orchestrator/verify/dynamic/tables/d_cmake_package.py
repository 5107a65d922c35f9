"""D: what the CMake package promises to those who ask for it."""

from __future__ import annotations

from orchestrator.verify.dynamic import (
    d1_version_file,
    d2_version_requests,
    d3_missing_component,
    d4_optional_component,
    d5_targets,
    d6_route,
    d15_runpath,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="D2",
        name="version-requests",
        asserts="The installed version is accepted, other majors and newer ones are refused, ranges are honoured.",
        about="CMake packages",
        fix="Generate the version file with SameMajorVersion, and handle PACKAGE_FIND_VERSION_RANGE.",
        why="A project written for 1.x was given 2.x, and a request for 1.0...<1.5 was content with 1.9: what "
        "fails then is the compiler, or the program.",
        source="CMake manual, find_package (version selection) and CMakePackageConfigHelpers",
        scope="environment",
        judge=d2_version_requests.judge,
        probes=d2_version_requests.probes,
    ),
    DynamicCheck(
        id="D3",
        name="missing-component-fails",
        asserts="A required component that does not exist fails the configure and is named.",
        about="CMake packages that take components",
        fix="Check the requested components in the package configuration, and name the missing one; or set "
        "cmake.components = false in the recipe if the package has none.",
        why="The configure went through with a component that is not there, and the link ended in "
        "'cannot find -l…', far from its cause.",
        source="CMake manual, cmake-packages(7) (COMPONENTS)",
        scope="environment",
        judge=d3_missing_component.judge,
        probes=d3_missing_component.probes,
        applies=d3_missing_component.applies,
    ),
    DynamicCheck(
        id="D4",
        name="optional-component-continues",
        asserts="An optional request answers FOUND false, and the configure continues.",
        about="CMake packages that take components",
        fix="Set <package>_FOUND to false instead of stopping, unless the request is REQUIRED.",
        why="A project that only asked whether the package is there could not be configured: the package "
        "stopped CMake with a fatal error.",
        source="CMake manual, cmake-packages(7) (<PackageName>_FOUND)",
        scope="environment",
        judge=d4_optional_component.judge,
        probes=d4_optional_component.probes,
        applies=d4_optional_component.applies,
    ),
    DynamicCheck(
        id="D5",
        name="targets-match-libraries",
        asserts="A namespaced target exists exactly when its library ships, and stands for it; a mistyped one fails "
        "to generate.",
        about="CMake packages with targets",
        fix="Define each component's target where its library exists, in the package's namespace.",
        why="A name without '::' that is no target becomes -lname on the link line, so that a slip is found by "
        "the linker, if at all.",
        source="CMake manual, target_link_libraries and cmake-developer(7) (namespaces)",
        scope="environment",
        judge=d5_targets.judge,
        probes=d5_targets.probes,
        applies=d5_targets.applies,
    ),
    DynamicCheck(
        id="D6",
        name="targets-or-explanation",
        asserts="A new CMake gets targets; an old one gets none, and a component request names the version needed.",
        about="CMake packages",
        fix="Define targets from the promised CMake on only, and say why a component cannot be had below it.",
        why="CMake 3.24 and 3.27 write a target's $ORIGIN as $$ORIGIN with Make and as $ with Ninja: the "
        "program links, and does not find its libraries.",
        source="measured with CMake 3.24.3 and 3.27.9",
        scope="environment",
        judge=d6_route.judge,
        probes=d6_route.probes,
    ),
    DynamicCheck(
        id="D15",
        name="runpath-origin-first",
        asserts="A consumer records RUNPATH, not RPATH, with $ORIGIN first, whichever tag its linker writes by itself.",
        about="consumers of packages with targets",
        fix="Give consumers the linker's option --enable-new-dtags, and put $ORIGIN before every other entry. If the "
        "package promises nothing of the kind, as ordinary imported targets do not, say so: "
        "cmake.relocatable-targets = false in the recipe.",
        why="RPATH is searched before LD_LIBRARY_PATH, so that nobody can try a library of their own against "
        "the program; an entry before $ORIGIN wins over what was shipped beside it.",
        source="ld.so(8), search order; ld(1), --enable-new-dtags",
        scope="environment",
        judge=d15_runpath.judge,
        probes=d15_runpath.probes,
        applies=d15_runpath.applies,
    ),
    DynamicCheck(
        id="D1",
        name="version-file",
        asserts="The version file is complete and says the wheel's version.",
        about="CMake packages that answer version requests",
        fix="Write the version file from the version that is built, and fill in every placeholder.",
        why="Without a version file find_package(x N) is refused for every N; one with a placeholder left in it "
        "says 0 or nothing, and accepts everything.",
        source="CMake manual, cmake-packages(7) (Package Version File)",
        scope="environment",
        judge=d1_version_file.judge,
        probes=d1_version_file.probes,
        applies=d1_version_file.applies,
    ),
)
"""The strongest first."""
