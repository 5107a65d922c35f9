"""One failure tried again: its inputs had again, the build or the check run again, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.build.version import wheel_version
from orchestrator.cli.again_build import Rebuild, builder_of
from orchestrator.cli.run_context import Run
from orchestrator.cli.workshop import Workshop
from orchestrator.errors import EXIT_VERDICT, FetchError, UsageError
from orchestrator.ground.sessions import BUILDING
from orchestrator.images.imageset import ImageSet, ReadyImage
from orchestrator.images.pinned import have_pinned
from orchestrator.plan.rows import Row
from orchestrator.plan.select import row_by_id
from orchestrator.recipe.built import as_built
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, ImageUse, Pinned, RowReport, Verdict, row_verdict
from orchestrator.reproduce.again_check import Workplace, again_check
from orchestrator.reproduce.choose import Chosen
from orchestrator.reproduce.model import Difference, Kind
from orchestrator.reproduce.restore import NONE, Restoring, refuse
from orchestrator.store.store import Store, sha256_file
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel


@dataclass(frozen=True)
class Tried:
    """What came of it: the report of the row as far as it was worked on, and the exit code of a failure."""

    report: RowReport
    exit: int


@dataclass
class Reproduction:
    """Tries one failure again; `connect` gives engines and images, and is called only where they are needed."""

    chosen: Chosen
    restoring: Restoring
    store: Store
    run: Run
    connect: Callable[[], Workshop]
    closest: bool = False
    shell: bool = False
    from_step: str | None = None
    gpus: str | None = None
    engines: tuple[str, ...] = ()
    _shop: Workshop | None = field(default=None, init=False)

    @property
    def is_build(self) -> bool:
        """Whether the wheel's build failed, or what was built."""
        return self.chosen.check in BUILDING

    @property
    def before(self) -> tuple[CheckRecord, ...]:
        """What failed then: one build has all of its guards' failures."""
        if not self.is_build:
            return self.chosen.records
        return tuple(one for one in self.chosen.row.checks if one.id in BUILDING and one.verdict is not Verdict.PASS)

    def now(self, report: RowReport) -> tuple[CheckRecord, ...]:
        """What the same check says in that report, or the same build: what fails of it, if anything does."""
        if self.is_build:
            said = [one for one in report.checks if one.id in BUILDING]
            return tuple(one for one in said if one.verdict is not Verdict.PASS) or tuple(said)
        environment = self.chosen.environment
        return tuple(one for one in report.checks if (one.id, one.environment) == (self.chosen.check, environment))

    @property
    def differences(self) -> Sequence[Difference]:
        """What is not as it was."""
        return self.restoring.differences

    def tried(self) -> Tried:
        """Have the inputs again, and try; with a shell the report has the steps before it, and no checks.

        Raises:
            FetchError: inputs are not to be had as they were, and others are not wanted; or not at all.
            UsageError, RecipeError, WheelError: as the parts say.
            EngineError: the engine refuses or goes away.
        """
        restoring = self.restoring
        restoring.tool()
        restoring.engines(self.engines)
        recipe = restoring.recipe()
        row = row_named(recipe, self.chosen.row.row)
        if self.is_build and recipe is not None:
            return self._built(recipe, row)
        if self.chosen.environment is not None:
            restoring.gpus(self.gpus)
        return self._checked(recipe, row)

    def _built(self, recipe: Recipe, row: Row) -> Tried:
        source = self.restoring.source(recipe)
        rebuild = self._rebuild(recipe, row, source)
        if self.shell:
            return Tried(RowReport(row=row.id, verdict=Verdict.NOT_RUN, steps=rebuild.shell()), 0)
        rebuilt = rebuild.again()
        self._same_inputs(rebuilt.report)
        return Tried(rebuilt.report, rebuilt.error.exit_code if rebuilt.error else EXIT_VERDICT)

    def _rebuild(self, recipe: Recipe, row: Row, source: Path | None) -> Rebuild:
        """The build, once all of its inputs are there."""
        then, given = self.chosen.row, self.restoring.given
        step = self.from_step if self.is_build else None
        builder = builder_of(then)
        shop = self._with_images(row, [builder] if builder else [])
        refuse(row.id, self.differences, closest=self.closest)
        folder = self.run.row_folder(row.id)
        return Rebuild(
            shop=shop, recipe=recipe, row=row, then=then, given=given, folder=folder, source=source, from_step=step
        )

    def _checked(self, recipe: Recipe | None, row: Row) -> Tried:
        restoring, given = self.restoring, self.restoring.given
        source = None
        if recipe is not None and given.source is not None and given.source.kind == "folder":
            source = restoring.source(recipe)
        path = restoring.wheel()
        if path is None and recipe is not None:
            path = self._wheel_again(recipe, row, source or restoring.source(recipe))
        if path is None:
            raise FetchError(f"The wheel of {row.id} cannot be had.", advice="Give it: --wheel FILE.")
        if self.chosen.environment is not None:
            self._with_images(row, [one for one in self.chosen.row.images if one.role != "builder"])
        refuse(row.id, self.differences, closest=self.closest)
        built = given.verb == "build"
        subject = StaticSubject(
            wheel=read_wheel(path),
            row=row,
            recipe=as_built(recipe) if recipe is not None and built else recipe,
            version=wheel_version(recipe, row, given.version) if recipe is not None and built else None,
            source=source,
            published=bool(given.published),
        )
        result = again_check(
            subject,
            self.chosen.check,
            self.chosen.environment,
            store=self.store,
            workplace=lambda: self._workplace(row),
            shell=self.shell,
            from_step=self.from_step,
        )
        report = RowReport(
            row=row.id,
            verdict=row_verdict(result.checks),
            method=self._shop.site(row.arch).method if self._shop else None,
            images=result.images,
            toolchains=result.toolchains,
            inputs=result.inputs,
            steps=result.steps,
            checks=result.checks,
            notes=result.notes,
        )
        self._same_inputs(report)
        return Tried(report, EXIT_VERDICT)

    def _wheel_again(self, recipe: Recipe, row: Row, source: Path | None) -> Path:
        """A wheel that was built here, built again.

        Raises:
            FetchError: the build fails, or gives another wheel, and that is not wanted.
        """
        pin = self.restoring.given.wheel
        path = self._rebuild(recipe, row, source).wheel()
        found = sha256_file(path)
        if pin is not None and found != pin.sha256:
            fix = "Give the wheel that was judged: --wheel FILE."
            self.restoring.differences.append(
                Difference(kind="wheel", name=pin.path, wanted=pin.sha256, found=found, fix=fix)
            )
        return path

    def _workplace(self, row: Row) -> Workplace:
        shop = self._connected()
        site = shop.site(row.arch)
        gpus = shop.gpus if site.method == "native" else None
        return Workplace(site.engine, site.images, shop.policy, self.run.row_folder(row.id), shop.keep, gpus)

    def _connected(self) -> Workshop:
        self._shop = self._shop or self.connect()
        return self._shop

    def _with_images(self, row: Row, uses: Sequence[ImageUse]) -> Workshop:
        """The engines, with these images on them; what is not as it was is told as a difference."""
        shop = self._connected()
        site = shop.site(row.arch)
        method = self.chosen.row.method
        if method is not None and method != site.method:
            fix = f"Name an engine of its processor: --engine {row.arch}=ADDRESS; or leave --engine and --emulate out."
            other = Difference(kind="engine", name=row.arch, wanted=method, found=site.method, fix=fix)
            if other not in self.differences:  # once, where a wheel is built again and then judged
                self.restoring.differences.append(other)
        for use in uses:
            images = site.builders if use.role == "builder" else site.images
            self._pin(shop, images, use)
        return shop

    def _pin(self, shop: Workshop, images: ImageSet, use: ImageUse) -> None:
        definition = images.definitions.get(use.name)
        toolkit = definition.toolkit if definition and use.origin == "official" else None
        wanted = ReadyImage(use.reference, use.digest, use.origin, use.arch, use.python, toolkit, use.name)
        bundle, folder = self.restoring.bundle, self.restoring.folder
        found = have_pinned(
            images,
            wanted,
            lambda: bundle.image(use.digest, folder),
            make=self.closest or not self.differences,  # else it is refused anyway
        )
        if found is None:
            shop.pinned.append(wanted)
            return
        fix = "Take a bundle that holds the image (--with-images), or import it: nox -s images -- import FILE."
        self.restoring.differences.append(
            Difference(kind="image", name=use.name or use.reference, wanted=use.digest, found=found, fix=fix)
        )

    def _same_inputs(self, report: RowReport) -> None:
        """Hold what the try says that it used against what the row did."""
        then = self.chosen.row
        self._same_pins("toolchain", report.toolchains, then.toolchains)
        self._same_pins("input", report.inputs, then.inputs)

    def _same_pins(self, kind: Kind, used: Sequence[Pinned], known: Sequence[Pinned]) -> None:
        fix = "It follows from what else differs."
        hashes = {one.sha256 for one in known}  # of one name there are several: a CMake for each environment
        names = {one.name: one.sha256 for one in known}
        for one in used:
            if hashes and one.sha256 not in hashes:
                wanted = names.get(one.name, NONE)
                self.restoring.differences.append(
                    Difference(kind=kind, name=one.name, wanted=wanted, found=one.sha256, fix=fix)
                )


def row_named(recipe: Recipe | None, id_: str) -> Row:
    """The row of that id; of a wheel that was judged without a recipe there is no list of rows.

    Raises:
        UsageError: the recipe has no such row, or it is no row's id, which becomes a folder's path.
    """
    if recipe is not None:
        return row_by_id(recipe, id_)
    parts = id_.split("/")
    if len(parts) != 4 or {"", ".", ".."} & set(parts) or not id_.isprintable():
        raise UsageError(f"The report names a row {id_[:80]!a}, which is none.", advice="Give a report of this tool.")
    name, variant, arch, python = parts
    return Row(recipe=name, variant=variant, arch=arch, python=python)
