"""J5: the tag claims no older system than the symbols need."""

from __future__ import annotations

import re
from functools import cache

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.platform_tag import (
    GlibcVersion,
    measure_tag,
    measure_versions,
    policies,
    system_versions,
    tag_glibc,
)

_GLIBC = re.compile(r"GLIBC_(\d{1,4})\.(\d{1,4})(?:\.\d{1,4})?")


def applies(subject: StaticSubject) -> bool:
    """A tag or the recipe promises a system, and something is linked dynamically."""
    return bool(_promises(subject) or _musl(subject)) and bool(dynamic(subject.wheel))


def check(subject: StaticSubject) -> Outcome:
    """On a system that the tag promises but the symbols do not, the loader refuses: version not found.

    auditwheel's policies decide.  A promise between two of them is held against the next newer one,
    and the C library's own versions against the promise itself.  musllinux has no symbol versions.
    """
    files = dynamic(subject.wheel)
    if _musl(subject):
        return Outcome(len(files), "ELF files", not_run="musl has no symbol versions to measure a musllinux tag by")
    arch = subject.row.arch
    if policies(arch) is None:
        return Outcome(len(files), "ELF files", not_run=f"auditwheel has no policy for {arch}")
    promise, name = min(_promises(subject))
    measured = measure_tag(subject.wheel, arch)
    faults = []
    for path, needs in sorted(system_versions(subject.wheel).items()):
        evidence = tuple(
            f"needs {version} of {library}"
            for library, versions in sorted(needs.items())
            for version in sorted(versions, key=_order)
            if not _allowed(version, promise, arch)
        )
        if evidence:
            own = measure_versions({version for versions in needs.values() for version in versions}, arch)
            need = f"need {own}" if tag_glibc(own) else "are in no manylinux policy"
            faults.append(Fault(path, f"promised to run on {name}, its symbols {need}", evidence))
    return Outcome(len(files), "ELF files", tuple(faults), evidence=(f"measured {measured}",))


def _promises(subject: StaticSubject) -> set[tuple[GlibcVersion, str]]:
    names = {tag.platform for tag in subject.wheel.tags}
    if subject.recipe and not _musl(subject):
        names.add(f"{subject.recipe.matrix.tag}_{subject.row.arch}")
    return {(glibc, name) for name in names if (glibc := tag_glibc(name))}


def _musl(subject: StaticSubject) -> bool:
    return any(tag.platform.startswith("musllinux") for tag in subject.wheel.tags)


@cache
def _allowed(version: str, promise: GlibcVersion, arch: str) -> bool:
    if match := _GLIBC.fullmatch(version):
        return (int(match[1]), int(match[2])) <= promise
    needed = tag_glibc(measure_versions({version}, arch))
    tables = policies(arch)
    known = sorted(glibc for policy in tables or () if (glibc := tag_glibc(policy.name)))
    limit = next((glibc for glibc in known if glibc >= promise), None)
    return limit is None or (needed is not None and needed <= limit)


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version))
