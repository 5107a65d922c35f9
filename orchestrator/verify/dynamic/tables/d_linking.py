"""D: what consumers link, and what they load."""

from __future__ import annotations

from orchestrator.verify.dynamic import (
    d7_variables,
    d8_retained,
    d9_aggregate,
    d13_threads_switch,
    d16_shadowing,
    d18_plugin,
    d20_same_components,
)
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="D8",
        name="retained",
        asserts="A component that registers something when it is loaded stays in a program that calls nothing of it; "
        "what is linked after it is treated as before.",
        about="components with `retained`",
        fix="Give the component's target, and its entry in the list of libraries, one link option that holds "
        "--push-state, --no-as-needed, the library and --pop-state together; --as-needed at its end is no way back: "
        "the program may not have asked for it.",
        why="Distributions link with --as-needed, which dropped the delegate: a program built there said that its "
        "backend is not registered. Where two components shared the text of such an option, CMake kept it once.",
        source="ld(1), --as-needed and --push-state; CMake manual, target_link_options (de-duplication)",
        scope="environment",
        judge=d8_retained.judge,
        probes=d8_retained.probes,
        applies=d8_retained.applies,
    ),
    DynamicCheck(
        id="D7",
        name="variables-suffice",
        asserts="Without targets the variables suffice to build and run, and a consumer that leaves one out fails "
        "where that one is needed.",
        about="CMakes below `cmake.targets-from`; the consumer asks for C++14",
        fix="Let each variable hold what it is named for and set nothing beside them in the caller's folder: no "
        "include_directories, no add_definitions, no CMAKE_CXX_STANDARD. Where leaving one out shows elsewhere, say so "
        "in cmake.variables.without.",
        why="A program with the libraries alone missed a header; with the folders too, one that the definitions "
        "switch off; with these a header refused C++14. Each was reported as another fault.",
        source="CMake manual, cmake-packages(7) (package variables) and CXX_STANDARD",
        scope="environment",
        judge=d7_variables.judge,
        probes=d7_variables.probes,
        applies=d7_variables.applies,
    ),
    DynamicCheck(
        id="D9",
        name="list-of-libraries",
        asserts="The list of libraries holds what models need and no component that has a variable of its own; a "
        "second find_package in one project hands out the same.",
        about="CMake packages; without variables the second request alone is asked",
        fix="Make targets only where they are not there yet (if(NOT TARGET ...)), and fill the list each time that the "
        "config file is read.",
        why="In a project of two parts the second got a list with the runtime alone, since the targets were there "
        "already: its program loaded no operator.",
        source="CMake manual, find_package (a package may be found more than once)",
        scope="environment",
        judge=d9_aggregate.judge,
        probes=d9_aggregate.probes,
    ),
    DynamicCheck(
        id="D20",
        name="routes-carry-the-same",
        asserts="Targets and variables bring a program the same components.",
        about="consumers of packages with both routes",
        fix="List the component in the variables too, or give it a variable of its own and name that in the recipe "
        "(component.variable).",
        why="A delegate had a target and was left out of the list for older CMakes: the same program ran on the "
        "new one, and missed its backend on the old.",
        source="ELF gABI, Dynamic Section (DT_NEEDED)",
        scope="environment",
        judge=d20_same_components.judge,
        probes=d20_same_components.probes,
        applies=d20_same_components.applies,
    ),
    DynamicCheck(
        id="D16",
        name="can-be-shadowed",
        asserts="A library in LD_LIBRARY_PATH takes the place of the package's; in a copy of the program with DT_RPATH "
        "it does not.",
        about="consumers of packages that promise relocatable programs",
        fix="Have consumers record DT_RUNPATH (--enable-new-dtags), and give each library a SONAME without a folder.",
        why="A developer put a library of his own before the installed one and kept testing the installed one: "
        "the program had recorded where that lies in a tag that comes first.",
        source="ld.so(8), the order of DT_RPATH, LD_LIBRARY_PATH and DT_RUNPATH",
        scope="environment",
        judge=d16_shadowing.judge,
        probes=d16_shadowing.probes,
        applies=d16_shadowing.applies,
    ),
    DynamicCheck(
        id="D13",
        name="threads-definition-for-all",
        asserts="Every consumer, that of the runtime alone too, gets the definition that selects the thread pool's "
        "functions, and the library that holds them.",
        about="recipes with [threads]",
        fix="Put the definition on the runtime's target and into the variable of definitions, and the pool's library "
        "into the runtime's INTERFACE_LINK_LIBRARIES and the variable of libraries.",
        why="The header has the same functions inline for those without a pool. A consumer that misses the "
        "definition computes in one thread without a word; a program of both kinds has two definitions of one "
        "function.",
        source="ISO C++17, [basic.def.odr]; CMake manual, cmake-file-api(7)",
        scope="environment",
        judge=d13_threads_switch.judge,
        probes=d13_threads_switch.probes,
        applies=d13_threads_switch.applies,
    ),
    DynamicCheck(
        id="D18",
        name="plugin-adds-operators",
        asserts="A library of a user's operators builds on the package alone, loads into a program, and adds exactly "
        "its operators.",
        about="recipes with a [plugin]",
        fix="Ship and export all that registering an operator needs; keep one registry, in the runtime's library.",
        why="An operator that was registered already, by another library, is found whether the plug-in works or not: "
        "only what is new after loading it counts.",
        source="this project's catalogue",
        scope="environment",
        judge=d18_plugin.judge,
        probes=d18_plugin.probes,
        applies=d18_plugin.applies,
    ),
)
"""The strongest first."""
