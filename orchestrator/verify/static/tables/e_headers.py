"""E: headers."""

from __future__ import annotations

from orchestrator.verify.static import e5_unshippable, e6_headers_with_library
from orchestrator.verify.static.tables.row import StaticCheck

CHECKS = (
    StaticCheck(
        id="E6",
        name="headers-with-library",
        asserts="A component's own headers ship if and only if its library does.",
        about="components of a recipe with `headers`",
        fix="Install the headers under the same condition as the library.",
        why="A CUDA wheel had the library without its headers, so that the component could be linked and not "
        "included; a CPU wheel had headers that include the toolkit's.",
        source="this project's catalogue",
        applies=e6_headers_with_library.applies,
        check=e6_headers_with_library.check,
    ),
    StaticCheck(
        id="E5",
        name="unshippable-headers",
        asserts="No header of tests ships, and none that the recipe keeps back.",
        about="recipes with [headers]",
        fix="Leave the header, or its folder, out of the install rule; where it is meant for users, correct "
        "headers.forbid, or rename the folder.",
        why="Whole folders were installed: users included a mock of the allocator, and their programs linked it. A "
        "list of bare file names took a real header for a test's of the same name.",
        source="this project's catalogue",
        applies=e5_unshippable.applies,
        check=e5_unshippable.check,
    ),
)
"""The strongest first."""
