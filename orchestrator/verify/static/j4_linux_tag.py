"""J4: a wheel is tagged `linux` if and only if its recipe says so; no system is then measured for it."""

from __future__ import annotations

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static import j5_baseline
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.platform_tag import measure_tag


def applies(subject: StaticSubject) -> bool:
    """A recipe says how its wheels are tagged, and this one is for some Linux."""
    return subject.recipe is not None and bool(_platforms(subject))


def check(subject: StaticSubject) -> Outcome:
    """Libraries of another distribution, such as torch's, are on no policy's list: a policy's tag would promise them.

    A wheel that had to be tagged `linux` because of its own symbols is J5's.
    """
    assert subject.recipe is not None  # applies() says so
    wheel, promised = subject.wheel, subject.recipe.matrix.tag
    platforms = _platforms(subject)
    plain = [platform for platform in platforms if _is_plain(platform)]
    claimed = [platform for platform in platforms if not _is_plain(platform)]
    faults = []
    if promised == "linux" and claimed:
        faults.append(Fault(wheel.filename, f"is tagged {', '.join(claimed)}, its recipe says linux: {_WHY}"))
    elif promised != "linux" and plain and not _needs_newer(subject):
        reason = f"is tagged {', '.join(plain)}, which no index takes; its recipe says {promised}"
        faults.append(Fault(wheel.filename, reason))
    measured = (f"measured {measure_tag(wheel, subject.row.arch)}",) if dynamic(wheel) else ()
    return Outcome(len(platforms), "platform tags", tuple(faults), evidence=measured)


_WHY = "it needs libraries that no policy allows"


def _platforms(subject: StaticSubject) -> list[str]:
    names = {tag.platform for tag in subject.wheel.tags}
    return sorted(name for name in names if _is_plain(name) or name.startswith("manylinux"))


def _is_plain(platform: str) -> bool:
    return platform.startswith("linux_")


def _needs_newer(subject: StaticSubject) -> bool:
    """Whether the symbols need more than the recipe promises."""
    return j5_baseline.applies(subject) and bool(j5_baseline.check(subject).faults)
