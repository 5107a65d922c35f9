"""F: programs that move."""

from __future__ import annotations

from orchestrator.verify.dynamic import d15_runpath, f1_relative_paths, f2_origin, f3_relocation
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="F3",
        name="relocatable",
        asserts="A program runs where the package never was, flat and as bin + lib.",
        about="consumers of packages that promise relocatable programs",
        fix="Record $ORIGIN and $ORIGIN/../lib in consumers, and $ORIGIN in the libraries. If the package promises "
        "nothing of the kind, as ordinary imported targets do not, say so: cmake.relocatable-targets = false "
        "in the recipe.",
        why="As long as the package stands where it was, an absolute path hides a broken $ORIGIN; a copy of "
        "lib/ alone left out libraries from the wheel's other folders.",
        source="ld.so(8), $ORIGIN",
        scope="runtime",
        judge=f3_relocation.judge,
    ),
    DynamicCheck(
        id="F1",
        name="relative-paths-alone",
        asserts="A program runs beside the libraries of every folder of the wheel once absolute search paths are taken "
        "out of all files.",
        about="consumers of packages that promise relocatable programs",
        fix="Lead from each library to what it needs by $ORIGIN, and have consumers record $ORIGIN. If the package "
        "promises nothing of the kind, say so: cmake.relocatable-targets = false in the recipe.",
        why="An absolute path of the builder hid a relative one that led nowhere; a test that copied lib/ alone "
        "passed, and the library in another folder of the wheel was never tried.",
        source="ld.so(8), $ORIGIN",
        scope="runtime",
        judge=f1_relative_paths.judge,
    ),
    DynamicCheck(
        id="F2",
        name="needs-runtime-by-origin",
        asserts="A consumer needs the runtime library and looks for it beside itself.",
        about="consumers of packages with targets",
        fix="Link the runtime by its target, and have the target add $ORIGIN to the consumer's search path. If the "
        "package promises nothing of the kind, as ordinary imported targets do not, say so: "
        "cmake.relocatable-targets = false in the recipe.",
        why="A program that had linked something else under the runtime's name still ran on the builder.",
        source="ELF gABI, Dynamic Section (DT_NEEDED); ld.so(8)",
        scope="environment",
        judge=f2_origin.judge,
        probes=d15_runpath.probes,
        applies=d15_runpath.applies,
    ),
)
"""The strongest first."""
