"""The version that a row's wheel gets (PEP 440)."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from orchestrator.errors import RecipeError, UsageError
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe


def wheel_version(recipe: Recipe, row: Row, override: str | None = None) -> str:
    """The full version: the recipe's (or `override`), with the variant's local label.

    Raises:
        UsageError: `override` is no version, has a label of its own that differs from the
            variant's, or the recipe names no variable that could carry it.
        RecipeError: the recipe's version or label is not PEP 440, or the recipe builds nothing.
    """
    if recipe.build is None:
        raise RecipeError(
            f"Recipe '{recipe.project.name}' only verifies a published wheel; it has no [build] table.",
            advice=f"Use: nox -s verify -- --recipe {recipe.project.name} {recipe.project.source.wheel}",
        )
    label = recipe.variants[row.variant].local
    if override is None:
        return _full(recipe.build.version, label, RecipeError, "build.version in the recipe")
    if recipe.build.version_variable is None:
        raise UsageError(
            f"Recipe '{recipe.project.name}' cannot take --version: it has no build.version-variable.",
            advice="Leave --version out, or name the variable that the build reads.",
        )
    return _full(override, label, UsageError, "--version")


def _full(text: str, label: str, error: type[UsageError | RecipeError], where: str) -> str:
    try:
        version = Version(text)
        full = Version(f"{version.public}+{label}") if label else version
    except InvalidVersion as problem:
        raise error(f"'{text}' ({where}) is not a version: {problem}", advice="See PEP 440.") from problem
    if version.local and version.local != full.local:
        raise error(
            f"'{text}' ({where}) has the local label '{version.local}', the variant's is '{label or 'none'}'.",
            advice="Give the public part only; the variant adds its label.",
        )
    return str(full)
