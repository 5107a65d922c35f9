"""Programs of a recipe that use its wheels, the models that they run, and what is installed for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from orchestrator.recipe.part import Flag, Name, Number, Part, RelativePath, RequirementText
from orchestrator.recipe.variables import MemorySize

MOST_SECONDS = 1500
"""What takes longer would meet the container's own deadline."""


class Consumer(Part):
    """A C++ program of the recipe, built against the installed wheel only.

    The program answers `registry` by printing, in one line, the count of registered backends and
    their names, and runs a model with the arguments of `run`, in which `{model}`, `{reference}` and
    `{tolerance}` are replaced.  It exits 0 only if the outputs match.
    """

    name: Name = Field(description="Name of the program.")
    sources: tuple[RelativePath, ...] = Field(min_length=1, description="Its C++ files.")
    run: tuple[str, ...] = Field(
        default=("{model}", "{reference}", "{tolerance}"), description="Arguments with which it runs a model."
    )
    registry: tuple[str, ...] = Field(
        default=("--registry",),
        description="Arguments with which it prints how many backends there are, and which.",
    )
    backends_pattern: str = Field(
        default=r"backends=(\d+)", description="Regular expression with one group: the count in what `registry` prints."
    )
    missing_operator: str = Field(
        default="Missing operator",
        min_length=1,
        description="Text that running without the operators' component must print.",
    )
    missing_backend: str = Field(
        default="not registered",
        min_length=1,
        description="Text that running without the delegate's component must print.",
    )
    missing_device: str | None = Field(
        default=None, min_length=1, description="Text that running a GPU's model on a machine without one must print."
    )
    mismatch: str = Field(
        default="mismatch",
        min_length=1,
        description="Text that outputs which differ too much, or are not finite, must print.",
    )
    seconds: Number = Field(
        default=60, gt=0, le=MOST_SECONDS, description="Deadline of each start of the program, in seconds."
    )
    memory: MemorySize | None = Field(
        default=None, description="Memory of a container in which it is built and run, such as 16G; if absent 8G."
    )
    outputs: tuple[str, ...] | None = Field(
        default=None, description="Arguments with which it prints the outputs of {model} exactly, as hexadecimal (G4)."
    )
    duplicate: tuple[str, ...] | None = Field(
        default=None, description="Arguments with which it registers an operator twice, and must be aborted (G12)."
    )
    duplicate_text: str = Field(
        default="registered twice", min_length=1, description="Text that the abort must print (G12)."
    )


class PythonProgram(Part):
    """A Python script of the recipe that runs a model with the installed package only.

    It takes the arguments of `run` as a consumer does, prints the mismatch text of the consumer if
    the outputs differ or are not finite, and exits 0 only if they match.
    """

    script: RelativePath = Field(description="Its file.")
    run: tuple[str, ...] = Field(
        default=("{model}", "{reference}", "{tolerance}"), description="Arguments with which it runs a model."
    )
    outputs: tuple[str, ...] | None = Field(
        default=None, description="As `consumer.outputs`: both must print the same (G4)."
    )


class Model(Part):
    """A program file with its reference outputs."""

    name: Name = Field(description="What reports and other tables call it.")
    file: RelativePath = Field(description="What is run: `{model}` of the programs.")
    reference: RelativePath = Field(
        description="What must come out: `{reference}` of the programs, which must tell it from copies in which a "
        "number is changed, or is nan."
    )
    tolerance: Number = Field(gt=0, description="Largest absolute difference allowed.")
    needs: tuple[str, ...] = Field(default=(), description="Components that it cannot run without.")
    gpu: Flag = Field(default=False, description="Whether running it needs a GPU.")
    operators: tuple[str, ...] = Field(
        default=(), description="Names that the file holds if it really is what it is said to be, quantized say (G4)."
    )
    optional: str | None = Field(
        default=None, description="Python module that must be importable for the delegate to run it (G8)."
    )
    payload: str | None = Field(default=None, description="Text that the file holds if it is really delegated.")


OTHER_RUNS = ("registry", "threads", "duplicate")
"""What a consumer is asked beside models; runs are named by these words and by models' names."""
RUN_ENDINGS = ("-wrong", "-nan", "-outputs")
"""What follows a model's name where it is run against a wrong reference, or prints its outputs."""


def require_own_names(models: Iterable[Model]) -> None:
    """Refuse models of one name, or of names by which the runs of one could be taken for another's.

    Raises:
        ValueError: there are such.
    """
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"model '{name}' is declared twice")
        if name in OTHER_RUNS:
            raise ValueError(f"a model cannot be called '{name}': so is something else called that consumers are asked")
        for ending in RUN_ENDINGS:
            if f"{name}{ending}" in names:
                raise ValueError(f"a model cannot be called '{name}{ending}': so is a run of the model '{name}' called")


class Test(Part):
    """What the containers of the checks install beside the wheel."""

    requires_lock: RelativePath | None = Field(
        default=None, description="Requirements file with hashes: what the wheel's declared requirements resolve to."
    )
    requires: tuple[RequirementText, ...] = Field(
        default=(), description="What Python programs need beside the declared requirements, such as torch."
    )
    peers_lock: RelativePath | None = Field(
        default=None, description="Requirements file with hashes: what `requires` and the declared ones resolve to."
    )

    @model_validator(mode="after")
    def _locks_what_it_requires(self) -> Self:
        if bool(self.requires) != (self.peers_lock is not None):
            raise ValueError("'requires' and 'peers-lock' go together: only what is locked is installed")
        if self.requires_lock is None and self.peers_lock is None:
            raise ValueError("give 'requires-lock', or 'requires' with 'peers-lock'")
        return self
