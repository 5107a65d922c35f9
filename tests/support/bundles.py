"""A run that failed, as a bundle is made of it: no engine, no store, nothing was built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from orchestrator.build.source import pack_source
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
