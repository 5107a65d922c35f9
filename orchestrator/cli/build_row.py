"""One row: image, build (or the store's wheel), judgement."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from orchestrator.build.checkout import fetch_checkout
from orchestrator.build.cross import CrossBuild
from orchestrator.build.cuda_build import cuda_build
from orchestrator.build.inputs import BuildInputs, collect_inputs
from orchestrator.build.wheel_build import BuiltWheel, build_wheel, check_asked
from orchestrator.cli.given import judged, source_pin
from orchestrator.cli.judging import judge
from orchestrator.cli.place import place
from orchestrator.cli.so_far import SoFar
from orchestrator.cli.workshop import Site, Workshop
from orchestrator.errors import NotHereError, RecipeError, nearest
from orchestrator.images.imageset import ImageRequest, ImageSet, ReadyImage
from orchestrator.plan.cuda import cuda_plan
from orchestrator.plan.rows import Row
from orchestrator.plan.select import python_version
from orchestrator.plan.stable_abi import building_pythons, built_as
from orchestrator.plan.tried_in import tried_in
from orchestrator.recipe.built import as_built
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Note, Pinned, RowReport, StepRecord
from orchestrator.report.used import image_use
from orchestrator.store.cuda_parts import known_trains
from orchestrator.store.cuda_toolkit import cuda_toolkit
from orchestrator.store.target_python import target_python
from orchestrator.verify.dynamic.beside import beside
from orchestrator.wheel.read import read_wheel

KIND = "built-wheel"


def build_row(
    shop: Workshop,
    recipe: Recipe,
    row: Row,
    folder: Path,
    so_far: SoFar,
    *,
    version: str | None,
    source: Path | None,
    fresh: bool,
    shell: bool,
) -> tuple[RowReport, Path, bool]:
    """Build and judge; the report, the wheel's path in `folder`, and whether the report is worth remembering.

    What becomes known on the way is told to `so_far`.

    Raises:
        RecipeError, FailedBuildError: the row is refused, before anything is fetched or compiled.
        FetchError, EngineError, FailedBuildError: as their parts say.
    """
    so_far.method = shop.site(row.arch).method
    plan = cuda_plan(recipe, row, known_trains())
    check_asked(recipe, row, plan)  # the build asks again, but only once images and inputs are there
    beside(shop.store, recipe, row)  # what nothing can satisfy in the checks need not be built
    if source is None and recipe.project.source.git is not None:
        fetch_checkout(shop.store, recipe, shop.mirrors)  # likewise: what cannot be had needs no images
    image = ensure_images(shop, recipe, row)
    so_far.images = (image_use("builder", image),)
    inputs, built = have_wheel(
        shop, recipe, row, folder, image, version=version, source=source, fresh=fresh, shell=shell, so_far=so_far
    )
    wheel = read_wheel(built.path)
    report, whole = judge(
        shop,
        as_built(recipe),
        row,
        wheel,
        folder,
        version=inputs.version,
        source=source,
        fresh=fresh,
        given=judged(so_far.given, wheel, shop.run),
        images=so_far.images,
        inputs=(inputs.origin, *inputs.trees, *built.inputs),
        steps=built.steps,
        toolchains=built.toolchains,
        guarded=built.checks,
        noted=(
            *inputs.notes,
            *(Note(id="differs", subject=one.subject, text=one.reason) for one in inputs.build.differs),
            *built.notes,
        ),
    )
    return report, built.path, whole


def have_wheel(
    shop: Workshop,
    recipe: Recipe,
    row: Row,
    folder: Path,
    image: ReadyImage,
    *,
    version: str | None = None,
    source: Path | None = None,
    fresh: bool = False,
    shell: bool = False,
    shown_from: str | None = None,
    so_far: SoFar | None = None,
) -> tuple[BuildInputs, BuiltWheel]:
    """The wheel of a row in `folder`, built in that image unless the store has it; nothing is judged.

    One that several rows share is built for the Python of the image.

    Raises:
        RecipeError, FetchError, EngineError, FailedBuildError: as the build's parts say.
    """
    inputs = row_inputs(shop, recipe, row, image, version=version, source=source, so_far=so_far)
    anew = shell or (fresh and inputs.key not in shop.made)
    built = None if anew else _recall(shop, inputs, folder)
    if built is None:
        engine = shop.site(row.arch).engine
        built = build_wheel(
            engine,
            shop.store,
            inputs,
            image,
            folder,
            keep=shop.keep,
            shell=shell,
            shown_from=shown_from,
            jobs=shop.jobs,
            fetched=so_far.fetched if so_far else None,
        )
        _remember(shop, inputs, built)
        shop.made.add(inputs.key)
    return inputs, built


def row_inputs(
    shop: Workshop,
    recipe: Recipe,
    row: Row,
    image: ReadyImage,
    *,
    version: str | None = None,
    source: Path | None = None,
    so_far: SoFar | None = None,
) -> BuildInputs:
    """All that the wheel of a row is built from in that image, but for what the build's lock names.

    Raises:
        RecipeError, FetchError, EngineError: as their parts say.
    """
    row = built_as(recipe, row, image.python)
    plan = cuda_plan(recipe, row, known_trains())
    cuda = cuda_build(plan, image, lambda train: cuda_toolkit(shop.store, train, arch=row.arch, host=image.arch))
    cross = None
    if image.arch != row.arch:
        python = target_python(shop.store, python_version(row.python), row.arch)
        cross = CrossBuild(host=image.arch, python=python)
    inputs = collect_inputs(
        shop.store,
        recipe,
        row,
        image.digest,
        version=version,
        source=source,
        without=shop.run.outputs,
        cuda=cuda,
        cross=cross,
        mirrors=shop.mirrors,
    )
    if so_far:
        so_far.came_from(source_pin(inputs, source, shop.store, shop.run))
        so_far.toolchains = inputs.toolchains(image)
        so_far.inputs = (inputs.origin, *inputs.trees)
    return inputs


def row_images(images: ImageSet, recipe: Recipe, row: Row) -> list[ImageRequest]:
    """All images of the row, the builder first: it takes longest, and the others are made beside it.

    `images` are those that build: of another processor than the row's, they have a builder for it by another name.

    Raises:
        NotHereError: they have none.
        RecipeError: the builder is not an image that builds: only these have interpreters where builds look.
    """
    recipe = tried_in(recipe, row, images.definitions)
    tried = [one.image or recipe.images.test for one in recipe.cmake.environments] if recipe.cmake else []
    away = [recipe.images.runtime] if recipe.consumer else []
    builder = recipe.variants[row.variant].builder or recipe.images.builder
    role = images.definition(builder).role
    if role != "builder":
        known = (name for name, one in images.definitions.items() if one.role == "builder")
        raise RecipeError(
            f"{row.id} is to be built in the image '{builder}', whose role is {role}, not builder.",
            advice=f"Correct images.builder or the variant's builder. {nearest(builder, known)}",
        )
    if images.arch != row.arch:
        builder = _cross_builder(images, builder, row)
    others = [ImageRequest(name) for name in dict.fromkeys([*tried, *away])]
    return [ImageRequest(builder, python_version(row.python)), *others]


def _cross_builder(images: ImageSet, builder: str, row: Row) -> str:
    """The image that builds for the row's processor in the place of `builder`."""
    found = next((other for arch, other in images.definition(builder).cross.items() if arch == row.arch), None)
    if found is None:
        raise NotHereError(
            f"{row.id} cannot be built on {images.arch}: image '{builder}' names no other that builds for {row.arch}.",
            advice=f"Name one in images/{builder}.toml as cross.{row.arch}, or build on an engine of that processor "
            f"(--engine {row.arch}=ADDRESS) or under emulation (--emulate).",
        )
    return found


