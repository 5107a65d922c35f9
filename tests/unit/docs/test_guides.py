"""Guides say what is: toolkit versions, keys of recipes and the checks that ask for them, jobs of the workflow."""

from __future__ import annotations

import json
import re
import typing
from typing import Any

import pytest
import yaml

from orchestrator.cli.explanations import explained
from orchestrator.ground.sessions import ROOT
from orchestrator.plan.workflow.pins import load_pins
from orchestrator.plan.workflow.write import workflow_yaml
from orchestrator.recipe.load import load_recipe, recipe_schema
from orchestrator.recipe.model import Build
from orchestrator.secrets import CONFIGURED, PATTERNS
from orchestrator.store.cuda_parts import known_trains, read_toolkit_locks
from orchestrator.store.toolchain import LOCKS
from orchestrator.verify.dynamic.context import Scope
from orchestrator.verify.static.nvidia import cuda_library
from tests.support.markdown import section, table

SCHEMA: dict[str, Any] = recipe_schema()


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("row", table(page("cuda.md"), "Toolkits"), ids=lambda row: row[0])
def test_toolkit_versions_are_the_locks(row: list[str]) -> None:
    claims = read_toolkit_locks(row[0], "x86_64", LOCKS).claims
    assert row[1:4] == [claims["nvcc"], claims["ptxas"], claims["cudart"]]


def test_what_a_cuda_variant_must_have_are_keys_requirements_and_folders_that_are_known() -> None:
    text = section(page("cuda.md"), "What a variant must have")
    keys = {name.replace("_", "-") for name in Build.model_fields}
    named = set(re.findall(r"`build\.([\w-]+)`", text))
    assert named == {"arch-variable", "cuda-switch", "version-variable"}
    assert named <= keys
    wheels = {wheel.name for train in known_trains() for wheel in read_toolkit_locks(train, "x86_64", LOCKS).wheels}
    required = set(re.findall(r"[\"`](nvidia-[\w-]+)>=", text))
    assert required == {"nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"}
    assert required <= wheels
    for major in ("12", "13"):
        library = cuda_library(f"libcudart.so.{major}")
        assert library is not None
        assert f"`$ORIGIN/../../{library.folders[0]}`" in text


def _keys(part: dict[str, Any]) -> dict[str, Any]:
    """The keys of the table, or of each table, that a part of the schema is about."""
    (name,) = set(re.findall(r"#/\$defs/(\w+)", json.dumps(part)))
    found: dict[str, Any] = SCHEMA["$defs"][name]["properties"]
    return found


@pytest.mark.parametrize(
    "row", table(page("your-project.md"), "Checks that need a declaration"), ids=lambda row: row[0]
)
def test_keys_of_recipes_and_the_checks_that_ask_for_them_exist(row: list[str]) -> None:
    named = re.findall(r"`([^`]+)`", row[0])
    assert named
    for name in named:
        keys = SCHEMA["properties"]
        for word in name.split("."):
            assert word in keys, name
            part, keys = keys[word], {}
            if "#/$defs/" in json.dumps(part):
                keys = _keys(part)
    assert explained(row[2].split(", "))


def test_jobs_of_the_workflow_are_those_of_the_page() -> None:
    written = yaml.safe_load(workflow_yaml(load_recipe("minirt", ROOT / "recipes"), "minirt", load_pins()))
    rows = table(page("ci.md"), "GitHub Actions")
    assert [row[0].strip("`") for row in rows] == list(written["jobs"])
    (command,) = (step["run"] for step in written["jobs"]["build"]["steps"] if step.get("name") == "Build and verify")
    (options,) = re.findall(r"`build -- --row ID ([^`]*)`", rows[1][1])
    assert options in command
    caches = "uses: actions/cache" in json.dumps(written)
    assert not caches, "the page says that it caches nothing"


def test_what_is_secret_is_told_by_names_that_are_known() -> None:
    text = section(page("ci.md"), "Secrets")
    assert set(re.findall(r"`(\*\w+\*)`", text)) <= set(PATTERNS)
    assert f"`{CONFIGURED}`" in text


def test_scopes_of_checks_are_all_told() -> None:
    rows = table(page("writing-a-check.md"), "A dynamic check")
    assert {row[0].strip("`") for row in rows} == set(typing.get_args(Scope))
