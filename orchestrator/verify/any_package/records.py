"""What is recorded of K6, K7 and K8 for one CMake package in one environment."""

from __future__ import annotations

from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.report.rule import Rule
from orchestrator.report.words import number
from orchestrator.verify.any_package.ask import lists_targets
from orchestrator.verify.any_package.found import TRIED, FoundPackage
from orchestrator.verify.any_package.judge import found, generates, paths
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.records import Results
from orchestrator.verify.outcome import Outcome

RULES: dict[str, Rule] = {rule.id: rule for rule in (*STATIC_CHECKS, *DYNAMIC_CHECKS) if rule.id in TRIED}


def judged(id_: str, context: Context, package: FoundPackage, answers: Answers) -> Results:
    """One of the three; nothing where the package, or this CMake, has not what the check is about."""
    if id_ == "K6":
        return records(id_, context, package, found(context, answers, package))
    if not lists_targets(context):
        return (), ()
    return records(id_, context, package, (paths if id_ == "K7" else generates)(context, answers, package))


def records(id_: str, context: Context, package: FoundPackage, outcome: Outcome | None) -> Results:
    """The records and notes of an outcome; none of none."""
    if outcome is None:
        return (), ()

    def record(verdict: Verdict, subject: str, reason: str, evidence: tuple[str, ...] = ()) -> CheckRecord:
        return RULES[id_].record(verdict, subject, reason, evidence, environment=context.name)

    notes = tuple(RULES[id_].note(one.subject, one.text) for one in outcome.remarks)
    if outcome.not_run is not None:
        return (record(Verdict.NOT_RUN, package.config, outcome.not_run),), notes
    if outcome.faults:
        return tuple(record(Verdict.FAIL, one.subject, one.reason, one.evidence) for one in outcome.faults), notes
    return (record(Verdict.PASS, package.config, f"inspected {number(outcome.inspected, outcome.what)}"),), notes
