"""D19: the CMake at the promised floor configures with the package, and one below it is told which is needed."""

from __future__ import annotations

from orchestrator.recipe.sdk import CMakePackage, EnvironmentSpec
from orchestrator.verify.dynamic.batch import TOOLS
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import CONFIGURE_SECONDS, INSTALL, own_python_options
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, said
from orchestrator.verify.outcome import Fault, Outcome

AT = "cmake_floor"
BELOW = "cmake_below"
"""Ids of the probes, and the folders in which their CMakes are mounted."""


def applies(context: Context) -> bool:
    """In the first environment, where the recipe names a CMake at its floor or below it."""
    return bool(_here(context))


def tools(package: CMakePackage, spec: EnvironmentSpec) -> dict[str, str]:
    """The versions of CMake that are mounted beside the environment's own, by folder."""
    if spec != package.environments[0]:
        return {}
    wanted = {AT: package.floor_tried, BELOW: package.below_floor}
    return {folder: version for folder, version in wanted.items() if version is not None}


def _here(context: Context) -> dict[str, str]:
    first = context.package.environments[0]
    place = (first.cmake, first.generator, first.image or context.recipe.images.test)
    return tools(context.package, first) if place == (context.cmake, context.generator, context.image) else {}


def probes(context: Context) -> tuple[Probe, ...]:
    """A project that requires the package, configured by each of them."""
    found = (_project(context, folder, version) for folder, version in _here(context).items())
    return (install(context), questions(context), *found)


def _project(context: Context, id_: str, version: str) -> Probe:
    package = context.package
    text = (
        f"cmake_minimum_required(VERSION {version})\nproject(floor LANGUAGES CXX)\n"
        f"find_package({package.package} REQUIRED)\n"
    )
    python = own_python_options(context) if package.python else ()
    words = ("-S", ".", "-B", "build", "-G", context.generator, f"-DCMAKE_PREFIX_PATH={context.prefixes}", *python)
    step = Step((f"{TOOLS}/{id_}/bin/cmake", *words), CONFIGURE_SECONDS)
    return Probe(id_, {"CMakeLists.txt": text}, (step,), after=(INSTALL,))


def judge(context: Context, answers: Answers) -> Outcome:
    """What the recipe promises is tried, and what the package says is the same."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    package, asked = context.package, _here(context)
    faults = []
    if version := asked.get(AT):
        step = answers[AT].steps[0]
        if not step.ok:
            reason = f"does not configure with CMake {version}, though the recipe promises {package.floor}"
            faults.append(Fault(package.package, reason, evidence(step)))
    if version := asked.get(BELOW):
        step = answers[BELOW].steps[0]
        if step.ok:
            reason = f"configures with CMake {version}, though the recipe promises {package.floor} and newer only"
            faults.append(Fault(package.package, reason, evidence(step)))
        elif not step.ran or not said(package.floor, step.output):
            reason = f"is refused with CMake {version} without a word of {package.floor}"
            faults.append(Fault(package.package, reason, evidence(step)))
    return Outcome(len(asked), "versions of CMake", tuple(faults))
