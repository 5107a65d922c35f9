"""A survey sees what the engine has and leaves it as it was."""

from __future__ import annotations

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.survey import survey

pytestmark = pytest.mark.container


def test_only_images_that_exist_are_present(engine: Engine, runtime_image: str) -> None:
    found = survey([runtime_image, "wheel-orchestrator/absent:none"])
    assert found.images == {runtime_image}
    assert found.info == engine.info
