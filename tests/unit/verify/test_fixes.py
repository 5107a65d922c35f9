"""Advice that leads to a key of the recipe names a key that a recipe has."""

from __future__ import annotations

import pytest

from orchestrator.recipe.model import Build
from orchestrator.recipe.sdk import CMakePackage
from orchestrator.report.rule import Rule
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS

RULES: dict[str, Rule] = {rule.id: rule for rule in (*STATIC_CHECKS, *DYNAMIC_CHECKS)}
KEYS = {
    f"{table}.{name.replace('_', '-')}"
    for table, part in (("build", Build), ("cmake", CMakePackage))
    for name in part.model_fields
}


@pytest.mark.parametrize(
    ("check", "key", "value"),
    [
        ("D3", "cmake.components", " = false in the recipe"),
        ("G1", "cmake.components", " = false in the recipe"),
        ("D15", "cmake.relocatable-targets", " = false in the recipe"),
        ("F2", "cmake.relocatable-targets", " = false in the recipe"),
        ("F3", "cmake.relocatable-targets", " = false in the recipe"),
        ("J6", "build.version-variable", ""),
    ],
)
def test_fixes_name_the_recipes_keys(check: str, key: str, value: str) -> None:
    assert key in KEYS
    assert f"{key}{value}" in RULES[check].fix
