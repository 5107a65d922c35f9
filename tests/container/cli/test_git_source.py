"""A source from git: assembled from local repositories, told by commit, built in a folder of the name it must have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Ended, run
from tests.support.gits import Repository, gitmodules
from tests.support.tiny import tiny_recipe

pytestmark = [pytest.mark.container, pytest.mark.usefixtures("engine")]

PROJECT, PARTS = "https://git.invalid/owner/tiny", "https://git.invalid/owner/parts"


def build(folder: Path, *options: str, env: dict[str, str] | None = None) -> Ended:
    return run("build", "--stand-in", "--json", "--fresh", "--recipe", "tiny", *options, cwd=folder, env=env)


def test_a_commit_is_built_with_a_substitute_for_a_submodule_that_is_gone(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path)
    project, parts = Repository(tmp_path / "project.git"), Repository(tmp_path / "parts.git")
    lost, found = "1" * 40, parts.commit({"tiny.c": (recipe / "source" / "tiny.c").read_bytes()})
    files = {name: (recipe / "source" / name).read_bytes() for name in ("pyproject.toml", "backend.py")}
    commit = project.commit(
        files | {".gitmodules": gitmodules({"parts": PARTS})}, links={"tiny.c": "parts/tiny.c"}, modules={"parts": lost}
    )
    text = (recipe / "recipe.toml").read_text()
    table = f"""
checkout = "a-tiny-checkout"
[project.source]
git = "{PROJECT}"
rev = "{commit}"
submodules = ["parts"]
"""
    (recipe / "recipe.toml").write_text(
        text.replace('source = { path = "source" }', table).replace(
            "minutes = 2", """minutes = 2\nbefore = ['test "$PWD" = /work/source/a-tiny-checkout && test ! -e .git']"""
        )
    )
    named = tmp_path / "mirrors"
    named.write_text(f"{PROJECT}=project.git\n{PARTS}=parts.git\n")

    env = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "empty store")}
    refused = build(tmp_path, env=env).require(5)
    assert f"the checkout: commit {commit} of {PROJECT}: the repository cannot be reached" in refused.err
    refused = build(tmp_path, "--mirrors", "mirrors").require(5)
    assert f"parts: commit {lost} of {PARTS}: the mirror {parts.folder} lacks it" in refused.err

    with (recipe / "recipe.toml").open("a") as stream:
        stream.write(f'[[project.source.substitute]]\npath = "parts"\ngit = "{PARTS}"\nrev = "{found}"\n')
        stream.write('reason = "the commit that it had is gone"\n')
    (row,) = json.loads(build(tmp_path, "--mirrors", "mirrors").require(0).out)["rows"]
    assert row["verdict"] == "pass"
    assert [(one["name"], one["version"]) for one in row["inputs"][:2]] == [
        (f"tiny ({PROJECT})", commit),
        (f"parts ({PARTS})", found),
    ]
    text = f"commit {found} of {PARTS} instead of the submodule's commit: the commit that it had is gone"
    assert {"id": "source", "subject": "parts", "text": text} in row["notes"]
