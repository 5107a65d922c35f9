"""Programs of a recipe that use its wheels, and the models that they run."""

from __future__ import annotations

from pydantic import Field

from orchestrator.recipe.part import Name, Part, RelativePath
from orchestrator.recipe.variables import MemorySize

MOST_SECONDS = 1500
"""What takes longer would meet the container's own deadline."""


class Consumer(Part):
    """A C++ program of the recipe, built against the installed wheel only.

    The program answers `registry` by printing, in one line, the count of registered backends and
    their names, and runs a model with the arguments of `run`, in which `{model}`, `{reference}` and
    `{tolerance}` are replaced.  It exits 0 only if the outputs match.
    """

    name: Name
    sources: tuple[RelativePath, ...] = Field(min_length=1)
    run: tuple[str, ...] = ("{model}", "{reference}", "{tolerance}")
    registry: tuple[str, ...] = ("--registry",)
    backends_pattern: str = Field(default=r"backends=(\d+)", description="Regular expression with one group.")
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
    seconds: float = Field(
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

    script: RelativePath
    run: tuple[str, ...] = ("{model}", "{reference}", "{tolerance}")
    outputs: tuple[str, ...] | None = Field(
        default=None, description="As `consumer.outputs`: both must print the same (G4)."
    )


class Model(Part):
    """A program file with its reference outputs."""

    name: Name
    file: RelativePath
    reference: RelativePath
    tolerance: float = Field(gt=0, description="Largest absolute difference allowed.")
    needs: tuple[str, ...] = Field(default=(), description="Components that it cannot run without.")
    gpu: bool = Field(default=False, description="Whether running it needs a GPU.")
    operators: tuple[str, ...] = Field(
        default=(), description="Names that the file holds if it really is what it is said to be, quantized say (G4)."
    )
    optional: str | None = Field(
        default=None, description="Python module that must be importable for the delegate to run it (G8)."
    )
    payload: str | None = Field(default=None, description="Text that the file holds if it is really delegated.")
