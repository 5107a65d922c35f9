"""A folder of recipes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mini_recipe import MINIMAL


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    """A folder of recipes that holds one, `mini`."""
    folder = tmp_path / "recipes"
    (folder / "mini" / "source").mkdir(parents=True)
    (folder / "mini" / "build.lock").write_text("")
    (folder / "mini" / "recipe.toml").write_text(MINIMAL)
    return folder
