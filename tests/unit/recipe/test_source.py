"""Sources from git: what a recipe must say of them, and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.recipe.source import Source

GIT = {"git": "https://example.org/a", "rev": "1" * 40}
TREE = {"path": "a", "git": "https://example.org/b", "rev": "2" * 40, "reason": "the pin is gone"}
SDIST = {"path": "b", "sdist": "ant==1.0", "sha256": "3" * 64, "folder": "src", "reason": "the pin is gone"}


def test_a_commit_with_submodules_substitutes_and_further_trees() -> None:
    left_out = {"path": "*.gif", "reason": "pictures for people"}
    source = Source.model_validate(
        GIT | {"submodules": ["a", "a/b"], "substitute": [TREE], "extra": [SDIST], "without": [left_out]}
    )
    assert [tree.path for tree in (*source.substitute, *source.extra)] == ["a", "b"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"git": GIT["git"]}, "'git' and 'rev' go together: a source is used by its commit only"),
        (GIT | {"rev": "main"}, "should match pattern"),
        (GIT | {"rev": "1" * 12}, "should match pattern"),
        (GIT | {"git": "--upload-pack=x"}, "is no address of a git repository"),
        (GIT | {"git": "https://example.org/a\n"}, "is no address of a git repository"),
        (GIT | {"path": "source"}, "give exactly one of 'path', 'sdist', 'git' and 'wheel'"),
        ({"path": "source", "submodules": ["a"]}, "belong to a source from 'git'"),
        ({"path": "source", "without": [{"path": "a", "reason": "nobody reads it"}]}, "belong to a source from 'git'"),
        (GIT | {"submodules": ["../a"]}, "must be a relative path that stays inside its folder"),
        (GIT | {"substitute": [TREE]}, "'a' is substituted, and is none of 'submodules'"),
        (GIT | {"submodules": ["a"], "substitute": [TREE], "extra": [TREE]}, "two trees are to be put at 'a'"),
        (GIT | {"extra": [TREE | {"reason": "because"}]}, "should have at least 10 characters"),
        (GIT | {"extra": [{"path": "a", "reason": TREE["reason"]}]}, "give 'git' and 'rev', or 'sdist' and 'sha256'"),
        (GIT | {"extra": [TREE | SDIST]}, "give 'git' and 'rev', or 'sdist' and 'sha256'"),
        (GIT | {"extra": [SDIST | {"rev": "1" * 40}]}, "'git' and 'rev' go together, as do 'sdist' and 'sha256'"),
    ],
)
def test_what_does_not_go_together_is_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Source.model_validate(keys)
    assert said in str(caught.value)
