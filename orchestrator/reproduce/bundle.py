"""A report with what its run worked with: read from a bundle, or from what the run's folder still holds."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from orchestrator.errors import UsageError
from orchestrator.ground.sessions import ROOT
from orchestrator.recipe.load import RECIPE_FILE, find_recipe
from orchestrator.report.model import FilePin, Given, RowReport, RunReport, SourcePin
from orchestrator.report.write import REPORT_FILE
from orchestrator.reproduce.contents import (
    BUNDLE_FILE,
    CONTENTS_FILE,
    Contents,
    Member,
    image_name,
    inside,
    recipe_name,
    source_name,
    wheel_name,
)
from orchestrator.reproduce.members import FolderMembers, Members, ZipMembers, damaged, read_small, reading, take
from orchestrator.reproduce.trees import unpack_tree
from orchestrator.store.store import sha256_file

MOST_REPORT_BYTES = 1 << 30
"""Of a report.json or bundle.json: a report of 10,000 checks takes some 10 MB."""

RECIPES = ROOT / "recipes"


@dataclass(frozen=True)
class Bundle:
    """A run's report, and its files as far as they are there; each is held against its hash when it is taken.

    `where` is what was opened; `members` and `contents` are None where there is no bundle, but only a report;
    `folder` is the run's own folder, if that is there.
    """

    where: Path
    report: RunReport
    members: Members | None = None
    contents: Contents | None = None
    folder: Path | None = None

    def lacks(self, row: RowReport) -> tuple[FilePin, ...]:
        """The recipe's files that this bundle has not; all of them where there is only a report."""
        files = row.given.files if row.given else ()
        return tuple(pin for pin in files if self._member(recipe_name(pin.path), pin.sha256) is None)

    def recipe_folder(self, target: Path, row: RowReport) -> Path:
        """The recipe's folder as the run had it: from the bundle in `target`, a new folder, with its own source.

        Files that the bundle lacks are absent (see `lacks`).  Where there is only a report, the recipe's own folder
        as it is now, found by the words that named it: whoever takes that compares its revision.

        Raises:
            FetchError: the bundle is damaged.
            RecipeError, UsageError: there is only a report, and no such recipe.
            DiskError: `target` cannot be written.
        """
        given = _given(row)
        if self.contents is None or self.members is None:
            return find_recipe(given.recipe, RECIPES).parent
        with reading(self.where, RECIPE_FILE):
            pins = {inside(pin.path): pin for pin in given.files}
        for path, pin in pins.items():
            if member := self._member(recipe_name(pin.path), pin.sha256):
                take(self.members, member, target / path)
        source = given.source
        if source is not None and source.kind == "recipe":
            with reading(self.where, source_name(source.sha256)):
                place = target / inside(source.name or ".")
            self._unpack(source, place, known=frozenset(pins), top=target)
        return target

    def source(self, sha256: str, folder: Path) -> Path | None:
        """The file of a source in `folder`, a tree's tar or an sdist; None where it is not in the bundle.

        Raises:
            FetchError: the bundle is damaged.
            DiskError: `folder` cannot be written.
        """
        member = self._member(source_name(sha256), sha256)
        return take(self.members, member, folder / f"{sha256}.tar") if member and self.members else None

    def source_folder(self, source: SourcePin, target: Path) -> Path | None:
        """The tree of a source, unpacked to `target`, a new folder; None for an sdist, and where it is not there.

        Raises:
            FetchError: the bundle is damaged, or the tar is unsafe.
            DiskError: `target` cannot be written.
        """
        return target if source.kind != "sdist" and self._unpack(source, target) else None

    def wheel(self, sha256: str, folder: Path) -> Path | None:
        """The wheel of that hash in `folder`, under its own name; from the bundle, else the run's folder, else None.

        Raises:
            FetchError: the bundle is damaged.
            DiskError: `folder` cannot be written.
        """
        for row in self.report.rows:
            pin = row.given.wheel if row.given else None
            if pin is None or pin.sha256 != sha256:
                continue
            with reading(self.where, "wheel"):
                name, place = PurePosixPath(inside(pin.path)).name, inside(row.row)
            if (member := self._member(wheel_name(sha256, name), sha256)) and self.members:
                return take(self.members, member, folder / name)
            built = self.folder / place / "wheel" / name if self.folder else None
            if built and built.is_file() and not built.is_symlink() and sha256_file(built) == sha256:
                return built
        return None

    def image(self, digest: str, folder: Path) -> Path | None:
        """The docker-save file of that image in `folder`; None where it is not in the bundle.

        Raises:
            FetchError: the bundle is damaged.
            DiskError: `folder` cannot be written.
        """
        member = self._member(image_name(digest))
        name = PurePosixPath(member.name).name if member else ""
        return take(self.members, member, folder / name) if member and self.members else None

    def _member(self, name: str, sha256: str | None = None) -> Member | None:
        """The member of that name and hash, if there is one."""
        found = self._by_name.get(name)
        return found if found and sha256 in (None, found.sha256) else None

    @cached_property
    def _by_name(self) -> dict[str, Member]:
        return {one.name: one for one in self.contents.files} if self.contents else {}

    def _unpack(
        self, source: SourcePin, target: Path, *, known: frozenset[str] = frozenset(), top: Path | None = None
    ) -> bool:
        """Unpack a tree; files of it that are `known`, by their paths in `top`, are there already."""
        member = self._member(source_name(source.sha256), source.sha256)
        if member is None or self.members is None:
            return False
        tar = take(self.members, member, (top or target).with_name(f".{source.sha256}.tar"))
        try:
            unpack_tree(tar, target, self.where, known={(top or target) / path for path in known})
        finally:
            tar.unlink(missing_ok=True)
        return True


