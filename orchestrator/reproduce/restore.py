"""What a row was worked on with, had again: each input by its hash, or told as a difference."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from orchestrator.build.checkout import fetch_checkout
from orchestrator.build.source import pack_source
from orchestrator.errors import FetchError, RecipeError, UsageError
from orchestrator.files import writing
from orchestrator.plan.select import python_version
from orchestrator.recipe.load import find_recipe, load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import FilePin, Given, RowReport, SourcePin
from orchestrator.reproduce.bundle import RECIPES, Bundle
from orchestrator.reproduce.contents import inside
from orchestrator.reproduce.members import reading
from orchestrator.reproduce.model import Difference, Kind
from orchestrator.reproduce.pins import code_digest, definitions_digest, recipe_pins
from orchestrator.store.fetch import fetch
from orchestrator.store.git.mirrors import NO_MIRRORS, Mirrors
from orchestrator.store.locks import Requirement
from orchestrator.store.pip import NEWEST_GLIBC, Target
from orchestrator.store.sdist import fetch_sdist, keep_sdist
from orchestrator.store.store import Store, sha256_file

NONE = "none"


@dataclass(frozen=True, kw_only=True)
class Instead:
    """What a person gives for inputs that the bundle lacks, or to see what becomes of the failure with others."""

    recipe: str | None = None
    source: Path | None = None
    wheel: Path | None = None
    mirrors: Mirrors = NO_MIRRORS


@dataclass
class Restoring:
    """Has the inputs of one row again in `folder`, and keeps what differs.

    Each method gives what there is, be it what it was or not; who calls refuses if something differs.
    """

    bundle: Bundle
    row: RowReport
    given: Given
    store: Store
    folder: Path
    instead: Instead = field(default_factory=Instead)
    without: Collection[Path] = ()
    """Folders that runs write, which are no part of a recipe."""
    differences: list[Difference] = field(default_factory=list)

    def tool(self) -> None:
        """Hold this tool's own code, and the definitions and locks of images, against those that ran."""
        revision = f"Take the revision of this tool that the run took: {self.bundle.report.tool}."
        self._same("tool", "code", self.given.code, code_digest(), revision)
        if self.given.definitions:
            self._same("definitions", "images/", self.given.definitions, definitions_digest(), revision)

    def recipe(self) -> Recipe | None:
        """The recipe, with its own source where it has one; None for a wheel that was judged without.

        Raises:
            FetchError: the bundle is damaged, or lacks what no recipe can be read without.
            RecipeError, UsageError: a recipe that was named is not there, or malformed.
        """
        if not self.given.recipe:
            return None
        if self.instead.recipe is not None:
            folder = find_recipe(self.instead.recipe, RECIPES).parent
        else:
            folder = self._recipe_folder()
        try:
            recipe = load_recipe(str(folder), RECIPES)
        except RecipeError as error:
            lacks = [pin.path for pin in self.bundle.lacks(self.row)] if self.bundle.contents else []
            if lacks and self.instead.recipe is None:
                raise FetchError(
                    f"The bundle lacks files of recipe '{self.given.recipe}': {', '.join(lacks)}.",
                    advice="Give the recipe: --recipe NAME|PATH.",
                ) from error
            raise
        self._same_files(self.given.files, recipe_pins(recipe, without=self.without))
        return recipe

    def _recipe_folder(self) -> Path:
        """The folder out of the bundle; where there is only a report, the one that was used, as it is now."""
        try:
            return self.bundle.recipe_folder(self.folder / "recipe", self.row)
        except (RecipeError, UsageError) as error:
            if self.bundle.contents is not None:
                raise
            raise FetchError(
                f"Recipe '{self.given.recipe}' is not here, and there is only a report, no bundle.",
                detail=error.message,
                advice="Give the run's bundle.zip, or the recipe: --recipe NAME|PATH.",
            ) from error

    def source(self, recipe: Recipe) -> Path | None:
        """The folder to build in place of the recipe's own source; None where that is what was built.

        Raises:
            FetchError: the bundle is damaged.
            RecipeError: the recipe's source cannot be read.
        """
        pin, other = self.given.source, self.instead.source
        if other is not None:
            if pin is not None:
                self._tree(pin, other, "Give the checkout that was built, or none where the bundle has it.")
            return other
        if pin is None:
            return None
        if pin.kind == "recipe":
            place = recipe.folder / (recipe.project.source.path or pin.name)
            self._tree(pin, place, "Give the checkout that was built: --source DIR.")
            return None
        if pin.kind == "folder":
            return self._other_folder(pin)
        if pin.kind == "sdist":
            self._sdist(pin, recipe)
            return None
        return self._git(pin, recipe)

    def wheel(self) -> Path | None:
        """The wheel that was judged; None for one that was built here and has to be built again.

        Raises:
            FetchError: it cannot be had at all, or the bundle is damaged.
            UsageError: a file that was named is not there.
        """
        pin = self.given.wheel
        if pin is None:
            raise FetchError(
                f"The report does not say which wheel of {self.row.row} was judged.",
                advice="Give the report of a run that judged one.",
            )
        if self.instead.wheel is not None:
            return self._other_wheel(pin, self.instead.wheel)
        if path := self.bundle.wheel(pin.sha256, self.folder):
            return path
        if self.store.blob(pin.sha256, verify=True) is not None:
            return self.store.named(pin.sha256, pin.path)
        if self.given.published:
            return self._published(pin)
        if self.given.verb == "build":
            return None
        raise FetchError(
            f"The wheel {pin.path} (SHA-256 {pin.sha256}) is neither in the bundle nor in the store.",
            advice="Give it: --wheel FILE.",
        )

    def gpus(self, named: str | None) -> None:
        """Hold the GPUs that are given now against those that the row had."""
        if self.given.gpus and not named:
            fix = f"Name GPUs of this machine: --gpus {self.given.gpus}."
            self.differences.append(Difference(kind="gpus", name="--gpus", wanted=self.given.gpus, found=NONE, fix=fix))

    def engines(self, named: Collection[str]) -> None:
        """Hold the processors for which engines are named now against those of then."""
        for arch in self.given.engines:
            if arch not in named:
                fix = f"Name one: --engine {arch}=ADDRESS."
                self.differences.append(
                    Difference(kind="engine", name=arch, wanted="an engine of its own", found=NONE, fix=fix)
                )

    def _same_files(self, wanted: Collection[FilePin], found: Collection[FilePin]) -> None:
        then, now = ({pin.path: pin.sha256 for pin in pins} for pins in (wanted, found))
        for path in sorted(then.keys() | now.keys()):
            fix = "Give the recipe as it was: --recipe NAME|PATH, or its bundle."
            self._same("recipe", path, then.get(path, NONE), now.get(path, NONE), fix)

    def _tree(self, pin: SourcePin, place: Path, fix: str) -> None:
        found = pack_source(place, without=self.without).sha256 if place.is_dir() else NONE
        self._same("source", pin.name or str(place), pin.sha256, found, fix)

    def _other_folder(self, pin: SourcePin) -> Path | None:
        """The folder that a person gave then: from the bundle, else where it was."""
        folder = self.bundle.source_folder(pin, self.folder / "source") or Path(pin.name)
        self._tree(pin, folder, "Give the checkout that was built: --source DIR.")
        return folder if folder.is_dir() else None

    def _sdist(self, pin: SourcePin, recipe: Recipe) -> None:
        named = recipe.project.source
        fix = "Give the checkout that was built: --source DIR; or run once where there is a network."
        if named.sha256 != pin.sha256:
            self._same("source", pin.name, pin.sha256, named.sha256 or NONE, fix)
            return
        if path := self.bundle.source(pin.sha256, self.folder):
            keep_sdist(self.store, pin.name, pin.sha256, path)
        try:
            fetch_sdist(self.store, pin.name, pin.sha256)
        except FetchError as error:
            self._same("source", pin.name, pin.sha256, f"{NONE}: {error.message}", fix)

    def _git(self, pin: SourcePin, recipe: Recipe) -> Path | None:
        if folder := self.bundle.source_folder(pin, self.folder / "source"):
            return folder
        fix = "Give repositories that have the commit: --mirror URL=DIR; or the checkout: --source DIR."
        try:
            found = fetch_checkout(self.store, recipe, self.instead.mirrors).tree.sha256
        except FetchError as error:
            found = f"{NONE}: {error.message}"
        self._same("source", pin.name, pin.sha256, found, fix)
        return None

    def _other_wheel(self, pin: FilePin, path: Path) -> Path:
        if not path.is_file():
            raise UsageError(f"There is no wheel file '{path}'.", advice="--wheel names the wheel that was judged.")
        found = sha256_file(path)
        self._same("wheel", pin.path, pin.sha256, found, "Give the wheel that was judged.")
        with reading(self.bundle.where, "wheel"):
            named = self.folder / PurePosixPath(inside(pin.path)).name
        if found != pin.sha256 or path.name == named.name:
            return path
        with writing(named):
            shutil.copyfile(path, named)  # checks read the name too
        return named

    def _published(self, pin: FilePin) -> Path:
        name, _, version = self.given.published.partition("==")
        _, _, arch, python = self.row.row.rsplit("/", 3)
        wanted = Requirement(name=canonicalize_name(name), version=version, hashes=(pin.sha256,))
        target = Target(python=python_version(python), arch=arch, glibc=NEWEST_GLIBC)
        (artefact,) = fetch(self.store, [wanted], target, what=str(wanted), verify=True)
        return self.store.named(artefact.sha256, artefact.filename)

    def _same(self, kind: Kind, name: str, wanted: str, found: str, fix: str) -> None:
        if wanted != found:
            self.differences.append(Difference(kind=kind, name=name, wanted=wanted, found=found, fix=fix))


def refuse(row: str, differences: Collection[Difference], *, closest: bool) -> None:
    """Go no further with other inputs, unless that is wanted.

    Raises:
        FetchError: something differs; all of it is named.
    """
    if differences and not closest:
        raise FetchError(
            f"What {row} ran with cannot be had as it was:",
            detail="\n".join(f"  {one.text()}" for one in differences),
            advice="--closest goes on with what there is, and says in its answer what differs.",
        )
