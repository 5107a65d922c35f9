"""Planting: an edit that changes nothing is a mistake, and is told; nothing is judged of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from orchestrator.cli.workshop import Workshop
from orchestrator.recipe.load import load_recipe
from tests.detection.fault import Fault
from tests.detection.planting import RECIPES, Nursery
from tests.support.faults import added
from tests.support.wheels import make_wheel


def planted(folder: Path, **edit: Any) -> Path:
    """The wheel with that fault, in place of minirt's."""
    wheel = make_wheel(folder, {"minirt/__init__.py": b""}, name="minirt", version="1.2.0")
    nursery = Nursery(cast(Workshop, None), folder, clean={"cpu": wheel}, versions={"cpu": None})
    fault = Fault(name="x", owners=("B1",), says="twice", inspected=True, **edit)
    return nursery.subject(fault, variant="cpu", inspected=True).wheel.path


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ({"edit": lambda _draft: None}, "the edit of the wheel changed nothing"),
        ({"edit": lambda draft: draft.change("__init__.py", bytes)}, "the edit of minirt/__init__.py changed nothing"),
        ({"graft": lambda _draft, _donor: None}, "the edit of the wheel changed nothing"),
        ({"recipe": lambda recipe: recipe}, "the edit of the recipe changed nothing"),
        ({"files": {"recipe.toml": lambda text: text}}, "the edit of recipe.toml changed nothing"),
    ],
)
def test_an_edit_that_changes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: dict[str, Any], told: str
) -> None:
    monkeypatch.setattr("tests.detection.planting.DONOR", "cpu")
    with pytest.raises(AssertionError, match=told):
        planted(tmp_path, **edit)


def test_an_edit_that_changes_something_is_planted(tmp_path: Path) -> None:
    path = planted(tmp_path, edit=added("minirt/new.py", "x = 1\n"))
    assert path.parent == tmp_path / "planted" / "x"
    assert b"minirt/new.py" in path.read_bytes()


def test_a_fault_stands_on_the_base_that_its_clean_wheel_has(tmp_path: Path) -> None:
    plain = load_recipe("minirt", RECIPES)
    wheel = make_wheel(tmp_path, {"minirt/__init__.py": b""}, name="minirt", version="1.2.0")
    nursery = Nursery(cast(Workshop, None), tmp_path, clean={"cpu": wheel}, versions={"cpu": None})
    named: list[str] = []

    def based(recipe: Any) -> Any:
        named.append(recipe.project.name)
        return recipe.model_copy(update={"model": ()})

    fault = Fault(name="x", owners=("B1",), says="twice", recipe=lambda recipe: recipe.model_copy(update={"model": ()}))
    with pytest.raises(AssertionError, match="changed nothing"):
        nursery.subject(fault, variant="cpu", base=based, inspected=True)
    assert named == [plain.project.name]
