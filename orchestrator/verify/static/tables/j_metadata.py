"""J: tags, versions and RECORD."""

from __future__ import annotations

from orchestrator.verify.static import j1_architecture, j4_linux_tag, j5_baseline, j6_version, j7_record, j8_python_tag
from orchestrator.verify.static.tables.row import StaticCheck, always

CHECKS = (
    StaticCheck(
        id="J1",
        name="architecture",
        asserts="The tag's processor is the contents' processor.",
        about="wheels with a platform tag and ELF files",
        fix="Build on, or cross-compile for, the processor of the tag.",
        why="A wheel that is tagged for another processor than its contents installs without a word, and fails "
        "when it is first imported.",
        source="PyPA spec, Platform compatibility tags; ELF gABI, ELF Header (e_machine)",
        applies=j1_architecture.applies,
        check=j1_architecture.check,
    ),
    StaticCheck(
        id="J4",
        name="tag-kind",
        asserts="The wheel is tagged linux if its recipe says so, and otherwise for a baseline of glibc.",
        about="wheels of a recipe that are tagged for Linux with glibc",
        fix="Set matrix.tag to linux where the wheel needs libraries of other distributions, such as torch's; else "
        "give it the tag that its symbols allow.",
        why="Wheels that need torch's libraries can keep no promise of a policy and are tagged linux on purpose; a "
        "check that asked them for a baseline failed every correct one.",
        source="PEP 600; PyPA spec, Platform compatibility tags",
        applies=j4_linux_tag.applies,
        check=j4_linux_tag.check,
    ),
    StaticCheck(
        id="J5",
        name="baseline",
        asserts="The tag claims no older system than the symbols need.",
        about="wheels whose tag or recipe promises a glibc",
        fix="Build on an older system, avoid the newer symbols, or claim the measured tag.",
        why="On a system that the tag promises and the symbols do not, pip installs the wheel and the loader "
        "then refuses it: version GLIBC_… not found.",
        source="PEP 600; auditwheel's policies; ELF symbol versions (LSB core)",
        applies=j5_baseline.applies,
        check=j5_baseline.check,
    ),
    StaticCheck(
        id="J6",
        name="one-version",
        asserts="Every place that tells the version tells the same one.",
        about="wheels with a version in METADATA, version files or CMake files",
        fix="Derive all of them from one source. A build is told its version, with the variant's local label, by the "
        "environment variable that the recipe names as build.version-variable.",
        why="Where the wheel, the module and the CMake package tell different versions, find_package accepts "
        "what pip would not, and a row that is derived from one of them is the wrong row.",
        source="PEP 440; PyPA spec, Core metadata",
        applies=j6_version.applies,
        check=j6_version.check,
    ),
    StaticCheck(
        id="J7",
        name="record",
        asserts="RECORD, WHEEL and METADATA say what the archive holds.",
        about="any wheel",
        fix="Rebuild RECORD after every change of a member (`wheel unpack`, `wheel pack`); let the build backend "
        "write METADATA and WHEEL, and `wheel tags` change a tag.",
        why="A wheel that was changed after it was packed has hashes that no longer hold; installers that "
        "check refuse it, the others leave files behind when they uninstall.",
        source="PyPA spec, Binary distribution format; PEP 427, PEP 376",
        applies=always,
        check=j7_record.check,
    ),
    StaticCheck(
        id="J8",
        name="python-tag",
        asserts="The wheel is tagged for its row's Python, or for the stable ABI where its recipe says so.",
        about="wheels of a recipe that are tagged for a CPython, or that must be",
        fix="Let the build backend tag the wheel for the Python that builds it; for the stable ABI, name its oldest "
        "Python to the backend and as matrix.stable-abi.",
        why="A wheel of one Python under the tag of the stable ABI installs with every newer one, and its module is "
        "not found there; one that was built for each Python again hides that the stable ABI was lost.",
        source="PEP 384; PEP 425; Python documentation, C API Stability",
        applies=j8_python_tag.applies,
        check=j8_python_tag.check,
    ),
)
"""The strongest first."""
