"""Refreshing locks from what they are made of, and showing the difference.

| made of | lock |
|---|---|
| `images/toolchains/NAME.in` | `images/toolchains/NAME.lock` |
| `recipes/NAME/NAME.in`, or those of any folder | the same with `.lock` |
| `pyproject.toml` with its extra `dev` | `requirements.lock`, the environment of bootstrap |
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from orchestrator.console import get_console
from orchestrator.errors import FetchError, UsageError, nearest, process_detail
from orchestrator.files import aside, writing
from orchestrator.ground.pipenv import isolated, local_wheels
from orchestrator.store.locks import LockError, Requirement, parse_lock, parse_lock_text

_OPTIONS = (
    "--quiet",
    "--refresh",  # the index's answer of today, not a cached one
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-header",
    "--no-annotate",
    "--python-version=3.11",
    "--python-platform=x86_64-manylinux_2_28",
)


@dataclass(frozen=True, kw_only=True)
class LockSource:
    """A lock and what it is made of."""

    source: Path
    lock: Path
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LockChange:
    """How one requirement of a lock differs; `before` or `after` is empty if it is new or gone."""

    name: str
    before: str
    after: str
    hashes_added: int
    hashes_removed: int

    def describe(self) -> str:
        """The change in words."""
        hashes = f"{self.hashes_added} hashes more, {self.hashes_removed} fewer"
        if not self.before:
            return f"added, {self.after}"
        if not self.after:
            return f"removed, was {self.before}"
        if self.before == self.after:
            return f"{self.after}: {hashes}"
        return f"{self.before} -> {self.after}"


@dataclass(frozen=True, kw_only=True)
class LockResult:
    """A lock that was resolved anew, and its differences."""

    lock: Path
    changes: tuple[LockChange, ...]


def lock_sources(root: Path) -> tuple[LockSource, ...]:
    """All locks of a repository that are made of requirements."""
    inputs = [*sorted((root / "images" / "toolchains").glob("*.in")), *sorted((root / "recipes").glob("*/*.in"))]
    sources = [LockSource(source=path, lock=path.with_suffix(".lock")) for path in inputs]
    project = root / "pyproject.toml"
    if project.is_file():
        sources.append(LockSource(source=project, lock=root / "requirements.lock", options=("--extra=dev",)))
    return tuple(sources)


def refresh_locks(root: Path, *, check: bool = False, only: Sequence[str] = ()) -> tuple[LockResult, ...]:
    """Resolve every lock anew, to the newest versions, and, unless `check`, write those that differ.

    `only` limits this to locks whose path in the repository contains one of these words; a word may
    also be a folder anywhere, such as a recipe's, whose `.in` files then get their locks.

    Raises:
        UsageError: no lock's path contains a word of `only`, and it is no folder with such files.
        FetchError: a lock cannot be resolved; locks written before it stay.
        RecipeError: a lock that is there is malformed.
    """
    ours = {_title(source.lock, root): source for source in lock_sources(root)}
    chosen = {} if only else ours
    for word in only:
        found = {_title(source.lock, root): source for source in _of_folder(Path(word))}
        found = found or {title: source for title, source in ours.items() if word in title}
        if not found:
            raise _no_lock(word, ours)
        chosen |= found
    results = []
    for title, source in chosen.items():
        with get_console().step(f"resolve {title}"):
            results.append(refresh_lock(source, check=check))
    return tuple(results)


def _of_folder(folder: Path) -> tuple[LockSource, ...]:
    """The locks that the requirements in a folder make; none if it is no folder or has none."""
    inputs = sorted(folder.resolve().glob("*.in")) if folder.is_dir() else []
    return tuple(LockSource(source=path, lock=path.with_suffix(".lock")) for path in inputs)


def _title(lock: Path, root: Path) -> str:
    """A lock's path, in the repository where it lies there."""
    return str(lock.relative_to(root) if lock.is_relative_to(root) else lock)


def _no_lock(word: str, known: Iterable[str]) -> UsageError:
    if Path(word).is_dir():
        return UsageError(
            f"The folder '{word}' has no requirements to make a lock of.",
            advice="Write what the build needs into a build.in there, one requirement a line (PEP 508).",
        )
    return UsageError(f"There is no lock '{word}'.", advice=nearest(word, known))


def refresh_lock(source: LockSource, *, check: bool) -> LockResult:
    """As `refresh_locks`, of one lock."""
    before = parse_lock(source.lock) if source.lock.exists() else ()
    with tempfile.TemporaryDirectory(prefix="orchestrator-lock-") as folder:
        resolved = Path(folder, source.lock.name)
        _compile(source, resolved)
        text = resolved.read_text(encoding="utf-8")
    changes = compare_locks(before, parse_lock_text(text, str(source.source)))
    if changes and not check:
        write_lock(source.lock, text)
    return LockResult(lock=source.lock, changes=changes)


def write_lock(lock: Path, text: str) -> None:
    """Replace a lock.

    Raises:
        DiskError: it cannot be written.
    """
    with writing(lock), aside(lock) as hidden:
        hidden.write_text(text, encoding="utf-8")


def compare_locks(before: Iterable[Requirement], after: Iterable[Requirement]) -> tuple[LockChange, ...]:
    """What differs between two locks, by name."""
    old = {requirement.name: requirement for requirement in before}
    new = {requirement.name: requirement for requirement in after}
    changes = []
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        hashes_was = set(was.hashes) if was else set()
        hashes_now = set(now.hashes) if now else set()
        if was and now and was.version == now.version and hashes_was == hashes_now:
            continue
        changes.append(
            LockChange(
                name=name,
                before=was.version if was else "",
                after=now.version if now else "",
                hashes_added=len(hashes_now - hashes_was),
                hashes_removed=len(hashes_was - hashes_now),
            )
        )
    return tuple(changes)


def changes_table(results: Sequence[LockResult], root: Path) -> Table:
    """The differences of all locks, for a terminal."""
    table = Table("lock", "package", "change", title="Locks", title_justify="left")
    for result in results:
        lock = _title(result.lock, root)
        if not result.changes:
            table.add_row(lock, "", "unchanged")
        for change in result.changes:
            table.add_row(lock, change.name, change.describe())
            lock = ""
    return table


def _compile(source: LockSource, output: Path) -> None:
    # By path, as the environment need not be on the PATH.
    beside = Path(sys.executable).with_name("uv")
    program = str(beside) if beside.exists() else "uv"
    command = [program, "pip", "compile", *_OPTIONS, *source.options, str(source.source), f"--output-file={output}"]
    try:
        done = subprocess.run(
            command,
            env=isolated(os.environ) | local_wheels(os.environ),
            cwd=source.source.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise LockError("'uv' is missing from this environment.", advice="Start with ./bootstrap locks.") from None
    if done.returncode != 0:
        raise FetchError(
            f"'{source.source}' cannot be resolved.", detail=process_detail(command, done.returncode, done.stdout)
        )
