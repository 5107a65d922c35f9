"""Tests are the same as a step of GitHub Actions as elsewhere: what they run must not speak to that step."""

from __future__ import annotations

import os

for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(name, None)
