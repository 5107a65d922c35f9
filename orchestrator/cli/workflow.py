"""`matrix --workflow`: writes a workflow of GitHub Actions for a recipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestrator.cli.run_context import RECIPES
from orchestrator.console import get_console
from orchestrator.errors import EXIT_PASS, UsageError
from orchestrator.files import aside, writing
from orchestrator.ground.sessions import ROOT
from orchestrator.plan.workflow.pins import load_pins
from orchestrator.plan.workflow.write import workflow_yaml
from orchestrator.recipe.model import Recipe

STANDARD_OUTPUT = "-"


def write_workflow(recipe: Recipe, target: str) -> int:
    """Write the workflow to a file, or to standard output; the exit code.

    Raises:
        UsageError: the recipe lies outside of this repository, in whose checkout the workflow runs.
        RecipeError, UsageError: as `workflow_yaml` says.
        DiskError: the file cannot be written.
    """
    text = workflow_yaml(recipe, _name(recipe), load_pins())
    if target == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return EXIT_PASS
    # A link, such as /dev/stdout, stays one.
    with writing(Path(target)), aside(Path(os.path.realpath(target))) as hidden:
        hidden.write_text(text, "utf-8")
    get_console().message(f"workflow: {target}")
    return EXIT_PASS


def _name(recipe: Recipe) -> str:
    """What sessions call the recipe in a checkout of this repository."""
    folder = recipe.folder.resolve()
    if folder.parent == RECIPES:
        return folder.name
    if not folder.is_relative_to(ROOT):
        raise UsageError(
            f"The recipe in {recipe.folder} lies outside of {ROOT}: a workflow runs in a checkout of that, "
            "and would not find it.",
            advice="Put the recipe's folder into the repository, for example into recipes/.",
        )
    return str(folder.relative_to(ROOT))
