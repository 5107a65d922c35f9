"""From a fault to what is judged: the clean wheel of a variant, edited, beside a recipe, edited."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.cli.build_row import have_wheel
from orchestrator.cli.workshop import Workshop
from orchestrator.images.imageset import ImageRequest
from orchestrator.plan.rows import Row
from orchestrator.plan.select import NATIVE_PYTHON, python_version
from orchestrator.processor import native_arch
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.verify.peers import read_peers
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.detection.fault import Fault, RecipeEdit
from tests.support.wheel_draft import Draft

RECIPES = Path(__file__).resolve().parents[2] / "recipes"
DONOR = "cuda-13.0"
"""The variant that grafts take members from."""


def row_of(variant: str) -> Row:
    """The row of minirt that a variant's clean wheel is."""
    return Row(recipe="minirt", variant=variant, arch=native_arch(), python=f"cp{NATIVE_PYTHON.replace('.', '')}")


@dataclass
class Nursery:
    """Clean wheels, built once, and a folder for what is planted."""

    shop: Workshop
    folder: Path
    clean: dict[str, Path] = field(default_factory=dict)
    """By variant."""
    versions: dict[str, str | None] = field(default_factory=dict)
    """What was asked of their builds."""

    def wheel(self, variant: str) -> Path:
        """The clean wheel of a variant, as the command line builds it; the store answers if it can.

        Raises:
            RecipeError, FetchError, EngineError, FailedBuildError: as the build's parts say.
        """
        if variant not in self.clean:
            recipe, row = load_recipe("minirt", RECIPES), row_of(variant)
            builder = recipe.variants[variant].builder or recipe.images.builder
            image, *_ = self.shop.images.ensure_many(
                [ImageRequest(builder, python_version(row.python))], policy=self.shop.policy
            )
            folder = self.folder / "clean" / variant
            folder.mkdir(parents=True)
            inputs, built = have_wheel(self.shop, recipe, row, folder, image)
            self.clean[variant], self.versions[variant] = built.path, inputs.version
        return self.clean[variant]

    def subject(
        self, fault: Fault | None, *, variant: str, inspected: bool = False, base: RecipeEdit | None = None
    ) -> StaticSubject:
        """What is judged: the variant's wheel with the fault, without one where that is None.

        Raises:
            AssertionError: the fault's edit changes nothing.
        """
        wheel, recipe = self.wheel(variant), load_recipe("minirt", RECIPES)
        place = self.folder / "planted" / _folder_name(fault.name if fault else "clean")
        if fault and (fault.edit or fault.graft):
            wheel = self._edited(fault, wheel, place)
        if fault and fault.files:
            recipe = _other_files(fault, place / "recipe")
        if base:
            recipe = base(recipe)
        if fault and fault.recipe:
            before, recipe = recipe, fault.recipe(recipe)
            assert recipe != before, "the edit of the recipe changed nothing"
        row = row_of(variant)
        if inspected:
            return StaticSubject(read_wheel(wheel), row)
        peers = read_peers(self.shop.store, recipe, row)
        return StaticSubject(read_wheel(wheel), row, recipe, self.versions[variant], peers=peers)

    def _edited(self, fault: Fault, wheel: Path, place: Path) -> Path:
        draft = Draft.of(wheel)
        if fault.edit:
            fault.edit(draft)
        if fault.graft:
            fault.graft(draft, Draft.of(self.wheel(DONOR)))
        assert draft != Draft.of(wheel), "the edit of the wheel changed nothing"
        return draft.write(place)


def _folder_name(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name)


def _other_files(fault: Fault, folder: Path) -> Recipe:
    """A copy of the recipe's folder in which files are edited; an edit that changes nothing is a mistake."""
    shutil.copytree(RECIPES / "minirt", folder, dirs_exist_ok=True)
    for path, edit in fault.files.items():
        file = folder / path
        before = file.read_text() if file.exists() else ""
        after = edit(before)
        assert after != before, f"the edit of {path} changed nothing"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(after)
    return load_recipe(str(folder), RECIPES)
