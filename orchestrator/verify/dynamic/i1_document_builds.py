"""I1: the document's example builds with the components that it names, and runs."""

from __future__ import annotations

from orchestrator.recipe.sdk import Component, Document
from orchestrator.verify.document import find_example
from orchestrator.verify.dynamic.consumers import ALL, blame, build, only, run
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_found, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL, compile_and_link, configure, head, using
from orchestrator.verify.dynamic.questions import configure_failed, missing_paths, questions
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome

DOCUMENT = "document"
RUN_SECONDS = 60.0


def applies(context: Context) -> bool:
    """The recipe names a document."""
    return context.recipe.document is not None


def probes(context: Context) -> tuple[Probe, ...]:
    """The example as a program; the recipe's consumer tells whether the package works at all."""
    found = [install(context), questions(context)]
    if context.recipe.consumer is not None:
        found.append(build(context, ALL))
        found += [run(context, ALL, model) for model in context.host_models[:1]]
    if not _obstacle(context):
        found.append(_example(context))
    return tuple(found)


def judge(context: Context, answers: Answers) -> Outcome:
    """Its steps are configure, build and, where the recipe gives arguments, run."""
    unasked = _obstacle(context) or _package_fault(context, answers)
    if unasked:
        return not_run(unasked)
    document = _document(context)
    answer = answers[DOCUMENT]
    if answer.ok:
        return Outcome(1, "documented examples")
    done = sum(step.ok for step in answer.steps)
    names = ", ".join(component.name for component in _components(context))
    reason = (
        f"the example does not configure with {names}",
        f"the example does not build with {names}",
        "the example builds, and does not run",
    )[done]
    line = find_example(context.subject).line
    return Outcome(1, "documented examples", (Fault(f"{document.file}, line {line}", reason, failure(answer)),))


def _example(context: Context) -> Probe:
    document = _document(context)
    text = using(context, _components(context), context.route).replace("@SOURCES@", "main.cpp")
    steps = [configure(context), compile_and_link()]
    if document.run is not None:
        models = context.host_models or context.recipe.model  # there is no GPU here
        model = f"{context.places.models}/{models[0].file}" if models else ""
        words = tuple(word.replace("{model}", model) for word in document.run)
        steps.append(Step((f"{context.folder(DOCUMENT)}/build/app", *words), RUN_SECONDS))
    example = find_example(context.subject)
    # The compiler then names the document's lines.
    code = f'#line {example.line} "{document.file}"\n{example.code}'
    return Probe(
        id=DOCUMENT,
        files={"CMakeLists.txt": head(context, DOCUMENT) + text, "main.cpp": code},
        steps=tuple(steps),
        after=(INSTALL,),
    )


def _document(context: Context) -> Document:
    assert context.recipe.document is not None  # applies() says so
    return context.recipe.document


def _components(context: Context) -> tuple[Component, ...]:
    """The runtime, and what the document says that its example needs."""
    named = _document(context).components
    return tuple(one for one in context.recipe.component if one == context.runtime or one.name in named)


def _obstacle(context: Context) -> str | None:
    """Why there is no example to build here."""
    if find_example(context.subject).problem:
        return "there is no example: see I3"
    missing = [one.name for one in _components(context) if one not in context.shipped]
    return f"the component '{missing[0]}' does not ship: see B2" if missing else None


def _package_fault(context: Context, answers: Answers) -> str | None:
    """Why the package itself is at fault, and which check says so."""
    unasked = not_found(context, answers)
    if unasked:
        return unasked.not_run
    if configure_failed(answers) and not context.package.python:
        return "the package ends a configure, or does not generate: see D2"
    if missing_paths(answers)[0]:
        return "the package hands out paths that do not exist: see K7"
    if context.recipe.consumer is None:
        return None
    missing = blame(answers, ALL)
    if missing:
        return f"{missing.reason}: see {missing.check}"
    broken = [model.name for model in context.host_models[:1] if not only(answers, run(context, ALL, model).id).ok]
    return f"the model {broken[0]} does not run: see G1" if broken else None
