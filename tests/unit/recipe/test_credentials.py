"""Recipes that hold credentials: refused in an address, learnt in a variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import secrets as module
from orchestrator.errors import RecipeError
from orchestrator.recipe.load import load_recipe
from orchestrator.secrets import Secrets, secrets
from tests.support.tiny import tiny_recipe

GIT = 'source = { git = "https://%sexample.org/a", rev = "1111111111111111111111111111111111111111" }'


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._process, "known", Secrets())


def changed(folder: Path, old: str, new: str) -> Path:
    recipe = tiny_recipe(folder) / "recipe.toml"
    text = recipe.read_text()
    assert old in text
    recipe.write_text(text.replace(old, new))
    return recipe


@pytest.mark.parametrize("user", ["me:hunter22@", "t0k3n-of-mine@"])
def test_an_address_with_credentials_is_refused_without_showing_them(tmp_path: Path, user: str) -> None:
    recipe = changed(tmp_path, 'source = { path = "source" }', GIT % user)
    with pytest.raises(RecipeError) as caught:
        load_recipe(str(recipe), tmp_path)
    assert "project.source.git: holds an address with a user or password" in caught.value.detail
    assert "credential helper" in caught.value.detail
    assert user.strip("@") not in str(caught.value)


def test_the_same_address_without_is_fine(tmp_path: Path) -> None:
    recipe = changed(tmp_path, 'source = { path = "source" }', GIT % "")
    assert load_recipe(str(recipe), tmp_path).project.source.git == "https://example.org/a"


def test_what_a_build_is_given_under_a_secret_name_is_learnt(tmp_path: Path) -> None:
    env = '\nenv = { SIGNING_TOKEN = "signing-value", PLAIN = "plain-value" }'
    recipe = changed(tmp_path, "minutes = 2", f"minutes = 2{env}")
    recipe.write_text(recipe.read_text().replace('local = "cpu"', 'local = "cpu"\nenv = { A_SECRET = "of-a-variant" }'))
    load_recipe(str(recipe), tmp_path)
    assert secrets().values == (("SIGNING_TOKEN", "signing-value"), ("A_SECRET", "of-a-variant"))
