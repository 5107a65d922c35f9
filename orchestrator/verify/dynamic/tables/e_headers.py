"""E: headers."""

from __future__ import annotations

from orchestrator.verify.dynamic import e1_headers_alone, e2_exemptions
from orchestrator.verify.dynamic.headers import sweep
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="E1",
        name="headers-alone",
        asserts="Every shipped header compiles alone with what the package exports, without a toolkit.",
        about="headers that ship",
        fix="Include what the header uses, ship what it includes, or do not ship it.",
        why="A profiler's header shipped that includes a regex library which does not: whoever included it "
        "could not compile.",
        source="C++ Core Guidelines, SF.11 (headers are self-contained)",
        scope="image",
        judge=e1_headers_alone.judge,
        probes=sweep,
        applies=e1_headers_alone.applies,
    ),
    DynamicCheck(
        id="E2",
        name="exemptions-needed",
        asserts="Every exempt header still does not compile alone.",
        about="recipes with `headers.exempt`",
        fix="Remove the exemption from the recipe.",
        why="An exemption outlives its reason; after that the header may break again, and nobody is told.",
        source="this project's catalogue",
        scope="image",
        judge=e2_exemptions.judge,
        probes=sweep,
        applies=e2_exemptions.applies,
    ),
)
"""The strongest first."""
