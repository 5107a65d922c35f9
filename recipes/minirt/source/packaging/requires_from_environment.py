"""Gives the distribution its requirements: the CUDA runtime that MINIRT_CUDA_VERSION names, or none.

MINIRT_CUDA_VERSION is the oldest runtime that the wheel is to run with, such as 13.0; a newer one of
the same major will do.  NVIDIA's distributions bear the major in their names up to 12 only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any


def dynamic_metadata(settings: Mapping[str, Any], _project: Mapping[str, Any]) -> dict[str, list[str]]:
    """The hook of scikit-build-core's `[[tool.dynamic-metadata]]`; takes no settings."""
    if settings:
        raise ValueError(f"requires_from_environment takes no settings, it was given {', '.join(settings)}")
    version = os.environ.get("MINIRT_CUDA_VERSION", "")
    if not version:
        return {"dependencies": []}
    if not re.fullmatch(r"(12|13)\.\d+", version):
        raise ValueError(f"MINIRT_CUDA_VERSION is '{version}': set it to a CUDA 12 or 13 such as 13.0, or unset it")
    major = int(version.partition(".")[0])
    name = "nvidia-cuda-runtime-cu12" if major == 12 else "nvidia-cuda-runtime"
    return {"dependencies": [f"{name}>={version},<{major + 1}"]}
