"""The table of dynamic checks: one row each, by catalogue id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.verify.dynamic import (
    d1_version_file,
    d2_version_requests,
    d3_missing_component,
    d4_optional_component,
    d5_targets,
    d6_route,
    d15_runpath,
    e1_headers_alone,
    e2_exemptions,
    f2_origin,
    f3_relocation,
    g1_models,
    g2_runtime_alone,
    g3_delegate,
    g5_backends,
    k7_paths_exist,
)
from orchestrator.verify.dynamic.context import Context, Scope
from orchestrator.verify.dynamic.probe import Answers, Probe
from orchestrator.verify.outcome import Outcome


def _always(_context: Context) -> bool:
    return True


def _no_probes(_context: Context) -> tuple[Probe, ...]:
    """For scopes whose whole batch is made elsewhere: the header sweep, the runtime image."""
    return ()


@dataclass(frozen=True)
class DynamicCheck:
    """A check that needs containers.

    `scope` says how often it is asked: in every environment, once an image, or in the runtime
    image.  `applies` says whether the environment has what the check is about.
    """

    id: str
    name: str
    asserts: str
    fix: str
    scope: Scope
    judge: Callable[[Context, Answers], Outcome]
    probes: Callable[[Context], tuple[Probe, ...]] = _no_probes
    applies: Callable[[Context], bool] = _always


DYNAMIC_CHECKS: tuple[DynamicCheck, ...] = (
    DynamicCheck(
        "G1",
        "models-run",
        "Every model runs in C++ and matches its reference; wrong and non-finite numbers are rejected.",
        "Build the consumer by hand against the installed wheel (see the evidence) and compare the outputs.",
        "environment",
        g1_models.judge,
        g1_models.probes,
        g1_models.applies,
    ),
    DynamicCheck(
        "G2",
        "runtime-has-no-operators",
        "With the runtime alone a model loads, and then misses its operators.",
        "Keep operator libraries out of the runtime library and out of what its target links.",
        "environment",
        g2_runtime_alone.judge,
        g2_runtime_alone.probes,
        g2_runtime_alone.applies,
    ),
    DynamicCheck(
        "G3",
        "delegate-needed",
        "A delegated model works with its component and fails without it; the program holds the payload.",
        "Register the backend in its component only, retained by its target; export the model with the delegate.",
        "environment",
        g3_delegate.judge,
        g3_delegate.probes,
        g3_delegate.applies,
    ),
    DynamicCheck(
        "G5",
        "backends-add-up",
        "Linking everything adds exactly the backends that the shipped components register.",
        "List the component on every route, and keep its registration from being dropped by the linker.",
        "environment",
        g5_backends.judge,
        g5_backends.probes,
        g5_backends.applies,
    ),
    DynamicCheck(
        "F3",
        "relocatable",
        "A program runs where the package never was, flat and as bin + lib.",
        "Record $ORIGIN and $ORIGIN/../lib in consumers, and $ORIGIN in the libraries.",
        "runtime",
        f3_relocation.judge,
    ),
    DynamicCheck(
        "F2",
        "needs-runtime-by-origin",
        "A consumer needs the runtime library and looks for it beside itself.",
        "Link the runtime by its target, and have the target add $ORIGIN to the consumer's search path.",
        "environment",
        f2_origin.judge,
        d15_runpath.probes,
        d15_runpath.applies,
    ),
    DynamicCheck(
        "D2",
        "version-requests",
        "The installed version is accepted, other majors and newer ones are refused, ranges are honoured.",
        "Generate the version file with SameMajorVersion, and handle PACKAGE_FIND_VERSION_RANGE.",
        "environment",
        d2_version_requests.judge,
        d2_version_requests.probes,
    ),
    DynamicCheck(
        "D3",
        "missing-component-fails",
        "A required component that does not exist fails the configure and is named.",
        "Check the requested components in the package configuration, and name the missing one.",
        "environment",
        d3_missing_component.judge,
        d3_missing_component.probes,
    ),
    DynamicCheck(
        "D4",
        "optional-component-continues",
        "An optional request answers FOUND false, and the configure continues.",
        "Set <package>_FOUND to false instead of stopping, unless the request is REQUIRED.",
        "environment",
        d4_optional_component.judge,
        d4_optional_component.probes,
    ),
    DynamicCheck(
        "D5",
        "targets-match-libraries",
        "A namespaced target exists exactly when its library ships; a mistyped one fails to generate.",
        "Define each component's target where its library exists, in the package's namespace.",
        "environment",
        d5_targets.judge,
        d5_targets.probes,
        d5_targets.applies,
    ),
    DynamicCheck(
        "D6",
        "targets-or-explanation",
        "A new CMake gets targets; an old one gets none, and a component request names the version needed.",
        "Define targets from the promised CMake on only, and say why a component cannot be had below it.",
        "environment",
        d6_route.judge,
        d6_route.probes,
    ),
    DynamicCheck(
        "D15",
        "runpath-origin-first",
        "A consumer records RUNPATH, not RPATH, with $ORIGIN first.",
        "Link with --enable-new-dtags, and put $ORIGIN before every other entry.",
        "environment",
        d15_runpath.judge,
        d15_runpath.probes,
        d15_runpath.applies,
    ),
    DynamicCheck(
        "D1",
        "version-file",
        "The version file is complete and says the wheel's version.",
        "Write the version file from the version that is built, and fill in every placeholder.",
        "environment",
        d1_version_file.judge,
        d1_version_file.probes,
    ),
    DynamicCheck(
        "K7",
        "paths-exist",
        "Every file and folder that targets and variables name exists.",
        "Ship the path, or stop naming it.",
        "environment",
        k7_paths_exist.judge,
        k7_paths_exist.probes,
    ),
    DynamicCheck(
        "E1",
        "headers-alone",
        "Every shipped header compiles alone with what the package exports, without a toolkit.",
        "Include what the header uses, ship what it includes, or do not ship it.",
        "image",
        e1_headers_alone.judge,
    ),
    DynamicCheck(
        "E2",
        "exemptions-needed",
        "Every exempt header still does not compile alone.",
        "Remove the exemption from the recipe.",
        "image",
        e2_exemptions.judge,
        applies=e2_exemptions.applies,
    ),
)
"""All dynamic checks, the strongest first."""
