"""K8: a consumer configures and builds with a Python that does not have the package, and with none."""

from __future__ import annotations

from orchestrator.verify.dynamic.consumers import ALL, blame, build
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL, compile_and_link, configure, head, using
from orchestrator.verify.dynamic.questions import configure_failed, missing_paths, questions
from orchestrator.verify.dynamic.surroundings import PYTHON_MODULES, programs_but_python
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome

FOREIGN = "foreign_python"
NONE = "no_python"
OWN = "own_python"
IMPORT = "foreign_import"
TOOLS = "tools"
"""Folder of the probe's that has every program but Python."""


def probes(context: Context) -> tuple[Probe, ...]:
    """One project with the image's Python, with none, and with that which the package is promised.

    The last is the control, and the consumer with every component is it where the recipe has one.
    """
    consumer = context.recipe.consumer is not None
    own = build(context, ALL) if consumer else _project(context, OWN, configure(context), compile_and_link())
    without = without_python(context, NONE)
    lonely = configure(context, before=without, options=disable_python(), own_python=False)
    importing = Step(("python3", "-c", f"import {context.recipe.project.import_}"))
    return (
        install(context),
        questions(context),
        own,
        Probe(IMPORT, {}, (importing,), after=(INSTALL,)),
        _project(context, FOREIGN, configure(context, own_python=False), compile_and_link()),
        _project(context, NONE, hide_python(), lonely, compile_and_link(without)),
    )


def hide_python() -> Step:
    """Make that folder in the probe's; fails if a Python is left."""
    return programs_but_python(TOOLS)


def without_python(context: Context, probe: str) -> tuple[str, ...]:
    """The words before a command that is to see the programs in that folder alone."""
    return ("cmake", "-E", "env", f"PATH={context.folder(probe)}/{TOOLS}")


def disable_python() -> tuple[str, ...]:
    """Options with which CMake's own modules find no Python, not even one outside the PATH."""
    return tuple(f"-DCMAKE_DISABLE_FIND_PACKAGE_{module}=ON" for module in PYTHON_MODULES)


def _project(context: Context, id_: str, *steps: Step) -> Probe:
    text = using(context, context.shipped, context.route).replace("@SOURCES@", "main.cpp")
    files = {"CMakeLists.txt": head(context, "foreign") + text, "main.cpp": "int main() { return 0; }\n"}
    return Probe(id=id_, files=files, steps=steps, after=(INSTALL,))


def judge(context: Context, answers: Answers) -> Outcome:
    """Both must build: what a package installs beside its CMake files is found by their own place."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked
    if configure_failed(answers) and not context.package.python:
        return not_run("the package ends a configure, or does not generate: see D2")
    if missing_paths(answers)[0]:
        return not_run("the package hands out paths that do not exist: see K7")
    package = context.package.package
    if context.recipe.consumer is not None:
        missing = blame(answers, ALL)
        if missing:
            return not_run(f"{missing.reason}: see {missing.check}")
    elif not answers[OWN].ok:
        fault = Fault(package, "a project that uses it does not build with any Python", failure(answers[OWN]))
        return Outcome(1, "builds with the package's own Python", (fault,))
    if answers[IMPORT].ok:
        return not_run("the image's own Python can import the package: it proves nothing")
    prepared = answers[NONE].steps[0]
    if not prepared.ok:
        return not_run(f"the image's programs cannot be given without Python: {prepared.ending}")
    faults = [
        Fault(f"{package}, {what}", f"a project that uses it does not configure and build with {what}", failure(answer))
        for what, answer in (("another Python", answers[FOREIGN]), ("no Python", answers[NONE]))
        if not answer.ok
    ]
    return Outcome(2, "builds with other Pythons", tuple(faults))
