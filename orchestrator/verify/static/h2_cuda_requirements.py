"""H2: the CUDA requirements of a CUDA wheel are exactly those of its train."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.nvidia import is_cuda_distribution
from orchestrator.verify.static.requirements import installed
from orchestrator.verify.subject import StaticSubject

Wanted = tuple[SpecifierSet, frozenset[str], str]
"""Versions, extras and URL of a requirement: what must agree beside its name."""


def applies(subject: StaticSubject) -> bool:
    """A CUDA row of a recipe."""
    return subject.recipe is not None and subject.row.is_cuda


def check(subject: StaticSubject) -> Outcome:
    """Names and versions are compared as sets: METADATA may write `<14,>=13` for `>=13,<14`.

    Conditional requirements count if the row's machine installs them.  A train's requirement that is
    missing, one of another train and one with other bounds are different mistakes, told apart.
    """
    variant = subject.recipe.variants.get(subject.row.variant) if subject.recipe else None
    wanted = _by_name(installed(subject, map(Requirement, variant.requires if variant else ())))
    everything = _by_name(installed(subject, subject.wheel.requirements))
    found = {name: one for name, one in everything.items() if name in wanted or is_cuda_distribution(name)}
    evidence = (f"expected {_list(wanted)}", f"found {_list(found)}")
    faults = []
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            reason = f"the requirement {_text(name, wanted[name])} is missing"
        elif name not in wanted:
            reason = f"the CUDA requirement {_text(name, found[name])} is not one of this row's"
        elif wanted[name] != found[name]:
            reason = f"is required as {_text(name, found[name])}, and this row's is {_text(name, wanted[name])}"
        else:
            continue
        faults.append(Fault(name, reason, evidence))
    return Outcome(1, "list of requirements", tuple(faults), evidence=(evidence[1],))


def _by_name(requirements: Iterable[Requirement]) -> dict[str, Wanted]:
    """Requirements by canonical name; several of one name hold together."""
    found: dict[str, Wanted] = {}
    for one in requirements:
        name = canonicalize_name(one.name)
        versions, extras, url = found.get(name, (SpecifierSet(), frozenset[str](), ""))
        found[name] = (versions & one.specifier, extras | one.extras, one.url or url)
    return found


def _text(name: str, wanted: Wanted) -> str:
    versions, extras, url = wanted
    listed = f"[{','.join(sorted(extras))}]" if extras else ""
    return f"{name}{listed}{f' @ {url}' if url else versions}"


def _list(requirements: dict[str, Wanted]) -> str:
    return ", ".join(_text(name, requirements[name]) for name in sorted(requirements)) or "none"
