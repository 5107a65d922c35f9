"""Where the files of the project lie that a recipe names: its document, its workflow, what that covers."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from orchestrator.recipe.model import Recipe
from orchestrator.verify.subject import StaticSubject


def project_file(subject: StaticSubject, recipe: Recipe, path: str) -> Path:
    """The absolute path of a file or folder that the recipe names by its place in the recipe's folder.

    Where another checkout was built than the recipe's own source, what lies in that source is the checkout's.
    """
    own = recipe.project.source.path
    place = PurePosixPath(path)
    if subject.source is not None and own is not None and place.is_relative_to(own):
        return subject.source / place.relative_to(own)
    return recipe.folder / place
