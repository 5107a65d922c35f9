"""D7: on a CMake without targets the variables suffice, and each is needed: without it a consumer fails as it must."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from orchestrator.recipe.sdk import Lack
from orchestrator.verify.dynamic.consumers import ALL, blame, build, only, registry
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import (
    BUILD_SECONDS,
    Variable,
    by_variables,
    configure,
    finding_by_variables,
    head,
)
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, failure, said
from orchestrator.verify.outcome import Fault, Outcome

WITHOUT = "without_variables"

_BUILT = ("find", "build", "-type", "f", "(", "-name", "*.o", "-o", "-name", "without_*", ")", "-print")
_STAGES = ("compile", "link", "run")
"""In the order in which a consumer comes by them."""


def applies(context: Context) -> bool:
    """On a CMake without targets: with them the list holds targets, which bring what the other variables hold."""
    return context.recipe.consumer is not None and not context.has_targets


def probes(context: Context) -> tuple[Probe, ...]:
    """The whole consumer, which has every variable, and one project with each of them left out in turn."""
    return (install(context), questions(context), build(context, ALL), registry(context, ALL), _project(context))


def lacks(context: Context) -> Mapping[Variable, Lack]:
    """The variables that the package has, with what becomes of a consumer without each."""
    variables, without = context.variables, context.variables.without
    found: dict[Variable, Lack] = {"libraries": without.libraries, "include-dirs": without.include_dirs}
    if variables.definitions:
        found["definitions"] = without.definitions
    if variables.cxx_standard:
        found["cxx-standard"] = without.cxx_standard
    return MappingProxyType(found)


def _program(variable: Variable) -> str:
    return f"without_{variable}"


def _project(context: Context) -> Probe:
    sources = context.consumer.sources
    text = head(context, "without") + finding_by_variables(context)
    steps = [configure(context)]
    for variable in lacks(context):
        program = _program(variable)
        lines = by_variables(context, context.shipped, program, without=variable)
        text += lines.replace("@SOURCES@", " ".join(sources))
        if variable == "cxx-standard":
            # A header that refuses by #error is compiled to its end otherwise, and says a thousand other things.
            text += f"target_compile_options({program} PRIVATE -Wfatal-errors)\n"
        steps.append(Step(("cmake", "--build", "build", "--target", program), BUILD_SECONDS, always=True))
    steps.append(Step(_BUILT, always=True))
    steps += [
        Step((f"build/{_program(variable)}", *context.consumer.registry), context.consumer.seconds, always=True)
        for variable, lack in lacks(context).items()
        if lack.stage == "run"
    ]
    files = {source: (context.recipe.folder / source).read_text(encoding="utf-8") for source in sources}
    # After the whole consumer: what compiles here is then in the compiler's cache.
    return Probe(WITHOUT, {"CMakeLists.txt": text, **files}, tuple(steps), after=(ALL.name,))


def judge(context: Context, answers: Answers) -> Outcome:
    """The consumer with all of them is there; each without one must end where the recipe says, in its words."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    answer = answers[WITHOUT]
    configured = answer.steps[0]
    if not configured.ok:
        reason = "a project that leaves variables out does not configure"
        return Outcome(1, "variables", (Fault(context.package.package, reason, failure(answer)),))
    tried = lacks(context)
    running = [variable for variable, lack in tried.items() if lack.stage == "run"]
    builds = dict(zip(tried, answer.steps[1:], strict=False))
    runs = dict(zip(running, answer.steps[2 + len(tried) :], strict=True))
    files = answer.steps[1 + len(tried)].stdout.splitlines()
    whole = only(answers, registry(context, ALL).id)
    faults = []
    for variable, lack in tried.items():
        reached = _reached(context, variable, files)
        ended = runs.get(variable, builds[variable]) if reached == "run" else builds[variable]
        wrong = _wrong(lack, builds[variable], reached, ended)
        if wrong:
            faults.append(Fault(_name(context, variable), f"a consumer without it {wrong}", evidence(ended)))
        elif reached == "run" and said(lack.says, whole.output):
            reason = f"a consumer with it says '{lack.says}' too: the trial proves nothing"
            faults.append(Fault(_name(context, variable), reason, evidence(whole)))
    return Outcome(len(tried), "variables", tuple(faults))


def _reached(context: Context, variable: Variable, files: list[str]) -> str:
    """The stage at which the consumer without that variable ends; 'run' if it was built."""
    program, objects = f"build/{_program(variable)}", f"build/CMakeFiles/{_program(variable)}.dir/"
    if program in files:
        return "run"
    compiled = sum(file.startswith(objects) for file in files)
    return "compile" if compiled < len(context.consumer.sources) else "link"


def _wrong(lack: Lack, built: StepAnswer, reached: str, ended: StepAnswer) -> str | None:
    """What is wrong with how a consumer ended that lacks a variable; None if it ended as it must."""
    if built.exit is None or built.timed_out:
        return "was not built to an end"
    if _STAGES.index(reached) > _STAGES.index(lack.stage):
        done = "is built" if reached == "run" else "compiles"
        return f"{done}, and should fail to {lack.stage}: it is not needed"
    if reached != lack.stage:
        return f"fails to {reached}, and should come to {lack.stage}"
    if said(lack.says, ended.output):
        return None
    return f"says nothing of '{lack.says}'" if reached == "run" else f"fails to {reached}, but not with '{lack.says}'"


def _name(context: Context, variable: Variable) -> str:
    variables = context.variables
    names = {
        "libraries": variables.libraries,
        "include-dirs": variables.include_dirs,
        "definitions": variables.definitions,
        "cxx-standard": variables.cxx_standard,
    }
    return names[variable] or variable
