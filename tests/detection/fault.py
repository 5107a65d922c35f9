"""A planted fault: one edit, the checks that own it, and what they must say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord
from tests.support.wheel_draft import Draft

WheelEdit = Callable[[Draft], None]
Graft = Callable[[Draft, Draft], None]
RecipeEdit = Callable[[Recipe], Recipe]
TextEdit = Callable[[str], str]
Place = Literal["environment", "image", "python", "runtime"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Planted:
    """What is promised of any planted fault.

    `owners` are the ids of the checks that must fail, no more and no fewer; `says` are words that a failing
    record of the first owner holds in its subject, reason or evidence, `also` such words by the other
    owners' ids: all of them, since a check that fails for another reason has not seen the fault.

    Raises:
        ValueError: an owner has no words, or stands twice; words are of no owner.
    """

    name: str
    owners: tuple[str, ...]
    says: str
    also: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.owners or len(set(self.owners)) != len(self.owners):
            raise ValueError(f"the fault '{self.name}' needs owners, each once: {self.owners}")
        if set(self.also) != set(self.owners[1:]) or not all(self.words.values()):
            raise ValueError(f"the fault '{self.name}' needs words of each owner, and of no other: {self.words}")

    @property
    def words(self) -> Mapping[str, str]:
        """What each owner must say."""
        return {self.owners[0]: self.says, **self.also}


@dataclass(frozen=True, kw_only=True, eq=False)
class Fault(Planted):
    """A fault in a wheel or its recipe.

    `edit` changes the wheel, `graft` changes it with members of the CUDA 13.0 wheel at hand, `recipe` what
    the recipe says, `files` one file of the recipe's folder (a document, a consumer, a workflow), by path:
    exactly one of them.  `variant` is the minirt wheel that gets it.  Where `inspected`, the wheel is judged
    as any wheel is, without a recipe.  `places` are the scopes of dynamic checks that are asked (the others
    cannot see it): none for a fault that reading shows.
    """

    edit: WheelEdit | None = None
    graft: Graft | None = None
    recipe: RecipeEdit | None = None
    files: Mapping[str, TextEdit] = field(default_factory=dict)
    base: RecipeEdit | None = None
    """What the recipe says without the fault too, where minirt's own leaves the owner nothing to ask."""
    variant: str = "cpu"
    inspected: bool = False
    places: tuple[Place, ...] = ()
    cmake: str = "4.4.5"
    """The CMake in whose environment, with Ninja on bookworm, a dynamic fault shows."""
    unasked: tuple[str, ...] = ()
    """Checks that have nothing left to be about: a wheel for any system has no tag to be judged."""
    asked: tuple[str, ...] = ()
    """Checks that had nothing to be about before, and pass now."""
    noted: tuple[str, ...] = ()
    """Other checks whose notes tell of the edit, such as H0 of device code that is gone."""

    @property
    def shown(self) -> str:
        """What is asked to see it."""
        return f"{', '.join(self.places)} (CMake {self.cmake})" if self.places else "reading"


@dataclass(frozen=True, kw_only=True, eq=False)
class Harmless(Fault):
    """A negative control: an edit that breaks nothing, so that every check says what it says of the clean wheel.

    Raises:
        ValueError: it has owners, or nothing says why it is harmless.
    """

    owners: tuple[str, ...] = ()
    says: str = ""
    because: str

    def __post_init__(self) -> None:
        if self.owners or self.says or self.also or not self.because:
            raise ValueError(f"the edit '{self.name}' has to be harmless, and to say why")

    @property
    def words(self) -> Mapping[str, str]:
        """Nobody must say anything."""
        return {}


@dataclass(frozen=True, kw_only=True, eq=False)
class BuildFault(Planted):
    """A fault in what surrounds a wheel: in a build, of which guards write, or in the place where a check is asked."""

    records: Callable[[], tuple[CheckRecord, ...]]
    """What is written of it."""
    shown: str = "the build"
    """What is asked to see it."""
