"""K6, K7 or K8 again, in one environment."""

from __future__ import annotations

from orchestrator.errors import UsageError, nearest
from orchestrator.report.model import CheckRecord
from orchestrator.verify.any_package.ask import DATA, data, finding, linking, lists_targets, package_probes, pythons
from orchestrator.verify.any_package.found import TRIED, chosen
from orchestrator.verify.any_package.records import judged, records
from orchestrator.verify.dynamic.findings import Findings
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.needed import Needed
from orchestrator.verify.dynamic.probe import Answers
from orchestrator.verify.dynamic.records import Results
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.dynamic.trial import Trial


def trial(session: Session, check: str, environment: str) -> Trial:
    """The check of every CMake package of the wheel, in the environment of that name.

    Raises:
        UsageError: there is no such check, or no such environment; the known ones are named.
        FetchError: CMake cannot be had.
    """
    if check not in TRIED:
        raise UsageError(f"No check of any CMake package is called '{check}'.", advice=nearest(check, TRIED))
    specs = {session.name_of(spec): spec for spec in session.recipe.cmake.environments} if session.recipe.cmake else {}
    if environment not in specs:
        raise UsageError(f"CMake packages are not tried in '{environment}'.", advice=nearest(environment, specs))
    found = Findings()
    context = session.environment(specs[environment])
    packages = chosen(session.subject.wheel).tried
    probes = (data(context), *(probe for package in packages for probe in package_probes(context, package)))
    own = [DATA, *(finding(context, package).id for package in packages)]
    if check == "K8" and lists_targets(context):
        own += [linking(context, package, python).id for package in packages for python in pythons(context)]

    def judge(answers: Answers) -> Results:
        each = [judged(check, context, package, answers) for package in packages]
        return tuple(one for checks, _ in each for one in checks), tuple(one for _, notes in each for one in notes)

    def refuse(reason: str) -> tuple[CheckRecord, ...]:
        each = [records(check, context, package, not_run(reason))[0] for package in packages]
        return tuple(one for checks in each for one in checks)

    return Trial(
        session=session,
        found=found,
        asks=Needed(session, context, probes, found, session.toolchains(specs[environment], found)),
        own=tuple(own),
        judging=judge,
        refusing=refuse,
    )
