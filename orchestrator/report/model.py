"""The report of a run: the records that builds, checks and notes write, and their verdicts.

The same model serves `build`, `verify` and `inspect`.  Its JSON Schema is published as
`orchestrator/report/report.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from orchestrator.processor import Method

SCHEMA_VERSION: Final = 1


class Verdict(StrEnum):
    """Three verdicts and no fourth."""

    PASS = "pass"
    FAIL = "fail"
    NOT_RUN = "not-run"


class Record(BaseModel):
    """Base of all report records: immutable, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _encodable(cls, value: Any) -> Any:
        """File names need not be UTF-8; Python spells such bytes as lone surrogates, which no report can hold."""
        return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


class CheckRecord(Record):
    """One check's verdict on one subject, in one environment or in none."""

    id: str = Field(description="Catalogue id, such as B1.")
    name: str = Field(description="Readable name, such as owned-once.")
    subject: str = Field(description="What was judged: a member of the wheel, a component, a header.")
    environment: str | None = Field(
        default=None, description="Where it ran, such as bookworm/cmake-3.24.3/ninja; null for static checks."
    )
    verdict: Verdict
    reason: str = Field(default="", description="Why it fails or did not run; what was inspected when it passes.")
    evidence: tuple[str, ...] = ()
    fix: str = Field(default="", description="What to do about a failure.")
    waived: str | None = Field(default=None, description="Why a failure, or that it did not run, is accepted.")
    reproduce: str = Field(default="", description="The command that tries again what failed; empty elsewhere.")
    unanswered: bool = Field(
        default=False, description="Whether it did not run because what should have answered was stopped or killed."
    )
    seconds: float = Field(default=0.0, description="Wall-clock seconds.")


class Note(Record):
    """An observation without a verdict."""

    id: str
    subject: str
    text: str


class ImageUse(Record):
    """A container image that took part."""

    role: Literal["builder", "test", "runtime"]
    reference: str
    digest: str
    origin: Literal["official", "stand-in"]
    name: str = Field(default="", description="Its name in images/.")
    python: str | None = Field(default=None, description="The interpreter that was asked for, or the image's own.")
    arch: str = Field(default="", description="The processor that it is for.")


class Pinned(Record):
    """A pinned input or toolchain: name, version, SHA-256 in hexadecimal."""

    name: str
    version: str
    sha256: str


class StepRecord(Record):
    """A process that ran for the row: its command, wall-clock seconds and exit status."""

    name: str
    command: str
    seconds: float
    exit: int


class WheelFacts(Record):
    """The wheel that was judged.  Size in bytes."""

    name: str
    sha256: str
    size: int
    tag_claimed: str
    tag_measured: str | None = None


class LibraryFacts(Record):
    """A library of the wheel, as its composition is told.  Size in bytes, of the file as installed."""

    path: str = Field(description="The member of the wheel.")
    sha256: str
    size: int
    machine: str = Field(default="", description="Processor (ELF e_machine), such as x86_64; empty if unreadable.")
    soname: str | None = None
    needed: tuple[str, ...] = ()
    search: tuple[str, ...] = Field(default=(), description="Entries of RUNPATH, or of RPATH where there is none.")
    search_kind: Literal["RUNPATH", "RPATH"] | None = None
    owns: tuple[str, ...] = Field(default=(), description="What the recipe says it owns, and it defines.")
    device_code: tuple[str, ...] = Field(default=(), description="Such as `sm_90` for a cubin, `compute_120` for PTX.")
    exports: int = Field(default=0, description="How many symbols it exports.")
    error: str = Field(default="", description="Why it cannot be read.")


class FilePin(Record):
    """A file by its hash.  `path` is relative and separated by slashes; size in bytes."""

    path: str
    sha256: str
    size: int


