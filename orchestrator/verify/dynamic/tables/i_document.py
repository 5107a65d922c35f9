"""I: the documented example."""

from __future__ import annotations

from orchestrator.verify.dynamic import i1_document_builds
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="I1",
        name="example-builds",
        asserts="The document's first C++ example builds with the components that it names, and runs.",
        about="recipes that name a document",
        fix="Change the example with the interface, name in document.components what it needs, or correct the "
        "arguments in document.run.",
        why="Examples are what people copy first; the interface went on, the page stayed, and its example no longer "
        "compiled.",
        source="this project's catalogue",
        scope="environment",
        applies=i1_document_builds.applies,
        probes=i1_document_builds.probes,
        judge=i1_document_builds.judge,
    ),
)
"""The strongest first."""
