"""A run that failed, as a bundle is made of it: no engine, no store, nothing was built; bundles that are changed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from orchestrator.build.source import pack_source
from orchestrator.errors import FetchError
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import (
    CheckRecord,
    FilePin,
    Given,
    ImageUse,
    RowReport,
    RunReport,
    SourcePin,
    Verdict,
)
from orchestrator.report.reproduction import with_reproduction
from orchestrator.report.write import write_report
from orchestrator.reproduce.bundle import Bundle, open_bundle
from orchestrator.reproduce.contents import BUNDLE_FILE
from orchestrator.reproduce.kept import Kept
from orchestrator.reproduce.pins import recipe_pins, revision_of
from orchestrator.reproduce.write_bundle import OpenImage, write_bundle
from orchestrator.secrets import Secrets
from orchestrator.store.store import sha256_file
from tests.support.tiny import tiny_recipe
from tests.support.wheels import make_wheel

ROW = "tiny/cpu/x86_64/cp311"
DIGEST = f"sha256:{'ab' * 32}"
FAILED = CheckRecord(
    id="G1", name="runs", subject="app", environment="bookworm/cmake-4.4.5/make", verdict=Verdict.FAIL, reason="exit 1"
)


@dataclass(frozen=True)
class FailedRun:
    """A run's folder, report, and what it kept; its recipe's folder and its wheel."""

    folder: Path
    report: RunReport
    kept: Kept
    recipe: Path
    wheel: Path

    @property
    def row(self) -> RowReport:
        """Its one row."""
        return self.report.rows[0]

    @property
    def given(self) -> Given:
        """What that depends on."""
        assert self.row.given is not None
        return self.row.given

    def bundle(
        self, *, secrets: Secrets | None = None, most: int = 1 << 20, open_image: OpenImage | None = None
    ) -> Path:
        """Its bundle, written."""
        return write_bundle(self.report, self.folder, self.kept, secrets or Secrets(), most=most, open_image=open_image)


def failed_run(
    folder: Path, *, check: CheckRecord = FAILED, files: Mapping[str, bytes] = MappingProxyType({}), lock: bytes = b""
) -> FailedRun:
    """A run of the tiny recipe whose wheel, with these files too, fails a check; `lock` is another than its own."""
    recipe = tiny_recipe(folder)
    if lock:
        (recipe / "build.lock").write_bytes(lock)
    (recipe / "source" / "tool.sh").write_text("#!/bin/sh\n")
    (recipe / "source" / "tool.sh").chmod(0o755)
    (recipe / "source" / "link").symlink_to("tiny.c")
    pins = recipe_pins(load_recipe(str(recipe), folder))
    source = pack_source(recipe / "source")
    wheel = make_wheel(folder, {"tiny/__init__.py": b"", **files}, name="tiny")
    assert isinstance(source.tar, bytes)
    given = Given(
        verb="verify",
        code="c" * 64,
        recipe=str(recipe),
        revision=revision_of(pins),
        files=pins,
        source=SourcePin(kind="recipe", name="source", sha256=source.sha256, size=len(source.tar)),
        wheel=FilePin(path=wheel.name, sha256=sha256_file(wheel), size=wheel.stat().st_size),
    )
    image = ImageUse(role="test", reference="bookworm:1", digest=DIGEST, origin="stand-in", name="bookworm")
    row = RowReport(row=ROW, verdict=check.verdict, checks=(check,), given=given, images=(image,))
    time = datetime(2026, 1, 1, tzinfo=UTC)
    report = RunReport(
        schema=1,
        run="run-1",
        command="nox -s verify",
        started=time,
        finished=time,
        verdict=check.verdict,
        exit=1,
        tool="wheel-orchestrator 1",
        rows=(row,),
    )
    where = folder / "reports" / "run-1"
    report = with_reproduction(report, where / BUNDLE_FILE)
    write_report(report, where)
    logs = where / ROW
    logs.mkdir(parents=True)
    (logs / "bookworm-make.log").write_text("what the compiler said\n")
    kept = Kept({given.revision: recipe}, {source.sha256: source.tar}, {sha256_file(wheel): wheel})
    return FailedRun(where, report, kept, recipe, wheel)


def rewritten(bundle: Path, change: Callable[[dict[str, bytes]], None], *, told: bool = True) -> Path:
    """The bundle with other members; its contents tell the new hashes, unless not `told`."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    contents = json.loads(members["bundle.json"])
    for one in contents["files"] if told else ():
        if (data := members.get(one["name"])) is not None:
            one |= {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    members["bundle.json"] = json.dumps(contents).encode()
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return bundle


def edited(members: dict[str, bytes], name: str, change: Callable[[Any], object]) -> None:
    """Change a JSON document among the members."""
    value = json.loads(members[name])
    change(value)
    members[name] = json.dumps(value).encode()


def use(bundle: Bundle, target: Path) -> None:
    """Take all that a bundle has."""
    for row in bundle.report.rows:
        given = row.given
        if given is None:
            continue
        bundle.recipe_folder(target / "recipe", row)
        if given.source:
            bundle.source(given.source.sha256, target / "source")
            bundle.source_folder(given.source, target / "tree")
        if given.wheel:
            bundle.wheel(given.wheel.sha256, target / "wheel")
        for use in row.images:
            bundle.image(use.digest, target / "images")


def refusal(bundle: Path, target: Path) -> str:
    """How taking all that the bundle has is refused."""
    with pytest.raises(FetchError) as refused:
        use(open_bundle(bundle), target)
    assert refused.value.advice
    return f"{refused.value}"
