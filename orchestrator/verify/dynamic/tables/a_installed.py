"""A: the installed package."""

from __future__ import annotations

from orchestrator.verify.dynamic import a18_variant, a19_installed_only, a20_one_package
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        id="A19",
        name="installed-only",
        asserts="What a consumer loads is what was installed from the wheel, and the image has no other copy.",
        about="wheels with libraries",
        fix="Name the installed libraries in the CMake package; do not copy them into the build folder of who "
        "uses it. A consumer that loads none of them tries nothing: let it call what they own.",
        why="Tests ran where the wheel had been built, and loaded the libraries that the build had left there: the "
        "ones in the wheel were never tried.",
        source="ldd(1); ld.so(8)",
        scope="environment",
        judge=a19_installed_only.judge,
        probes=a19_installed_only.probes,
        applies=a19_installed_only.applies,
        package=False,
    ),
    DynamicCheck(
        id="A20",
        name="one-package",
        asserts="Python finds the package in the site folder and nowhere else, as one distribution, with no file of "
        "another one in its folder.",
        about="every installed wheel",
        fix="Take .pth files out of the wheel, and what installs under another distribution's name.",
        why="A checkout, or what an editable install had left, stood first on the search path: every test passed, and "
        "none had seen the wheel.",
        source="Python Library Reference, site and importlib.metadata",
        scope="python",
        judge=a20_one_package.judge,
        probes=a20_one_package.probes,
        package=False,
    ),
    DynamicCheck(
        id="A18",
        name="variant",
        asserts="The variant ships nothing that the recipe forbids it, requires exactly what the recipe says, and the "
        "recipe's programs run beside it.",
        about="variants that say any of it",
        fix="Leave out of the build what the variant must not have; correct its dependencies, or the recipe's list.",
        why="A heavy dependency leaked into a minimal wheel, and a needed one was lost from it: both install without a "
        "word.",
        source="PyPA, Core metadata, Requires-Dist; PEP 508",
        scope="python",
        judge=a18_variant.judge,
        probes=a18_variant.probes,
        applies=a18_variant.applies,
        package=False,
    ),
)
"""The strongest first."""