def open_bundle(path: Path) -> Bundle:
    """Open a bundle.zip, a run's report.json, the folder of a run, or that of an unpacked bundle.

    A bundle that lies beside a report goes before it.

    Raises:
        UsageError: there is no such file, or it is neither.
        FetchError: it is damaged.
    """
    if path.is_dir():
        for name in (BUNDLE_FILE, CONTENTS_FILE, REPORT_FILE):
            if (path / name).is_file():
                return open_bundle(path / name)
        raise UsageError(
            f"The folder '{path}' holds neither {BUNDLE_FILE} nor {REPORT_FILE}.",
            advice="Give a run's folder, such as reports/latest, its bundle or its report.",
        )
    if not path.is_file():
        raise _absent(path)
    if path.name == CONTENTS_FILE:
        return _bundle(path.parent, FolderMembers(path.parent))
    with reading(path, path.name), path.open("rb") as stream:
        is_zip = stream.read(2) == b"PK"
    if is_zip:
        return _bundle(path, ZipMembers(path))
    report = _report(read_small(FolderMembers(path.parent), path.name, MOST_REPORT_BYTES), path)
    beside = path.with_name(BUNDLE_FILE)
    if path.name == REPORT_FILE and beside.is_file():
        bundle = open_bundle(beside)
        if bundle.report.run == report.run:
            return bundle
    return Bundle(path, report, folder=path.parent)


def _absent(path: Path) -> UsageError:
    if path.name == BUNDLE_FILE and path.with_name(REPORT_FILE).is_file():
        return UsageError(
            f"The run in '{path.parent}' wrote no bundle: nothing of it failed, or it was a try itself.",
            advice="Give the bundle, or the report, of the run that failed.",
        )
    return UsageError(f"There is no file '{path}'.", advice=f"Give a run's {BUNDLE_FILE} or {REPORT_FILE}.")


def _bundle(where: Path, members: Members) -> Bundle:
    try:
        contents = Contents.model_validate_json(read_small(members, CONTENTS_FILE, MOST_REPORT_BYTES))
    except ValidationError as error:
        raise damaged(where, f"has a {CONTENTS_FILE} that is none", _first(error)) from error
    if twice := [name for name, count in Counter(one.name for one in contents.files).items() if count > 1]:
        raise damaged(where, f"names '{min(twice)}' twice")
    told = next((one for one in contents.files if one.name == REPORT_FILE), None)
    data = read_small(members, REPORT_FILE, MOST_REPORT_BYTES)
    if told is None or hashlib.sha256(data).hexdigest() != told.sha256:
        raise damaged(where, f"has another {REPORT_FILE} than its contents say")
    folder = where.parent if (where.parent / REPORT_FILE).is_file() else None
    return Bundle(where, _report(data, where), members, contents, folder)


def _report(data: bytes, where: Path) -> RunReport:
    try:
        return RunReport.model_validate_json(data)
    except ValidationError as error:
        raise UsageError(
            f"'{where}' holds no report of a run that this version can read.",
            detail=_first(error),
            advice=f"Give a run's {BUNDLE_FILE} or {REPORT_FILE}; one of another version is read by that version.",
        ) from error


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}".removeprefix(": ")


def _given(row: RowReport) -> Given:
    if row.given is None:
        raise UsageError(
            f"The report does not say what {row.row} depends on: the row was not worked on.",
            advice="Give a report of a run that worked on it.",
        )
    return row.given
