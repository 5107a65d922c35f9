"""D18: a library of operators by a user of the package builds on it alone, loads, and adds its operators."""

from __future__ import annotations

from orchestrator.recipe.promises import Plugin
from orchestrator.recipe.sdk import Component
from orchestrator.verify.dynamic.consumers import ALL, blame, build, program
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, StepAnswer
from orchestrator.verify.dynamic.project import INSTALL, compile_and_link, configure, head, using
from orchestrator.verify.dynamic.questions import questions
from orchestrator.verify.dynamic.texts import evidence, failure, finding
from orchestrator.verify.outcome import Fault, Outcome

PLUGIN = "plugin"
LISTS = "plugin-lists"


def applies(context: Context) -> bool:
    """Where the recipe has such a library, a consumer that loads it, and the components that it links ship."""
    return context.recipe.plugin is not None and context.recipe.consumer is not None and bool(_components(context))


def _declared(context: Context) -> Plugin:
    if context.recipe.plugin is None:
        raise ValueError("the recipe declares no [plugin]")
    return context.recipe.plugin


def _components(context: Context) -> tuple[Component, ...]:
    """What it links; empty unless all of it ships."""
    names = _declared(context).components
    found = tuple(component for component in context.shipped if component.name in names)
    return found if len(found) == len(names) else ()


def probes(context: Context) -> tuple[Probe, ...]:
    """Build it by the environment's route; list the operators without it and with it, each in a process of its own."""
    plugin = f"{context.folder(PLUGIN)}/build/libapp.so"
    declared = _declared(context)
    lists = tuple(
        Step(
            (program(context, ALL), *(word.replace("{plugin}", plugin) for word in words)),
            context.consumer.seconds,
            always=True,
        )
        for words in (declared.list_, declared.load)
    )
    listing = Probe(LISTS, {}, lists, after=(ALL.name, PLUGIN))
    return (install(context), questions(context), build(context, ALL), _build(context), listing)


def _build(context: Context) -> Probe:
    sources = _declared(context).sources
    text = using(context, _components(context), context.route)
    lines = text.replace("add_executable(app ", "add_library(app MODULE ").replace("@SOURCES@", " ".join(sources))
    files = {source: (context.recipe.folder / source).read_text(encoding="utf-8") for source in sources}
    return Probe(
        id=PLUGIN,
        files={"CMakeLists.txt": head(context, "plugin") + lines, **files},
        steps=(configure(context), compile_and_link()),
        after=(INSTALL,),
    )


def judge(context: Context, answers: Answers) -> Outcome:
    """Compare the lists: what is new counts, not what is there."""
    missing = blame(answers, ALL)
    if missing:
        return not_run(f"{missing.reason}: see {missing.check}")
    fault = _fault(context, answers)
    return Outcome(1, "plug-ins", (fault,) if fault else ())


def _fault(context: Context, answers: Answers) -> Fault | None:
    declared = _declared(context)
    subject = declared.sources[0]
    built = answers[PLUGIN]
    if not built.ok:
        return Fault(subject, "does not build on the package alone", (*finding(_build(context)), *failure(built)))
    before, after = answers[LISTS].steps
    if not before.ok:
        return Fault(subject, "the consumer does not list its operators", evidence(before))
    if not after.ok:
        return Fault(subject, "does not load into the consumer", evidence(after))
    new = _names(after) - _names(before)
    if new == set(declared.adds):
        return None
    there = sorted(set(declared.adds) & _names(before))
    words = f"loading it adds {', '.join(sorted(new)) or 'nothing'}, expected {', '.join(declared.adds)}"
    return Fault(subject, words + (f"; there before: {', '.join(there)}" if there else ""), evidence(after))


def _names(step: StepAnswer) -> set[str]:
    return {line.strip() for line in step.stdout.splitlines() if line.strip()}
