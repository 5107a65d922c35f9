"""E: headers and the libraries behind them."""

from __future__ import annotations

from orchestrator.verify.dynamic import e3_calls, e4_switched_calls, e7_all_linked
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="E3",
        name="component-calls",
        asserts="A call of each component compiles against its header, links, and is answered by its library.",
        about="components with `call` in the recipe",
        fix="Ship the header, and export what it declares from the component's library.",
        why="A header shipped whose functions no library had: it compiled, and every user of it failed to link.",
        source="ISO C++17, [basic.def.odr]; ld(1), --as-needed",
        scope="image",
        judge=e3_calls.judge,
        probes=e3_calls.probes,
        applies=e3_calls.applies,
    ),
    DynamicCheck(
        id="E4",
        name="switched-calls",
        asserts="With the definition that selects the library's function a call needs the library; without, it builds "
        "and runs, and does not.",
        about="components with `call.definition` in the recipe",
        fix="Let the header declare the function under the definition, and define it inline without; keep both.",
        why="A header with an inline fallback compiles and links with the library and without it: a call that is not "
        "compiled with the definition proves nothing about the library.",
        source="ld(1), --as-needed",
        scope="image",
        judge=e4_switched_calls.judge,
        probes=e4_switched_calls.probes,
        applies=e4_switched_calls.applies,
    ),
    DynamicCheck(
        id="E7",
        name="all-components-linked",
        asserts="One program that uses every component, linked to all their libraries, links and runs; no component is "
        "left out.",
        about="recipes with `call` or `make-object`",
        fix="Declare `call` or `make-object` for the component, or `retained` if loading it is all that it does; see "
        "that the libraries can be loaded together.",
        why="Calls were linked to the runtime alone, and those of a component that nothing else needed were never "
        "resolved by anyone.",
        source="this project's catalogue",
        scope="image",
        judge=e7_all_linked.judge,
        probes=e7_all_linked.probes,
        applies=e7_all_linked.applies,
    ),
)
"""The strongest first."""
