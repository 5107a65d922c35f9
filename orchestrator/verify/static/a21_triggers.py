"""A21: a change of anything that ships starts the project's workflow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.recipe.model import Recipe
from orchestrator.recipe.promises import Workflow
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.project_files import project_file
from orchestrator.verify.static.workflows import Trigger, WorkflowError, files_below, root_of, triggers
from orchestrator.verify.subject import StaticSubject

SHOWN = 5
"""How many files are shown of those that start nothing."""


def applies(subject: StaticSubject) -> bool:
    """The recipe names a workflow, and what it must cover."""
    return subject.recipe is not None and bool(subject.recipe.workflow)


def check(subject: StaticSubject) -> Outcome:
    """Asked for each file that is there, of each event of changes: two filters of one workflow drift apart."""
    recipe = subject.recipe
    assert recipe is not None  # applies() says so
    faults: list[Fault] = []
    inspected = 0
    for workflow in recipe.workflow:
        try:
            root, found = root_of(workflow), triggers(subject, recipe, workflow)
        except WorkflowError as error:
            faults.append(Fault(workflow.file, str(error)))
            continue
        for covered in workflow.covers:
            files = _files(subject, recipe, root, covered)
            inspected += len(files)
            faults += _uncovered(workflow, found, covered, files)
    return Outcome(inspected, "files", tuple(faults))


def _files(subject: StaticSubject, recipe: Recipe, root: str, covered: str) -> tuple[str, ...]:
    """What is covered, relative to the repository's root; the recipe's document is left to I2."""
    document = recipe.document.file if recipe.document else ""
    prefix = f"{root}/" if root else ""
    below = files_below(project_file(subject, recipe, prefix + covered))
    paths = ((covered + rest).removeprefix("./") for rest in below)
    return tuple(path for path in paths if prefix + path != document)


def _uncovered(workflow: Workflow, found: Sequence[Trigger], covered: str, files: Sequence[str]) -> Iterator[Fault]:
    if not files:
        yield Fault(workflow.file, f"must cover '{covered}', which its repository does not have")
        return
    for trigger in found:
        left = [path for path in files if not trigger.covers(path)]
        if left:
            more = f", and of {len(left) - 1} more files in '{covered}'," if len(left) > 1 else ""
            reason = f"a change of {left[0]}{more} does not start it by {trigger.event}"
            yield Fault(workflow.file, reason, (*left[:SHOWN], *trigger.rules))
