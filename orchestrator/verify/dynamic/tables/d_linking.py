"""D: what consumers link, and what they load."""

from __future__ import annotations

from orchestrator.verify.dynamic import d13_threads_switch, d18_plugin
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
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
