"""I: documents."""

from __future__ import annotations

from orchestrator.verify.static import i2_document_trigger, i3_document
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS: tuple[StaticCheck, ...] = (
    StaticCheck(
        id="I3",
        name="document",
        asserts="The document is there, with its heading and a C++ block below it.",
        about="recipes that name a document",
        fix="Put the example back below the heading, or correct [document] in the recipe.",
        why="A page that was renamed left a check of its example with nothing to build, and that counted as a pass.",
        source="this project's catalogue",
        applies=i3_document.applies,
        check=i3_document.check,
    ),
    StaticCheck(
        id="I2",
        name="document-trigger",
        asserts="A change of the document starts the project's workflow.",
        about="recipes whose document lies in the repository of a workflow that they name",
        fix="Add the document to the event's paths.",
        why="A filter for sources left the page out: an edit broke the example, and nothing built it until a user did.",
        source="GitHub Docs, Workflow syntax for GitHub Actions, on.<push|pull_request>.<paths|paths-ignore>",
        applies=i2_document_trigger.applies,
        check=i2_document_trigger.check,
    ),
)
"""The strongest first."""
