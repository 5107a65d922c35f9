"""Why a question cannot be judged: the one that it stands on failed, and another check says so."""

from __future__ import annotations

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.install import why_not_installed
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.project import INSTALL
from orchestrator.verify.dynamic.questions import TARGETS, replies
from orchestrator.verify.dynamic.texts import failure
from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static import h2_cuda_requirements

WRONG_REQUIREMENTS = "the wheel's CUDA requirements are not the row's: see H2"


def has_wrong_requirements(context: Context) -> bool:
    """Whether H2 fails: what then is not installed, or not found, is its fault."""
    return h2_cuda_requirements.applies(context.subject) and bool(h2_cuda_requirements.check(context.subject).faults)


def not_run(reason: str) -> Outcome:
    """An outcome that only says why the check did not run."""
    return Outcome(0, "", not_run=reason)


def not_found(context: Context, answers: Answers) -> Outcome | None:
    """Not run, because CMake does not get at the package; None if it does.  D2 reports that."""
    reason = why_not_installed(answers)
    if reason:
        return not_run(f"{reason}: see D2")
    reply = replies(answers).get(TARGETS)
    if reply is None:
        return not_run(f"find_package({context.package.package}) ends the configure: see D2")
    if not reply.found:
        return not_run("CMake does not find the package: see D2")
    return None


def install_owner(context: Context) -> str:
    """The check that fails where the wheel does not install in the image with the row's Python.

    D2 and C10 where they are asked in that image too; elsewhere what Python runs, or else imports.
    """
    recipe = context.recipe
    environments = recipe.cmake.environments if recipe.cmake else ()
    if context.image in {one.image or recipe.images.test for one in environments}:
        return "D2"
    if recipe.cmake is None and context.subject.row.is_cuda and context.image == recipe.images.test:
        return "C10"
    return "G6" if context.scripts_host_models else "C6"


def not_installed(context: Context, answers: Answers, asker: str) -> Outcome | None:
    """What a check of that image says where pip does not install the wheel; None if it does."""
    reason = why_not_installed(answers)
    if reason is None:
        return None
    if has_wrong_requirements(context):
        return not_run(WRONG_REQUIREMENTS)
    owner = install_owner(context)
    if owner != asker:
        return not_run(f"{reason}: see {owner}")
    return Outcome(1, "wheels", (Fault(context.subject.wheel.filename, reason, failure(answers[INSTALL])),))