def ensure_images(shop: Workshop, recipe: Recipe, row: Row) -> ReadyImage:
    """Have all images of the row; the one that builds, with the first interpreter of those that may build it."""
    site = shop.site(row.arch)
    builder, *others = row_images(site.builders, recipe, row)
    layers = (layer.version for layer in site.builders.definition(builder.name).stand_in.python)
    *first, last = (replace(builder, python=python) for python in building_pythons(recipe, row, layers))
    for request in first:
        with suppress(NotHereError):
            return _ensure(shop, site, request, others)
    return _ensure(shop, site, last, others)


def _ensure(shop: Workshop, site: Site, builder: ImageRequest, others: Sequence[ImageRequest]) -> ReadyImage:
    if site.builders.arch == site.images.arch:
        image, *_ = site.images.ensure_many([builder, *others], policy=shop.policy)
        return image
    site.images.ensure_many(others, policy=shop.policy)
    return site.builders.ensure(builder.name, python=builder.python, policy=shop.policy)


def _remember(shop: Workshop, inputs: BuildInputs, built: BuiltWheel) -> None:
    value = {
        "wheel": shop.store.add_file(built.path),
        "filename": built.path.name,
        "steps": [step.model_dump(mode="json") for step in built.steps],
        "inputs": [one.model_dump(mode="json") for one in built.inputs],
        "toolchains": [one.model_dump(mode="json") for one in built.toolchains],
        "checks": [one.model_dump(mode="json") for one in built.checks],
        "notes": [one.model_dump(mode="json") for one in built.notes],
    }
    shop.store.put_ref(KIND, inputs.key, value)


def _recall(shop: Workshop, inputs: BuildInputs, folder: Path) -> BuiltWheel | None:
    value = shop.store.get_ref(KIND, inputs.key)
    blob = shop.store.blob(value["wheel"], verify=True) if value else None
    if value is None or blob is None:
        return None
    return BuiltWheel(
        path=place(blob, folder / "wheel", value["filename"]),
        steps=tuple(StepRecord.model_validate(step) for step in value["steps"]),
        inputs=tuple(Pinned.model_validate(one) for one in value["inputs"]),
        toolchains=tuple(Pinned.model_validate(one) for one in value["toolchains"]),
        checks=tuple(CheckRecord.model_validate(one) for one in value["checks"]),
        notes=tuple(Note.model_validate(one) for one in value["notes"]),
    )
