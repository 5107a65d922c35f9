"""A: what is in the wheel beside libraries."""

from __future__ import annotations

from orchestrator.verify.static import a17_filled_in, a21_triggers
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS: tuple[StaticCheck, ...] = (
    StaticCheck(
        id="A17",
        name="filled-in",
        asserts="No placeholder is left in the files of CMake and pkg-config packages, and versions are numbers.",
        about="wheels with CMake config or version files, or pkg-config files",
        fix="Install what configure_file() wrote, not the .in file, and stop the build where the version is no number.",
        why="A version that was empty when the template was filled in became 0 in CMake's eyes: such a package "
        "answers requests that it should refuse, or refuses all.",
        source="CMake manual, configure_file() and if(), version comparisons",
        applies=a17_filled_in.applies,
        check=a17_filled_in.check,
    ),
    StaticCheck(
        id="A21",
        name="triggers",
        asserts="A change of any file that a workflow must cover starts it, by each of its events of changes.",
        about="recipes that name a workflow of GitHub Actions",
        fix="Add the file or folder to the event's paths, or correct the rule with ! that takes it away; or correct "
        "file and covers of the recipe's [[workflow]].",
        why="The path filter named the folders of some day; a header in a newer one was changed, no test ran, and the "
        "wheel was released with it.",
        source="GitHub Docs, Workflow syntax for GitHub Actions, on.<push|pull_request>.<paths|paths-ignore>",
        applies=a21_triggers.applies,
        check=a21_triggers.check,
    ),
)
"""The strongest first."""
