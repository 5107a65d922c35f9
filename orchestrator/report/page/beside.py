"""What the page shows that no report holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.report.rule import Rule


@dataclass(frozen=True)
class Remark:
    """A word about a row, such as `new failure`, and what is to be known of it."""

    word: str
    more: str = ""


@dataclass(frozen=True)
class Beside:
    """Texts and places beside the report.

    `rules` are the texts of checks by id, the strongest check first; `logs` says where the logs of a row lie that
    are not below the page's folder, and `remarks` what is to be said of a row, both by its name, what matters most
    first; `notices` are told before all rows.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    logs: Mapping[str, Path] = field(default_factory=dict)
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


NOTHING = Beside()
