"""How a wheel that is built here is known to differ from the published one that a recipe describes."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from orchestrator.recipe.part import Name, Part, Reason, RelativePath, RequirementText


class Difference(Part):
    """One way in which it differs, and why: what is built is held against the rest of the recipe."""

    component: Name | None = Field(default=None, description="Component that it is built without, and must not ship.")
    member: RelativePath | None = Field(
        default=None, description="Path of a [[member]] that must ship, and of which it must have nothing."
    )
    requirement: RequirementText | None = Field(
        default=None, description="Requirement that it declares instead of those on the same distribution."
    )
    no_requirement: Name | None = Field(default=None, description="Distribution that it does not require.")
    reason: Reason = Field(description="Why: shown in every report of a row that is built.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(one is not None for one in (self.component, self.member, self.requirement, self.no_requirement)) != 1:
            raise ValueError("give exactly one of 'component', 'member', 'requirement' and 'no-requirement'")
        return self

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.component or self.member or self.requirement or str(self.no_requirement)
