"""C: what the loader finds, and what imports."""

from __future__ import annotations

from orchestrator.verify.dynamic import c6_imports, c10_no_toolkit
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="C6",
        name="imports",
        asserts="The package and each of its extension modules import in a process of their own, with only the "
        "declared requirements installed.",
        about="wheels whose requirements are at hand: none, or those of the recipe's locks",
        fix="Read the traceback in the evidence; ship, or require, what the import lacks.",
        why="A wheel whose import raised passed every other check; one more imported only beside a package that "
        "the test machine happened to have.",
        source="Python Language Reference, The import system; Python Packaging User Guide, Requires-Dist",
        scope="python",
        judge=c6_imports.judge,
        probes=c6_imports.probes,
        package=False,
    ),
    DynamicCheck(
        id="C10",
        name="no-toolkit-image",
        asserts="In an image without a CUDA toolkit the loader finds all that the wheel's files need, CUDA in what "
        "is installed with the wheel.",
        about="files that the loader maps, on CUDA rows",
        fix="Give the library a search path relative to $ORIGIN that leads to the declared runtime wheel.",
        why="A toolkit that the loader's cache knows hides a relative path that leads nowhere: the wheel works on "
        "the builder, and on no user's machine.",
        source="ld.so(8), ldd(1), ldconfig(8)",
        scope="environment",
        judge=c10_no_toolkit.judge,
        probes=c10_no_toolkit.probes,
        applies=c10_no_toolkit.applies,
        package=False,
    ),
)
"""The strongest first."""
