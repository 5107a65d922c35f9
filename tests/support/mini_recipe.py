"""The smallest recipe, parts to put into it, and what loading it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.recipe.load import load_recipe

MINIMAL = """
[project]
name = "mini"
import = "mini"
source = { path = "source" }
[build]
requires-lock = "build.lock"
version = "1.0"
[variants.cpu]
local = "cpu"
[matrix]
python = ["3.11"]
"""
PACKAGE = """[cmake]
package = "mini"
floor = "3.24"
targets-from = "3.28"
prefixes = ["mini"]
environments = [{ cmake = "4.4.5", generator = "Ninja" }]
[consumer]
name = "app"
sources = ["gone.cpp"]
"""
"""Needs `gone.cpp` beside the recipe."""
POOL = '[[component]]\nname="pool"\nlibrary="libpool.so"\n'


def refusal(recipes: Path, text: str) -> str:
    """What loading `text` as the recipe says."""
    (recipes / "mini" / "recipe.toml").write_text(text)
    with pytest.raises(RecipeError) as caught:
        load_recipe("mini", recipes)
    return str(caught.value)
