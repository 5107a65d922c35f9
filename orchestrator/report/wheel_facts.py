"""What a report says about the wheel that was judged."""

from __future__ import annotations

from orchestrator.report.model import WheelFacts
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.platform_tag import measure_tag


def wheel_facts(wheel: Wheel, arch: str) -> WheelFacts:
    """The report's lines about a wheel."""
    measured = measure_tag(wheel, arch) if wheel.libraries else None
    return WheelFacts(
        name=wheel.filename,
        sha256=wheel.sha256,
        size=wheel.size,
        tag_claimed=".".join(sorted({tag.platform for tag in wheel.tags})) or "none",
        tag_measured=measured,
    )
