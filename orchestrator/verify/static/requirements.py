"""What a wheel declares, for the row at hand."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.verify.subject import StaticSubject


def declared(subject: StaticSubject) -> dict[str, Requirement]:
    """Requirements that a plain installation on the row's machine brings, by canonical name (no extras)."""
    match = re.fullmatch(r"[a-z]+(\d)(\d+)", subject.row.python)
    environment = {
        "extra": "",
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": subject.row.arch,
        **({"python_version": f"{match[1]}.{match[2]}"} if match else {}),
    }
    return {
        canonicalize_name(requirement.name): requirement
        for requirement in subject.wheel.requirements
        if requirement.marker is None or requirement.marker.evaluate(environment)
    }


def belongs_to_requirement(folder: str, names: set[str]) -> str | None:
    """The declared distribution that installs the top-level folder of a path below site-packages, if any.

    Only names that tell are trusted: `librmm/lib64` belongs to `librmm-cu12`, `torch/lib` to `torch`.
    """
    top = canonicalize_name(folder.partition("/")[0])
    return next((name for name in sorted(names) if re.sub(r"-cu\d+$", "", name) == top), None)
