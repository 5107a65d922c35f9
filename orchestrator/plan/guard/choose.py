"""What is left of a given matrix: all rows of a release, or the one of a pull request; nothing is completed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from orchestrator.plan.guard.given import GivenRow
from orchestrator.plan.guard.refusal import RefusedMatrixError
from orchestrator.plan.guard.rules import (
    COMPLETE,
    NOT_EMPTY,
    ONE_FOR_PULL_REQUESTS,
    REFUSED_FAMILIES,
    VARIANTS_THERE,
)
from orchestrator.plan.policy import Policy
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.processor import Processor

ALL = "all"
"""In a processor's place: the matrix is for all of the policy's."""

Key = tuple[str, str | None, str]
"""Variant, processor and Python, such as 3.10."""


@dataclass(frozen=True)
class Chosen:
    """The rows that are left, as they were found and in their order; and those that were dropped.

    `arches` are the processors that the matrix was held against.
    """

    rows: tuple[GivenRow, ...]
    dropped: tuple[GivenRow, ...]
    arches: tuple[str, ...]


def choose_release(
    rows: Sequence[GivenRow],
    policy: Policy,
    recipe: str,
    source: str,
    *,
    arch: Processor | Literal["all"] | None = None,
) -> Chosen:
    """Exactly the policy's rows; those for `arch`, if the matrix is for one processor.

    Without `arch` that is the one of all its rows that a recipe can know, or any of the policy's.  `recipe` is the
    name of the policy's, `source` that of the matrix.

    Raises:
        RefusedMatrixError: a refused family, a row twice, none of the policy's rows, a variant or a row missing.
    """
    _check_families(rows, policy, source)
    _check_once(rows, source)
    arches = _arches(rows, policy, arch)
    wanted = {_wanted(row): row for row in policy.rows(recipe) if row.arch in arches}
    kept = {_key(row): row for row in rows if _key(row) in wanted}
    if not kept:
        reason = f"none of its rows is the policy's for {' or '.join(arches)}, so nothing would be built"
        raise RefusedMatrixError(NOT_EMPTY, source, reason, _counted(rows))
    _check_complete(set(kept), wanted, source)
    return Chosen(tuple(kept.values()), tuple(row for row in rows if _key(row) not in wanted), arches)


def choose_pull_request(
    rows: Sequence[GivenRow], policy: Policy, source: str, *, arch: Processor | None = None
) -> Chosen:
    """The one row of a pull request: the policy's, or the nearest to it among those of a release (A6).

    It is for `arch`, or else for the policy's processor.

    CUDA counts before Python.  Of what is not newer than wanted the newest is nearest; what is newer comes after
    all that is not, the oldest first.  No CUDA is older than any.

    Raises:
        RefusedMatrixError: a refused family, a row twice, no row of a release for that processor.
    """
    _check_families(rows, policy, source)
    _check_once(rows, source)
    wanted, release = policy.pull_request, policy.release
    on = arch or wanted.arch
    allowed = [
        row
        for row in rows
        if row.named.variant in release.variants and row.named.arch == on and row.python in release.python
    ]
    if not allowed:
        reason = f"none of its rows is one of a release for {on}, so a pull request would build nothing"
        raise RefusedMatrixError(ONE_FOR_PULL_REQUESTS, source, reason, _counted(rows))

    def rank(row: GivenRow) -> tuple[bool, Distance, bool, Distance]:
        variant, python = row.named.variant, row.python
        return (
            variant != wanted.variant,
            distance(variant, wanted.variant),
            python != wanted.python,
            distance(python, wanted.python),
        )

    one = min(allowed, key=rank)
    return Chosen((one,), tuple(row for row in rows if row is not one), (on,))


Distance = tuple[bool, tuple[int, ...]]


def distance(found: str, wanted: str) -> Distance:
    """What sorts versions by their nearness to the one that is wanted: the last numbers of cuda-13.0, or of 3.10."""
    this, that = _numbers(found), _numbers(wanted)
    return (True, this) if this > that else (False, tuple(-number for number in this))


def _numbers(text: str) -> tuple[int, int]:
    match = re.search(r"([0-9]+)\.([0-9]+)$", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _key(row: GivenRow) -> Key:
    return row.named.variant, row.named.arch, row.python


def _wanted(row: Row) -> Key:
    return row.variant, row.arch, python_version(row.python)


def _check_families(rows: Sequence[GivenRow], policy: Policy, source: str) -> None:
    for refused in policy.refused:
        word = re.compile(rf"(?<![a-z]){re.escape(refused.family)}(?![a-z])", re.IGNORECASE)
        found = [row.text for row in rows if any(word.search(name) for name in row.names)]
        if found:
            reason = f"it has rows of '{refused.family}', which the policy refuses: {refused.reason}"
            raise RefusedMatrixError(REFUSED_FAMILIES, source, reason.rstrip("."), found)


def _check_once(rows: Sequence[GivenRow], source: str) -> None:
    times = Counter((row.fields["gpu_arch_type"], row.named.variant, row.python) for row in rows)
    twice = [f"{', '.join(names)}: {count} times" for names, count in times.items() if count > 1]
    if twice:
        raise RefusedMatrixError(COMPLETE, source, f"it has a row more than once: {twice[0]}", twice[1:])


def _arches(rows: Sequence[GivenRow], policy: Policy, arch: Processor | Literal["all"] | None) -> tuple[str, ...]:
    if arch == ALL:
        return policy.release.arch
    if arch is not None:
        return (arch,)
    found = {row.named.arch for row in rows if row.named.arch is not None}
    return tuple(sorted(found)) if len(found) == 1 else policy.release.arch


def _counted(rows: Sequence[GivenRow]) -> list[str]:
    return [f"{count} of {text}" for text, count in Counter(row.named.text for row in rows).items()]


def _check_complete(found: Set[Key], wanted: Mapping[Key, Row], source: str) -> None:
    """Refuse what lacks a row; a variant that is absent altogether is named first, since the Pythons are not why."""
    there = {(variant, arch) for variant, arch, _ in found}
    missing = {key: row for key, row in wanted.items() if key not in found}
    absent = list(dict.fromkeys((variant, arch) for variant, arch, _ in wanted if (variant, arch) not in there))
    singly = [row.id for (variant, arch, _), row in missing.items() if (variant, arch) in there]
    if absent:
        names = ", ".join(f"{variant} on {arch}" for variant, arch in absent)
        also = [f"it also lacks {row}" for row in singly]
        raise RefusedMatrixError(VARIANTS_THERE, source, f"it has no row at all for {names}", also)
    if missing:
        raise RefusedMatrixError(COMPLETE, source, f"it lacks {singly[0]}", [f"it lacks {row}" for row in singly[1:]])
