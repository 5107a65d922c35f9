"""A report in which every text that is not ours tries to become markup, script or a command to a terminal."""

from __future__ import annotations

import json
from typing import Any

from orchestrator.report.model import RunReport
from tests.unit.report.samples import whole_report

HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror="window.hacked=1">\' {{ 7 * 7 }}</style>\x1b[31m\u202e&lt;'
)
_OURS = {
    *("verdict", "role", "origin", "kind", "search_kind", "method", "verb", "policy"),
    *("started", "finished", "id"),
}
"""Fields with a fixed set of values, and the ids of checks, which a test makes hostile apart."""


def hostile_report(attack: str = HOSTILE) -> RunReport:
    """The whole sample, each text followed by the same attack."""
    values = json.loads(whole_report().model_dump_json(by_alias=True))
    return RunReport.model_validate_json(json.dumps(_spoilt(values, attack)))


def _spoilt(value: Any, attack: str, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _spoilt(one, attack, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_spoilt(one, attack, name) for one in value]
    return f"{value}{attack}" if isinstance(value, str) and value and name not in _OURS else value
