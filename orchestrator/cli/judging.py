"""From a wheel and its recipe to a row's report: static checks, then fresh containers."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from orchestrator.build.source import source_files
from orchestrator.cli.results import named_digest
from orchestrator.cli.run_context import Run
from orchestrator.cli.untouched import Untouched
from orchestrator.cli.workshop import Workshop
from orchestrator.console import get_console
from orchestrator.files import files_digest
from orchestrator.plan.rows import Row
from orchestrator.plan.tried_in import tried_in
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Given, ImageUse, Note, Pinned, RowReport, StepRecord, row_verdict
from orchestrator.report.wheel_facts import wheel_facts
from orchestrator.report.words import METHODS
from orchestrator.reproduce.pins import code_digest
from orchestrator.verify.dynamic.remembered import Memory
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.peers import read_peers
from orchestrator.verify.run_static import run_static
from orchestrator.verify.static.library_facts import library_facts
from orchestrator.verify.subject import StaticSubject
from orchestrator.verify.waivers import apply_waivers
from orchestrator.wheel.model import Wheel


def judge(
    shop: Workshop,
    recipe: Recipe,
    row: Row,
    wheel: Wheel,
    folder: Path,
    *,
    version: str | None = None,
    source: Path | None = None,
    fresh: bool = False,
    published: bool = False,
    given: Given | None = None,
    images: Sequence[ImageUse] = (),
    inputs: Sequence[Pinned] = (),
    steps: Sequence[StepRecord] = (),
    toolchains: Sequence[Pinned] = (),
    guarded: Sequence[CheckRecord] = (),
    noted: Sequence[Note] = (),
) -> tuple[RowReport, bool]:
    """Run every check that applies; the report, and whether it is worth remembering.

    It is if all containers answered, nothing was stopped, and the wheels of all peers were had.  Where nothing
    changed the store answers for containers, unless `fresh`.  `source` is the checkout that was built instead of the
    recipe's own source; `published` says that the wheel was built elsewhere, `given` what the result depends on.
    `images`, `inputs`, `steps` and `toolchains` are the build's, `guarded` and `noted` what its guards wrote.

    Raises:
        EngineError: the engine refuses or goes away.
        RecipeError: the recipe names a peer that no lock of it does.
        FetchError: a peer has another hash than its lock gives, or what the wheel requires cannot be had.
    """
    console = get_console()
    untouched = Untouched(recipe, shop.run, source)
    recipe = tried_in(recipe, row, shop.images.definitions)
    peers = read_peers(shop.store, recipe, row)
    subject = StaticSubject(
        wheel=wheel, row=row, recipe=recipe, version=version, source=source, peers=peers, published=published
    )
    with console.step(f"static checks of {wheel.filename}"):
        checks, notes = run_static(subject)
    site = shop.site(row.arch)
    if site.method != "native":
        console.message(f"{row.id}: {METHODS[site.method]}")
    dynamic = run_dynamic(
        site.engine,
        site.images,
        shop.store,
        subject,
        policy=shop.policy,
        logs=folder,
        keep=shop.keep,
        gpus=shop.gpus if site.method == "native" else None,
        memory=Memory(shop.store, _key(subject, recipe, shop.run), fresh=fresh, holds=untouched),
    )
    judged = apply_waivers((*guarded, *checks, *dynamic.checks), recipe.waiver, datetime.date.today())
    report = RowReport(
        row=row.id,
        verdict=row_verdict(judged),
        wheel=wheel_facts(wheel, row.arch),
        method=site.method,
        images=(*images, *dynamic.images),
        toolchains=tuple(dict.fromkeys((*toolchains, *dynamic.toolchains))),
        inputs=tuple(dict.fromkeys((*inputs, *dynamic.inputs))),
        steps=(*steps, *dynamic.steps),
        checks=judged,
        notes=(*noted, *notes, *dynamic.notes),
        given=given,
        libraries=library_facts(subject),
    )
    return report, dynamic.answered and not any(peer.absent for peer in peers)


def _key(subject: StaticSubject, recipe: Recipe, run: Run) -> str:
    """SHA-256 over what all verdicts in containers depend on: wheel, row, recipe but for its waivers, our code."""
    folder = (path for path in source_files(recipe.folder, without=run.outputs) if path.name != "recipe.toml")
    parts = {
        "wheel": subject.wheel.sha256,
        "filename": subject.wheel.filename,
        "row": subject.row.id,
        "version": subject.version,
        "recipe": recipe.model_dump_json(exclude={"waiver"}),
        "folder": files_digest(folder),
        "named": named_digest(recipe),
        "source": files_digest(source_files(subject.source, without=run.outputs)) if subject.source else None,
        "code": code_digest(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
