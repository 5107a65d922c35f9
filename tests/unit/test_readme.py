"""The README says what is: its sessions, options, toolkit versions and exit codes are held against the code."""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

import pytest

from orchestrator import errors
from orchestrator.cli.explanations import explained
from orchestrator.cli.parser import parser
from orchestrator.errors import OrchestratorError
from orchestrator.ground.sessions import ROOT, session_names
from orchestrator.recipe.model import Build
from orchestrator.store.cuda_parts import known_trains, read_toolkit_locks
from orchestrator.store.toolchain import LOCKS
from orchestrator.verify.static.nvidia import cuda_library
from tests.corpus.__main__ import parser as corpus
from tests.detection.__main__ import parser as detection

SCHEMA: dict[str, Any] = json.loads((ROOT / "orchestrator/recipe/recipe.schema.json").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The body of the first table below a heading."""
    lines = README.partition(f"\n## {heading}\n")[2].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    rows = []
    for line in lines[start + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")])
    return rows


def test_every_session_is_in_the_table_and_no_other() -> None:
    named = {name for row in table("Sessions") for name in re.findall(r"`([^`]+)`", row[0])}
    assert named == set(session_names())


def test_commands_name_sessions_and_options_that_exist() -> None:
    called = re.findall(r"(?:\./bootstrap|nox -s) ([\w.-]+)", README)
    assert set(called) <= set(session_names())
    assert "build-cuda-13.0" in called
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    (verbs,) = (action.choices for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    parsers = [*verbs.values(), detection(), corpus()]
    assert options <= {option for one in parsers for action in one._actions for option in action.option_strings}


def test_explained_checks_exist() -> None:
    words = re.findall(r"(?:explain`?|explain --) ([A-Za-z]\d+(?: [A-Za-z]\d+)*)", README)
    assert words
    assert explained(" ".join(words).split())


@pytest.mark.parametrize("row", table("CUDA"), ids=lambda row: row[0])
def test_toolkit_versions_are_the_locks(row: list[str]) -> None:
    claims = read_toolkit_locks(row[0], "x86_64", LOCKS).claims
    assert row[1:4] == [claims["nvcc"], claims["ptxas"], claims["cudart"]]


def test_what_a_cuda_variant_must_have_are_keys_requirements_and_folders_that_are_known() -> None:
    text = README.partition("A CUDA variant must have:")[2].partition("\n\nWhat is done")[0]
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


@pytest.mark.parametrize("row", table("Your own project"), ids=lambda row: row[0])
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


def test_exit_codes_are_the_errors() -> None:
    classes = [cls for cls in vars(errors).values() if isinstance(cls, type) and issubclass(cls, OrchestratorError)]
    codes = {str(cls.exit_code) for cls in classes}
    codes |= {str(code) for code in (errors.EXIT_PASS, errors.EXIT_VERDICT, errors.EXIT_INTERRUPTED)}
    assert [row[0] for row in table("Exit codes")] == sorted(codes, key=int)
