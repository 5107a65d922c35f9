"""What a failed build is reported as: the compiler's own lines first, then the end of the log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.errors import BuildError, process_detail
from orchestrator.report.model import CheckRecord, StepRecord

ERROR_LINE = re.compile(
    r"(?:^|\s)(?:\S+:\d+(?::\d+)?: (?:fatal )?error:|CMake Error|\S*ld(?:\.\S+)?: |"
    r"error: (?!subprocess-exited-with-error|metadata-generation-failed))|"  # pip's, about what was said above
    r"^\s*[A-Za-z_][\w.]*Error: |"  # the end of a backend's traceback
    # NVIDIA's tools: "nvcc fatal   : …", "ptxas x.ptx, line 3; error   : …"
    r"^\s*(?:nvcc|cicc|cudafe\+\+|ptxas|fatbinary|nvlink|nvprune|bin2c|cuobjdump) (?:.*[\s;])?(?:fatal|error) *: "
)
_NO_MODULE = re.compile(r"^\s*ModuleNotFoundError: No module named '(?P<name>\w+)", re.MULTILINE)
_NO_TOOL = re.compile(r"CMakeNotFoundError|NinjaNotFoundError|CMAKE_MAKE_PROGRAM is not set|cmake: not found")
_NO_NETWORK = re.compile(
    r"Could not resolve host|Temporary failure in name resolution|Name or service not known|Network is unreachable"
)
SHOWN_ERRORS = 5
CONTEXT = 3


class FailedBuildError(BuildError):
    """A build that was refused or failed, with the records of what was judged and done until then."""

    def __init__(
        self,
        message: str,
        *,
        advice: str = "",
        detail: str = "",
        checks: Sequence[CheckRecord] = (),
        steps: Sequence[StepRecord] = (),
    ) -> None:
        super().__init__(message, advice=advice, detail=detail)
        self.checks = tuple(checks)
        self.steps = tuple(steps)


def compiler_lines(output: str) -> tuple[str, ...]:
    """The first lines of a log in which a compiler, linker or CMake says what is wrong, with context."""
    lines = output.splitlines()
    wanted: set[int] = set()
    errors = [number for number, line in enumerate(lines) if ERROR_LINE.search(line)]
    for number in errors[:SHOWN_ERRORS]:
        wanted.update(range(number, min(number + CONTEXT, len(lines))))
    return tuple(lines[number].rstrip() for number in sorted(wanted))


def build_failure(
    what: str,
    command: Sequence[str],
    status: int,
    output: str,
    *,
    log: str,
    timed_out_minutes: float | None = None,
    out_of_memory: str | None = None,
) -> BuildError:
    """The error of a step that failed; `output` is its log, `log` where the whole of it lies.

    `timed_out_minutes` is the deadline of a step that was stopped at it, `out_of_memory` the size of what one may
    use that was killed for using more.
    """
    if timed_out_minutes is not None:
        reason = f"did not end within {timed_out_minutes:g} minutes and was stopped"
        advice = "Raise build.minutes in the recipe if it needs longer."
    elif out_of_memory is not None:
        reason = f"ran out of memory: it may use {out_of_memory}"
        advice = "Raise build.memory in the recipe, or lower CMAKE_BUILD_PARALLEL_LEVEL in build.env."
    elif "No space left on device" in output:
        reason, advice = "found the engine's disk full", "Free space: nox -s images -- prune."
    else:
        reason = f"failed with exit status {status}"
        advice = _advice(output)
    found = compiler_lines(output)
    detail = process_detail(command, status, output)
    if found:
        detail = "\n".join(["the tools say:", *(f"  {line}" for line in found), detail])
    return BuildError(f"{what} {reason}.", detail=detail, advice=f"{advice} Whole log: {log}")


def no_interpreter(row: str, image: str, interpreter: str, output: str) -> BuildError:
    """The error of a builder image that cannot run the row's interpreter; `output` is what its shell says."""
    return BuildError(
        f"The builder image {image} cannot run {interpreter}, the interpreter of {row}.",
        detail=output.strip(),
        advice="Builder images keep interpreters as manylinux does. Name one that has this Python as images.builder "
        "or the variant's builder, or take the Python out of matrix.python.",
    )


def _advice(output: str) -> str:
    """What to do about a step that ended by itself, by what its log says last."""
    look = "--keep keeps the container's files, --shell opens a shell on them."
    if missing := _NO_MODULE.findall(output):
        return (
            f"The build environment has no module '{missing[-1]}': name the distribution that has it in the .in file "
            f"beside build.requires-lock, and make the lock anew with 'nox -s locks -- RECIPE-FOLDER'. {look}"
        )
    if _NO_TOOL.search(output):
        return (
            "Builder images have neither CMake nor ninja: name 'cmake' and 'ninja' in the .in file beside "
            f"build.requires-lock, and make the lock anew with 'nox -s locks -- RECIPE-FOLDER'. {look}"
        )
    if _NO_NETWORK.search(output):
        return (
            "Builds have no network: what this one fetches must come with its source, or from build.requires-lock. "
            f"{look}"
        )
    return f"Correct what the build's own lines name. {look}"
