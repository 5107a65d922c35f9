"""Which check answers for each problem that the wheel's reader met."""

from __future__ import annotations

import re
from enum import Enum, auto

from orchestrator.wheel.model import Wheel


class Owner(Enum):
    """The check that reports a problem."""

    NAMES = auto()
    """K11: names in the archive."""
    LIBRARIES = auto()
    """B6: a library that cannot be read."""
    RECORDS = auto()
    """J7: contents and the files of .dist-info."""


_NAMES = re.compile(r"the name |\d+ members have this name|it is a symbolic link|the archive is not plain")


def problems_of(wheel: Wheel, owner: Owner) -> list[tuple[str, str]]:
    """The reader's problems that one check answers for, as (subject, text)."""
    return [(subject, text) for subject, text in wheel.problems if _owner(wheel, subject, text) is owner]


def _owner(wheel: Wheel, subject: str, text: str) -> Owner:
    if _NAMES.match(text):
        return Owner.NAMES
    if any(library.path == subject and library.error == text for library in wheel.libraries):
        return Owner.LIBRARIES
    return Owner.RECORDS
