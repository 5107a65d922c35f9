"""A: the installed package."""

from __future__ import annotations

from orchestrator.verify.dynamic import a19_installed_only
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="A19",
        name="installed-only",
        asserts="What a consumer loads is what was installed from the wheel, and the image has no other copy.",
        about="wheels with libraries",
        fix="Name the installed libraries in the CMake package; do not copy them into the build folder of who uses it.",
        why="Tests ran where the wheel had been built, and loaded the libraries that the build had left there: the "
        "ones in the wheel were never tried.",
        source="ldd(1); ld.so(8)",
        scope="environment",
        judge=a19_installed_only.judge,
        probes=a19_installed_only.probes,
        applies=a19_installed_only.applies,
        package=False,
    ),
)
"""The strongest first."""
