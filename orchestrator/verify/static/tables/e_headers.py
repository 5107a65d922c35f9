"""E: headers."""

from __future__ import annotations

from orchestrator.verify.static import e6_headers_with_library
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
)
"""The strongest first."""
