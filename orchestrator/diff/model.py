"""What differs between two wheels, or two reports: the records that `diff --json` prints.

`before` is always of the old side, `after` of the new one.  The JSON Schema is published as
`orchestrator/diff/diff.schema.json`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from orchestrator.report.model import Record, Verdict

SCHEMA_VERSION = 1

Way = Literal["moved", "removed", "weakened", "doubled", "single", "strengthened", "added"]
"""How the definitions of a symbol went, what matters first."""

How = Literal["new failure", "other reason", "no longer run", "gone", "waived", "fixed", "runs again", "new"]
"""How a check's result went, what matters first."""

Kind = Literal["header", "cmake", "pkg-config", "python", "other"]
"""What a member is, by its name."""


class Change(Record):
    """One value that is another now; null where a side has none."""

    name: str
    before: str | None
    after: str | None


class Values(Record):
    """Members of a set that came and went."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


class OrderedChange(Record):
    """A list whose order has a meaning, before and after."""

    before: tuple[str, ...]
    after: tuple[str, ...]


class SymbolChange(Record):
    """Symbols of one library, mangled; `@VERSION` stands behind those that have one.

    Strong definitions decide who owns what; weak ones are what every user of a template or an inline function has.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    weak_added: tuple[str, ...] = ()
    weak_removed: tuple[str, ...] = ()
    weakened: tuple[str, ...] = Field(default=(), description="Strong before, weak now.")
    strengthened: tuple[str, ...] = Field(default=(), description="Weak before, strong now.")

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in type(self).model_fields)


class LibraryDiff(Record):
    """One library; sizes in bytes."""

    before: str | None = Field(description="Its member of the old wheel; null if it came.")
    after: str | None = Field(description="Its member of the new wheel; null if it went.")
    how: Literal["added", "removed", "same", "changed", "moved", "renamed"]
    because: str = Field(default="", description="Why two files of different names count as one library.")
    same_content: bool = False
    size_before: int | None = None
    size_after: int | None = None
    facts: tuple[Change, ...] = Field(default=(), description="SONAME, processor, kind of search path, damage.")
    needed: Values = Values()
    needed_order: OrderedChange | None = Field(default=None, description="If the same libraries come in another order.")
    search: OrderedChange | None = None
    versions: tuple[Change, ...] = Field(default=(), description="The newest symbol version needed, such as of GLIBC.")
    device_code: Values = Values()
    owns: Values = Field(default=Values(), description="By the recipe that was given.")
    symbols: SymbolChange | None = Field(default=None, description="Null where symbols were not compared.")

    @property
    def path(self) -> str:
        """Where it is now, or was."""
        return self.after or self.before or ""

    @property
    def linkage_changes(self) -> bool:
        """Whether the loader finds it, or what it needs, in another way."""
        return bool(self.facts or self.needed or self.needed_order or self.search or self.versions)


class Symbol(Record):
    """A symbol as in the symbol table, and its declaration where that says more."""

    name: str
    declaration: str


class SymbolGroup(Record):
    """Symbols whose strong definitions went the same way.

    Libraries are named by their new members, those that went by their old ones.
    moved: other libraries define them now.  doubled: further libraries do.  single: fewer do.  weakened,
    strengthened: the new, or old, wheel has weak definitions alone.  added, removed: the other wheel has none at all.
    """

    kind: Way
    before: tuple[str, ...] = Field(description="Libraries that no longer define them.")
    after: tuple[str, ...] = Field(description="Libraries that define them only now.")
    kept: tuple[str, ...] = Field(default=(), description="Libraries that still define them.")
    symbols: tuple[Symbol, ...]


class FileKind(Record):
    """Members of one kind, libraries aside."""

    kind: Kind
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[Change, ...] = Field(default=(), description="The same content at another place.")

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved)


class CMakeDiff(Record):
    """A CMake package of the wheel, by the name that find_package takes."""

    package: str
    how: Literal["added", "removed", "changed"]
    configs: Values = Field(default=Values(), description="Its config files.")
    names: Values = Field(default=Values(), description="Targets that its files name: namespaced, or of add_library.")


class SizeChange(Record):
    """A member's size in bytes; null where a side lacks it."""

    path: str
    before: int | None
    after: int | None

    @property
    def growth(self) -> int:
        """Bytes that came; negative for those that went."""
        return (self.after or 0) - (self.before or 0)


class WheelDiff(Record):
    """Two wheels; sizes in bytes."""

    before: str = Field(description="File name.")
    after: str = Field(description="File name.")
    same: bool = Field(description="Whether it is the same file.")
    not_compared: tuple[str, ...] = Field(default=(), description="What could not be compared, and why.")
    size: SizeChange
    installed: SizeChange | None = None
    facts: tuple[Change, ...] = Field(default=(), description="Name, version, measured tag, fields of METADATA.")
    tags: Values = Values()
    requirements: Values = Values()
    extras: Values = Values()
    entry_points: Values = Values()
    libraries: tuple[LibraryDiff, ...] = Field(default=(), description="Those that differ.")
    libraries_same: int = Field(default=0, description="How many do not.")
    symbols: tuple[SymbolGroup, ...] = ()
    files: tuple[FileKind, ...] = ()
    cmake: tuple[CMakeDiff, ...] = ()
    sizes: tuple[SizeChange, ...] = Field(default=(), description="The members that grew or shrank most.")

    @property
    def differs(self) -> bool:
        """Whether anything does that was compared."""
        told = (self.facts, self.tags, self.requirements, self.extras, self.entry_points, self.libraries, self.symbols)
        return any(map(bool, (*told, self.files, self.cmake)))


class CheckChange(Record):
    """A check's result that is another now; null where a side has no such result."""

    id: str
    name: str
    subject: str
    environment: str | None
    how: How
    before: Verdict | None
    after: Verdict | None
    reason_before: str = ""
    reason_after: str = ""


class RowDiff(Record):
    """One row of two reports."""

    row: str
    before: Verdict
    after: Verdict
    checks: tuple[CheckChange, ...] = ()
    inputs: tuple[Change, ...] = Field(default=(), description="Images, toolchains and inputs that are others.")
    wheel: WheelDiff | None = Field(default=None, description="Null where a side has no wheel.")


class Diff(Record):
    """What `diff` prints."""

    schema_: int = Field(default=SCHEMA_VERSION, alias="schema")
    before: str = Field(description="As it was asked for.")
    after: str = Field(description="As it was asked for.")
    wheel: WheelDiff | None = Field(default=None, description="Of two wheels.")
    rows: tuple[RowDiff, ...] = Field(default=(), description="Of two reports.")
    rows_added: tuple[str, ...] = ()
    rows_removed: tuple[str, ...] = ()

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
