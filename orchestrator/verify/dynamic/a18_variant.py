"""A18: a variant ships and requires what it is said to, no more and no less, and its programs run."""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.recipe.model import Variant
from orchestrator.verify.dynamic import c6_imports
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.guards import not_installed, not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answers, Probe, Step, unique
from orchestrator.verify.dynamic.python_side import link, python, ready
from orchestrator.verify.dynamic.texts import evidence
from orchestrator.verify.members_like import members_like
from orchestrator.verify.outcome import Fault, Outcome

RUNS = "variant-runs"
RUN_SECONDS = 300.0

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")

# With `-m` and `-c` as the interpreter itself takes them, beside what is installed: isolated mode ignores PYTHONPATH.
_START = (
    "import runpy, sys; sys.path.insert(0, sys.argv[1]); kind, what = sys.argv[2:4]; sys.argv = sys.argv[3:]; "
    "runpy.run_module(what, run_name='__main__', alter_sys=True) if kind == '-m' "
    "else exec(what, {'__name__': '__main__'})"
)


def applies(context: Context) -> bool:
    """Where the row's variant says any of it."""
    variant = _variant(context)
    return bool(variant.forbids or variant.only_requires is not None or variant.runs)


def probes(context: Context) -> tuple[Probe, ...]:
    """Run each of the variant's programs in a process of its own."""
    variant = _variant(context)
    if not variant.runs or not c6_imports.at_hand(context):
        return ()
    steps = tuple(
        Step((*python(context), "-c", _START, context.places.site, *arguments), RUN_SECONDS, always=True)
        for arguments in variant.runs
    )
    asked = Probe(RUNS, {}, steps, after=ready(context))
    return unique([install(context), *link(context), *c6_imports.probes(context), asked])


def judge(context: Context, answers: Answers) -> Outcome:
    """Members and requirements are read; each program must exit with 0."""
    variant = _variant(context)
    faults = [*_shipped(context, variant), *_required(context, variant)]
    count = len(variant.forbids) + (variant.only_requires is not None) + len(variant.runs)
    if not faults and variant.runs:
        if not c6_imports.at_hand(context):
            return not_run(c6_imports.why_not(context))
        missing = not_installed(context, answers, "A18")
        if missing is not None:
            return missing
        broken = c6_imports.faults(context, answers)
        for arguments, step in zip(variant.runs, answers[RUNS].steps, strict=True):
            if not step.ok and broken:
                return not_run(f"{broken[0].subject} {broken[0].reason}: see C6")
            if not step.ok:
                faults.append(Fault(" ".join(arguments), "does not run beside the installed wheel", evidence(step)))
    return Outcome(count, "promises of the variant", tuple(faults))


def _variant(context: Context) -> Variant:
    return context.recipe.variants[context.subject.row.variant]


def _shipped(context: Context, variant: Variant) -> Iterable[Fault]:
    for glob in variant.forbids:
        found = members_like(context.subject.wheel.names, glob)
        if found:
            yield Fault(glob, "ships, and this variant must not have it", tuple(found[:12]))


def _required(context: Context, variant: Variant) -> Iterable[Fault]:
    if variant.only_requires is None:
        return
    wheel = context.subject.wheel
    wanted = {_spelling(Requirement(one)): one for one in variant.only_requires}
    declared = {_spelling(one): str(one) for one in wheel.requirements if not _is_extra(one)}
    for spelling in sorted(declared.keys() - wanted.keys()):
        yield Fault(declared[spelling], "is required, and the recipe does not say so", (f"{wheel.dist_info}/METADATA",))
    for spelling in sorted(wanted.keys() - declared.keys()):
        yield Fault(wanted[spelling], "is not required any more", (f"{wheel.dist_info}/METADATA",))


def _spelling(one: Requirement) -> tuple[str, ...]:
    """One spelling of the same requirement: its order of clauses and extras does not matter (PEP 508)."""
    clauses = sorted(str(clause) for clause in one.specifier)
    extras, marker, url = ",".join(sorted(one.extras)), str(one.marker or ""), one.url or ""
    return (canonicalize_name(one.name), extras, ",".join(clauses), marker, url)


def _is_extra(one: Requirement) -> bool:
    """Whether only an extra brings it: its marker names the variable `extra` (PEP 508), not a text of that name."""
    return one.marker is not None and re.search(r"\bextra\b", _QUOTED.sub("", str(one.marker))) is not None
