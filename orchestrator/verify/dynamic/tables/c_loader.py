"""C: what the loader finds, and what imports."""

from __future__ import annotations

from orchestrator.verify.dynamic import c3_copied_layout, c6_imports, c7_environment, c8_tools, c10_no_toolkit
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="C3",
        name="copied-layout",
        asserts="Copied elsewhere, with $ORIGIN search paths alone, the wheel's files find what they need; libraries "
        "their symbols too.",
        about="programs and shared libraries that need others",
        fix="Give the library a $ORIGIN path that stays inside the package, and link it to what it calls.",
        why="Libraries were found by a path that was right where they had been built, and a plug-in that was not "
        "linked to what it called loaded only after a program that had brought it.",
        source="ld.so(8), $ORIGIN; ldd(1); ld(1), -z defs",
        scope="python",
        judge=c3_copied_layout.judge,
        probes=c3_copied_layout.probes,
        applies=c3_copied_layout.applies,
        package=False,
    ),
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
    DynamicCheck(
        id="C7",
        name="clean-environment",
        asserts="No process of a check sees the search paths, preloaded libraries and options that its container was "
        "given.",
        about="every environment; containers are given some on purpose",
        fix="Start the process through the runner, which hands on a few harmless variables alone.",
        why="On the builder LD_LIBRARY_PATH named the folder of the libraries: what no search path of the wheel "
        "led to was found all the same.",
        source="ld.so(8), Environment; environ(7)",
        scope="environment",
        judge=c7_environment.judge,
        probes=c7_environment.probes,
        package=False,
    ),
    DynamicCheck(
        id="C8",
        name="tools-answer",
        asserts="Every tool that checks start is there and answers; CMake and ninja are of the pinned versions.",
        about="every environment",
        fix="Add the tool to the image (images/*.toml), or refresh its lock (images/toolchains).",
        why="Where readelf was missing a check was skipped, and skipped looked like passed.",
        source="this project's catalogue",
        scope="environment",
        judge=c8_tools.judge,
        probes=c8_tools.probes,
        package=False,
    ),
)
"""The strongest first."""