class SourcePin(Record):
    """What a wheel was built from.

    `kind` says whence: the recipe's own folder, another folder (`--source`), a published sdist, a git commit.
    `sha256` is that of the sdist's file, else of the tree's deterministic tar, with `size` in bytes; `name` is the
    folder within the recipe's, the other folder, the sdist's requirement, or the repository's address and commit.
    """

    kind: Literal["recipe", "folder", "sdist", "git"]
    name: str = ""
    sha256: str
    size: int = 0


class Given(Record):
    """What a row's result depends on, beside its images, toolchains and inputs: enough to have it again.

    Digests are SHA-256 in hexadecimal.
    """

    verb: Literal["build", "verify", "inspect"]
    code: str = Field(description="Digest of this tool's own code.")
    definitions: str = Field(default="", description="Digest of the images' definitions and of all locks beside them.")
    recipe: str = Field(default="", description="The recipe as it was asked for: its name, or a path.")
    revision: str = Field(default="", description="Digest of the recipe's files.")
    files: tuple[FilePin, ...] = Field(default=(), description="The recipe's files, its source aside.")
    source: SourcePin | None = None
    wheel: FilePin | None = Field(default=None, description="A wheel that was given, or that was built and judged.")
    published: str = Field(default="", description="name==version of a wheel that came from an index.")
    variant: str | None = Field(default=None, description="The variant that was asked for by name.")
    version: str | None = Field(default=None, description="The public version that was asked for.")
    policy: Literal["auto", "stand-in", "official-only"] = "auto"
    gpus: str | None = None
    engines: tuple[str, ...] = Field(default=(), description="Processors for which engines were named.")
    emulate: bool = False
    jobs: int | None = Field(default=None, description="Compilations at a time: what a build needs of memory and time.")
    release: bool = False
    probe: bool = False


class RowReport(Record):
    """Everything about one row."""

    row: str = Field(description="recipe/variant/processor/python, such as minirt/cpu/x86_64/cp311.")
    verdict: Verdict
    wheel: WheelFacts | None = None
    method: Method | None = Field(
        default=None, description="How its programs were built and ran, if containers took part."
    )
    images: tuple[ImageUse, ...] = ()
    toolchains: tuple[Pinned, ...] = ()
    inputs: tuple[Pinned, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    checks: tuple[CheckRecord, ...] = ()
    notes: tuple[Note, ...] = ()
    given: Given | None = None
    libraries: tuple[LibraryFacts, ...] = ()

    @property
    def pinned(self) -> str:
        """SHA-256 over all that the row's result depends on: who has the same digest has the same inputs."""
        parts = self.model_dump(mode="json", include={"row", "given", "method", "images", "toolchains", "inputs"})
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class RunReport(Record):
    """One invocation."""

    schema_: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    run: str
    command: str
    started: datetime
    finished: datetime
    verdict: Verdict
    exit: int
    tool: str
    rows: tuple[RowReport, ...]

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


def row_verdict(checks: Iterable[CheckRecord], *, release: bool = False) -> Verdict:
    """The verdict of a row.

    A row fails if an unwaived check fails, or, for a release, if a check did not run that its policy does not
    permit; it is 'not run' if no check ran at all, in a release too where the policy permits that.
    """
    checks = tuple(checks)
    if checks and all(check.waived and check.verdict is Verdict.NOT_RUN for check in checks):
        return Verdict.NOT_RUN
    counted = [check for check in checks if check.waived is None]
    if any(check.verdict is Verdict.FAIL for check in counted):
        return Verdict.FAIL
    ran = any(check.verdict is Verdict.PASS for check in counted)
    if release and (not ran or any(check.verdict is Verdict.NOT_RUN for check in counted)):
        return Verdict.FAIL
    return Verdict.PASS if ran else Verdict.NOT_RUN


def run_verdict(rows: Iterable[RowReport]) -> Verdict:
    """The verdict of a run: the worst of its rows; a run without rows did not run."""
    verdicts = {row.verdict for row in rows}
    for verdict in (Verdict.FAIL, Verdict.NOT_RUN, Verdict.PASS):
        if verdict in verdicts:
            return verdict
    return Verdict.NOT_RUN
