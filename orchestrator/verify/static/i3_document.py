"""I3: the document is there, with its heading and its example."""

from __future__ import annotations

from orchestrator.verify.document import find_example
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe names a document."""
    return subject.recipe is not None and subject.recipe.document is not None


def check(subject: StaticSubject) -> Outcome:
    """What is missing cannot be built, and must not pass for that: I1 then did not run."""
    recipe = subject.recipe
    assert recipe is not None  # applies() says so
    assert recipe.document is not None
    example = find_example(subject)
    if example.problem:
        return Outcome(1, "documents", (Fault(recipe.document.file, example.problem),))
    lines = example.code.count("\n")
    return Outcome(1, "documents", evidence=(f"{recipe.document.file}, line {example.line}: {lines} lines of C++",))
