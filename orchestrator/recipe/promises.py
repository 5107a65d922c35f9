"""What a recipe promises beside its components: which files ship, which symbols may meet, what is loaded and run."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from orchestrator.processor import Processor
from orchestrator.recipe.part import Flag, Name, Part, Reason, RelativePath


class OtherLibrary(Part):
    """A library beside the components' that may ship."""

    library: str = Field(description="Regular expression that its whole file name matches.")
    reason: Reason = Field(description="Why it ships.")


class Libraries(Part):
    """The folders of the SDK's libraries, which hold the components' and no others (B10)."""

    folders: tuple[RelativePath, ...] = Field(min_length=1, description="Folders of the wheel.")
    others: tuple[OtherLibrary, ...] = Field(default=(), description="Libraries that are no component.")


class Member(Part):
    """Files that must ship, or must not (B14)."""

    path: RelativePath = Field(description="Glob over member paths; a folder stands for what is in it.")
    ships: Flag = Field(description="Whether it must ship; false: it must not.")
    reason: Reason = Field(description="Why: shown where it fails.")
    arch: tuple[Processor, ...] = Field(
        default=(), description="Processors of whose rows this is said; of all rows if absent."
    )


class Peer(Part):
    """A distribution that is loaded into the same process; symbols that both define are known (B17)."""

    distribution: str = Field(description="Its name, as in the lock.")
    lock: RelativePath | None = Field(
        default=None, description="Requirements file with hashes that names its wheel; `test.peers-lock` if absent."
    )
    libraries: tuple[str, ...] = Field(min_length=1, description="Globs over its member paths.")
    subjects: tuple[str, ...] = Field(default=("*",), description="Globs over the wheel's own library paths.")
    known: tuple[str, ...] = Field(default=(), description="Globs over demangled names that both may define.")
    reason: Reason | None = Field(default=None, description="Why the known ones do no harm.")

    @model_validator(mode="after")
    def _known_for_a_reason(self) -> Self:
        if self.known and self.reason is None:
            raise ValueError(f"'known' of the peer '{self.distribution}' needs a reason")
        return self


class Threads(Part):
    """The definition that makes inline functions use the thread pool's library (D13, G11)."""

    component: str = Field(description="The component that has the pool.")
    definition: str = Field(description="Preprocessor definition that consumers are given, without -D.")
    model: Name = Field(description="The model that is run in the same process and must not bring a second pool.")
    ask: tuple[str, ...] = Field(
        default=("--threads", "{model}", "{reference}"),
        description="Arguments with which the consumer loops in parallel, runs the model and counts threads.",
    )
    pattern: str = Field(
        default=r"threads=(\d+)", description="Regular expression with one group: threads that shared the loop."
    )
    tasks_pattern: str = Field(
        default=r"tasks=(\d+)", description="Regular expression with one group: all threads of the process at its end."
    )


class Plugin(Part):
    """A shared library of users of the package, which registers something when it is loaded (D18).

    The consumer answers `list` with one name a line, and `load` likewise after it loaded `{plugin}`.
    """

    sources: tuple[RelativePath, ...] = Field(min_length=1, description="Its C++ files.")
    components: tuple[str, ...] = Field(min_length=1, description="Components that it links.")
    list_: tuple[str, ...] = Field(
        default=("--operators",), description="Arguments with which the consumer lists what is registered."
    )
    load: tuple[str, ...] = Field(
        default=("--operators", "{plugin}"), description="Arguments with which it loads the library first."
    )
    adds: tuple[str, ...] = Field(min_length=1, description="Names that loading it must add to the list.")


class Workflow(Part):
    """A workflow of GitHub Actions whose trigger paths must cover what ships (A21, I2)."""

    file: RelativePath = Field(description="The workflow's file.")
    covers: tuple[RelativePath, ...] = Field(
        min_length=1, description="Files or folders, relative to the root of the repository that it is of."
    )
