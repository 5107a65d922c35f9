"""Results that the store remembers: a row that passed need not be worked on again."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.build.source import source_files
from orchestrator.cli.place import place
from orchestrator.cli.run_context import Run
from orchestrator.errors import WheelError
from orchestrator.files import files_digest
from orchestrator.images.official import last_change
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import recipe_files
from orchestrator.recipe.model import Recipe
from orchestrator.report.hidden import without_secrets
from orchestrator.report.model import Note, RowReport
from orchestrator.reproduce.pins import code_digest, definitions_digest
from orchestrator.secrets import secrets
from orchestrator.store.store import Store, sha256_file

KIND = "row-result"
TRIED_KIND = "row-tried"
VERDICT_KIND = "wheel-verdict"


@dataclass(frozen=True)
class RememberedRow:
    """A row's report and the wheel that it is about."""

    report: RowReport
    wheel: Path


def result_keys(
    store: Store,
    recipe: Recipe,
    run: Run,
    *,
    version: str | None,
    policy: str,
    gpus: str | None,
    source: Path | None,
    engines: Sequence[str] = (),
    emulate: bool = False,
) -> Callable[[Row], str]:
    """What gives each row of a recipe the SHA-256 over all that its result depends on; files are read once.

    That is the recipe's folder, another source that was given, the images' definitions, locks and accepted
    digests, our own code, which waivers have ended by today, and what was asked, processors of named engines
    too; not what `run` writes, should it lie in one of them.
    """
    parts = {
        "version": version,
        "policy": policy,
        "gpus": gpus,
        "engines": sorted(word.partition("=")[0] for word in engines),
        "emulate": emulate,
        "recipe": files_digest(source_files(recipe.folder, without=run.outputs)),
        "named": named_digest(recipe),
        "source": files_digest(source_files(source, without=run.outputs)) if source else None,
        "images": definitions_digest(),
        "official": last_change(store),
        "ended": [waiver.until.isoformat() for waiver in recipe.waiver if waiver.until < today()],
        "code": code_digest(),
    }

    def key(row: Row) -> str:
        return hashlib.sha256(json.dumps(parts | {"row": row.id}, sort_keys=True).encode()).hexdigest()

    return key


def result_key(
    store: Store,
    recipe: Recipe,
    row: Row,
    run: Run,
    *,
    version: str | None,
    policy: str,
    gpus: str | None,
    source: Path | None,
    engines: Sequence[str] = (),
    emulate: bool = False,
) -> str:
    """SHA-256 over all that a row's result depends on: see `result_keys`."""
    keys = result_keys(
        store,
        recipe,
        run,
        version=version,
        policy=policy,
        gpus=gpus,
        source=source,
        engines=engines,
        emulate=emulate,
    )
    return keys(row)


def named_digest(recipe: Recipe) -> str:
    """SHA-256 over the files that the recipe names: one may lie behind a link to a folder, which counts as a link."""
    return files_digest(recipe.folder / path for path in recipe_files(recipe))


def verdict_key(
    store: Store,
    recipe: Recipe,
    wheel: Path,
    run: Run,
    *,
    asked: Row,
    variant: str | None,
    policy: str,
    gpus: str | None,
    engines: Sequence[str] = (),
    emulate: bool = False,
    published: bool = False,
) -> str:
    """SHA-256 over all that the verdict on a given wheel depends on.

    `variant` is what was asked by name; `published` whether the wheel comes from an index.

    Raises:
        WheelError: the file cannot be read.
    """
    row = result_key(
        store,
        recipe,
        asked,
        run,
        version=None,
        policy=policy,
        gpus=gpus,
        source=None,
        engines=engines,
        emulate=emulate,
    )
    try:
        digest = sha256_file(wheel)
    except OSError as error:
        raise WheelError(f"{wheel}: cannot be read: {error.strerror or error}.") from error
    parts = {"row": row, "variant": variant, "wheel": digest, "filename": wheel.name, "published": published}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def remember_verdict(store: Store, key: str, report: RowReport, run: Run) -> None:
    """Keep the verdict on a given wheel, whatever it is, without secrets: who recalls it need not know them."""
    store.put_ref(
        VERDICT_KIND, key, {"report": without_secrets(report, secrets()).model_dump(mode="json"), "run": run.id}
    )


def recall_verdict(store: Store, key: str) -> RowReport | None:
    """The verdict of that key, if the store has it."""
    return _recalled(store.get_ref(VERDICT_KIND, key))


def _recalled(value: Mapping[str, Any] | None) -> RowReport | None:
    """The report that a record holds; one of another form counts as none."""
    if value is None:
        return None
    try:
        report, run = RowReport.model_validate(value["report"]), value["run"]
    except (KeyError, ValueError):
        return None
    about = report.wheel.name if report.wheel else report.row
    note = Note(id="store", subject=about, text=f"answered from the store; worked on in run {run}")
    return report.model_copy(update={"notes": (*report.notes, note)})


def today() -> datetime.date:
    """The day by which waivers are judged."""
    return datetime.date.today()


def remember(store: Store, key: str, report: RowReport, wheel: Path, run: Run) -> None:
    """Keep a row's result, without secrets, and its wheel."""
    value = {
        "report": without_secrets(report, secrets()).model_dump(mode="json"),
        "wheel": store.add_file(wheel),
        "filename": wheel.name,
        "run": run.id,
    }
    store.put_ref(KIND, key, value)


def note_tried(store: Store, key: str, report: RowReport, run: Run) -> None:
    """Keep which verdict a row's wheel got last; it answers no build, and tells people where the row stands."""
    store.put_ref(TRIED_KIND, key, {"verdict": report.verdict.value, "run": run.id})


def recall(store: Store, key: str, folder: Path) -> RememberedRow | None:
    """The result of that key, if the store has it and its wheel; the wheel is put into `folder`."""
    value = store.get_ref(KIND, key)
    report = _recalled(value)
    if value is None or report is None:
        return None
    try:
        blob, filename = store.blob(value["wheel"], verify=True), Path(value["filename"]).name
    except (KeyError, TypeError, ValueError):
        return None
    return RememberedRow(report, place(blob, folder / "wheel", filename)) if blob else None
