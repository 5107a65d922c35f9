"""Faults of what surrounds the libraries: templates, versions, RECORD, workflow, document, tags, headers of tests."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.build.guards.facts import Left
from orchestrator.build.guards.run import Findings, ask
from orchestrator.report.model import CheckRecord
from tests.detection.edits import table, text, variant
from tests.detection.fault import BuildFault, Fault, WheelEdit
from tests.support.faults import CONFIG, VERSION_FILE, added, replaced, wrong_long_hash
from tests.support.honest_rows import asked

WORKFLOW = "source/.github/workflows/wheel.yml"
PAGE = "source/docs/cpp.md"
INCLUDE = "minirt/include/minirt"


def _header(path: str) -> WheelEdit:
    """A header that compiles alone ships at this path below minirt's."""
    return added(f"{INCLUDE}/{path}", "#pragma once\n")


def _left(*names: str) -> Callable[[], tuple[CheckRecord, ...]]:
    """What guards write of a build that left these files."""

    def records() -> tuple[CheckRecord, ...]:
        findings = Findings()
        ask(Left(asked=asked("cpu"), names=names), findings)
        return tuple(findings.checks)

    return records


FAULTS: tuple[Fault | BuildFault, ...] = (
    Fault(
        name="version file with a placeholder",
        owners=("A17",),
        says="the placeholder @minirt_VERSION@ was not filled in",
        edit=replaced(VERSION_FILE, 'set(PACKAGE_VERSION "1.2.0")', 'set(PACKAGE_VERSION "@minirt_VERSION@")'),
    ),
    Fault(
        name="config file with a placeholder",
        owners=("A17",),
        says="the placeholder @PACKAGE_INIT@ was not filled in",
        edit=lambda draft: draft.append(CONFIG, "\n@PACKAGE_INIT@\n"),
    ),
    Fault(
        name="version file of an empty version",
        owners=("A17",),
        says="sets PACKAGE_VERSION to '', which CMake takes for 0",
        edit=replaced(VERSION_FILE, 'set(PACKAGE_VERSION "1.2.0")', 'set(PACKAGE_VERSION "")'),
    ),
    Fault(
        name="version file of the consumer's version",
        owners=("A17",),
        says="sets PACKAGE_VERSION to '${PROJECT_VERSION}', and nothing in it sets PROJECT_VERSION",
        edit=replaced(VERSION_FILE, 'set(PACKAGE_VERSION "1.2.0")', 'set(PACKAGE_VERSION "${PROJECT_VERSION}")'),
    ),
    Fault(
        name="version.py with another version under two names",
        owners=("J6",),
        says="says version 9.1.2.0+cpu, the file name says 1.2.0+cpu",
        edit=replaced("minirt/version.py", '__version__ = "', '__version__ = version = "9.'),
    ),
    Fault(
        name="wrong hash of the longer kind in RECORD",
        owners=("J7",),
        says="its content has another hash than RECORD says",
        edit=wrong_long_hash,
    ),
    Fault(
        name="tag of a Python without its lock",
        owners=("J8",),
        says="is tagged cp311-cp311t, its row is for cp311 as it is usually built: cp311-cp311",
        edit=lambda draft: draft.retag("cp311-cp311t-manylinux_2_28_x86_64"),
    ),
    Fault(
        name="workflow that sees headers at the top only",
        owners=("A21",),
        says="a change of include/minirt/api.h",
        files={WORKFLOW: text("include/**", "include/*")},
    ),
    Fault(
        name="workflow that takes a folder away again",
        owners=("A21",),
        says="!src/kernels_quantized/**",
        files={WORKFLOW: text('- "docs/cpp.md"', '- "!src/kernels_quantized/**"\n      - "docs/cpp.md"')},
    ),
    Fault(
        name="workflow with two filters that differ",
        owners=("A21",),
        says="does not start it by push",
        files={WORKFLOW: text('      - "cmake/**"\n', "", 1)},
    ),
    Fault(
        name="workflow that no change starts",
        owners=("A21",),
        says="no change starts it",
        files={WORKFLOW: lambda text: f"on: workflow_dispatch\n\n{text[text.index('jobs:') :]}"},
    ),
    Fault(
        name="workflow that leaves the document out",
        owners=("I2",),
        says="a change of docs/cpp.md does not start source/.github/workflows/wheel.yml by push",
        files={WORKFLOW: text('      - "docs/cpp.md" # its first example is built\n', "")},
    ),
    Fault(
        name="document that moved",
        owners=("I3",),
        says="the document does not exist",
        recipe=table("document", file="source/docs/usage.md"),
    ),
    Fault(
        name="document with another heading",
        owners=("I3",),
        says="no line is the heading '## A program that runs a model'",
        files={PAGE: text("## A program that runs a model", "## Running a model")},
    ),
    Fault(
        name="document without a C++ block",
        owners=("I3",),
        says="no C++ block stands below the heading",
        files={PAGE: text("```cpp", "```", 1)},
    ),
    Fault(
        name="document of an older interface",
        owners=("I1",),
        says="is not a member of",
        files={PAGE: text("minirt::Program::load(", "minirt::Program::open(")},
        places=("environment",),
    ),
    Fault(
        name="documented example that fails",
        owners=("I1",),
        says="the example builds, and does not run",
        files={PAGE: text("if (argc != 2) {", "if (argc != 3) {", 1)},
        places=("environment",),
    ),
    Fault(
        name="document that names too few components",
        owners=("I1",),
        says="Missing operator",
        recipe=table("document", components=()),
        places=("environment",),
    ),
    Fault(
        name="header of tests",
        owners=("E5",),
        says="a header of tests ships: its folder is 'testing'",
        edit=_header("testing/mock_allocator.h"),
    ),
    Fault(
        name="private header",
        owners=("E5",),
        says="must not ship: headers.forbid has 'dense_chain.h'",
        edit=_header("dense_chain.h"),
    ),
    Fault(
        name="library of a component that the variant leaves out",
        owners=("H11",),
        says="ships, and the variant 'cpu' has no library of 'profiler'",
        recipe=variant("cpu", absent=("profiler",)),
    ),
    Fault(
        name="library of a delegate that is built into another",
        owners=("H11",),
        says="ships, and the variant 'cpu' has no library of 'backend_blocked'",
        recipe=variant("cpu", absent=("backend_blocked",)),
    ),
    Fault(
        name="policy's tag where the recipe says linux",
        owners=("J4",),
        says="its recipe says linux",
        recipe=table("matrix", tag="linux"),
    ),
    Fault(
        name="linux tag where the recipe promises a policy",
        owners=("J4",),
        says="which no index takes",
        edit=lambda draft: draft.retag("cp311-cp311-linux_x86_64"),
    ),
    BuildFault(
        name="build that leaves nothing",
        owners=("J2",),
        says="it left nothing",
        records=_left(),
    ),
    BuildFault(
        name="build that leaves two wheels",
        owners=("J2",),
        says="it left minirt-1.2.0-cp311-cp311-linux_x86_64.whl, minirt-1.2.0-cp313-cp313-linux_x86_64.whl",
        records=_left("minirt-1.2.0-cp313-cp313-linux_x86_64.whl", "minirt-1.2.0-cp311-cp311-linux_x86_64.whl"),
    ),
)
