"""minirt's wheel for aarch64, compiled on x86_64, against that for x86_64: without compiler cache, nothing judged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import chdir

from orchestrator.cli.build_row import have_wheel, row_images
from orchestrator.cli.run_context import RECIPES, Run
from orchestrator.cli.workshop import Workshop, workshop
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.store.store import Store


def cross_built(variants: Sequence[str] = ("cpu", "cuda-13.0")) -> None:
    """Print one line a variant: seconds of both builds' steps, and their ratio, which must be at most 1.5."""
    recipe = load_recipe("minirt", RECIPES)
    assert recipe.build is not None
    recipe = recipe.model_copy(update={"build": recipe.build.model_copy(update={"compiler_cache": False})})
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        workshop(Run(command="bench"), Store.default(), policy="stand-in", keep=False, gpus=None) as shop,
    ):
        for variant in variants:
            # The first two fill engine and store.
            seconds = {arch: _built(shop, recipe, variant, arch) for arch in ("x86_64", "aarch64") * 2}
            ratio = seconds["aarch64"] / seconds["x86_64"]
            told = {f"{arch}_seconds": round(spent, 1) for arch, spent in seconds.items()}
            print(json.dumps({"bench": f"cross build of {variant}", **told, "ratio": round(ratio, 2)}))


def _built(shop: Workshop, recipe: Recipe, variant: str, arch: str) -> float:
    """Seconds that the steps of a row's build took."""
    row = Row(recipe="minirt", variant=variant, arch=arch, python="cp311")
    builders = shop.site(arch).builders
    builder, *_ = row_images(builders, recipe, row)
    image = builders.ensure(builder.name, python=builder.python, policy=shop.policy)
    _, built = have_wheel(shop, recipe, row, shop.run.row_folder(row.id), image, fresh=True)
    return sum(step.seconds for step in built.steps)
