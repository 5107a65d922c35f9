"""What a recipe expects of the wheels that are built from it, where that differs from the published ones."""

from __future__ import annotations

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.recipe.model import Recipe, Variant


def as_built(recipe: Recipe) -> Recipe:
    """The recipe with what `build.differs` says put in; the same where it says nothing.

    What is said to be left out must be: a component or a member that ships all the same fails.
    """
    differs = recipe.build.differs if recipe.build else ()
    if not differs:
        return recipe
    without = {one.member: one.reason for one in differs if one.member is not None}
    variants = {name: _variant(recipe, variant) for name, variant in recipe.variants.items()}
    members = tuple(
        one.model_copy(update={"ships": False, "reason": without[one.path]}) if one.path in without else one
        for one in recipe.member
    )
    return recipe.model_copy(update={"variants": variants, "member": members})


def _variant(recipe: Recipe, variant: Variant) -> Variant:
    """The variant without what is not built, and with the requirements of what is."""
    differs = recipe.build.differs if recipe.build else ()
    absent = dict.fromkeys([*variant.absent, *(one.component for one in differs if one.component)])
    requires = variant.only_requires
    if requires is not None:
        instead = [one.requirement for one in differs if one.requirement]
        gone = {_distribution(one) for one in instead}
        gone |= {canonicalize_name(one.no_requirement) for one in differs if one.no_requirement}
        requires = (*(one for one in requires if _distribution(one) not in gone), *instead)
    return variant.model_copy(update={"absent": tuple(absent), "only_requires": requires})


def _distribution(requirement: str) -> str:
    return canonicalize_name(Requirement(requirement).name)
