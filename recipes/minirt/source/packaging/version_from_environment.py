"""Gives the distribution its version: MINIRT_VERSION if set, else the content of the file VERSION."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def dynamic_metadata(settings: Mapping[str, Any], _project: Mapping[str, Any]) -> dict[str, str]:
    """The hook of scikit-build-core's `[[tool.dynamic-metadata]]`; takes no settings."""
    if settings:
        raise ValueError(f"version_from_environment takes no settings, it was given {', '.join(settings)}")
    static = Path(__file__).parent.parent / "VERSION"
    return {"version": os.environ.get("MINIRT_VERSION") or static.read_text(encoding="utf-8").strip()}
