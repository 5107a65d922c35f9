"""I2: a change of the document starts the project's workflow."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.recipe.promises import Workflow
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.project_files import project_file
from orchestrator.verify.static.workflows import WorkflowError, root_of, triggers
from orchestrator.verify.subject import StaticSubject


def applies(subject: StaticSubject) -> bool:
    """The recipe names a document that lies in the repository of a workflow that it names."""
    return any(_places(subject))


def check(subject: StaticSubject) -> Outcome:
    """Nothing would build an example whose edit starts no workflow.  A workflow that cannot be read is A21's."""
    recipe = subject.recipe
    assert recipe is not None  # applies() says so
    assert recipe.document is not None
    if not project_file(subject, recipe, recipe.document.file).is_file():
        return Outcome(0, "triggers", not_run="the document does not exist: see I3")
    faults, inspected = [], 0
    for workflow, path in _places(subject):
        try:
            found = triggers(subject, recipe, workflow)
        except WorkflowError:
            continue
        for trigger in found:
            inspected += 1
            if not trigger.covers(path):
                reason = f"a change of {path} does not start {workflow.file} by {trigger.event}"
                faults.append(Fault(path, reason, trigger.rules))
    if not inspected:
        return Outcome(0, "triggers", not_run="no workflow that holds the document can be read: see A21")
    return Outcome(inspected, "triggers", tuple(faults))


def _places(subject: StaticSubject) -> Iterator[tuple[Workflow, str]]:
    """Each workflow whose repository holds the document, and the document's path there."""
    recipe = subject.recipe
    if recipe is None or recipe.document is None:
        return
    for workflow in recipe.workflow:
        try:
            root = root_of(workflow)
        except WorkflowError:
            continue
        prefix = f"{root}/" if root else ""
        if recipe.document.file.startswith(prefix):
            yield workflow, recipe.document.file.removeprefix(prefix)
