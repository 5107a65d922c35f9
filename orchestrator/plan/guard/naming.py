"""What a row of the shared generator is, by its names (A9).

As found in its matrices: a row for x86_64 has the `gpu_arch_type` cpu, cuda, rocm or xpu, one for aarch64 cpu-aarch64
or cuda-aarch64; `gpu_arch_version` is a version such as 12.6, with the same ending, and empty without one;
`desired_cuda` is cpu, cu126, rocm7.2 or xpu; `build_name` has a word cuda where CUDA is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.plan.rows import names_cuda

FIELDS = ("gpu_arch_type", "gpu_arch_version", "desired_cuda", "build_name")
"""The fields that name a row beside its Python."""

_PYTHON = re.compile(r"(?<![A-Za-z0-9])py([0-9]+_[0-9]+t?)(?![A-Za-z0-9])")
_CUDA = re.compile(r"(?<![A-Za-z0-9])cuda(?:-[a-z]+64)?([0-9]+_[0-9]+)")
"""In a `build_name`: such as py3_10, cuda12_6 and, as found, cuda-aarch6412_6-aarch64."""

_ENDINGS = {"": "x86_64", "-aarch64": "aarch64"}


class NamingError(ValueError):
    """A row's names contradict each other, or name a CUDA that cannot be read."""


@dataclass(frozen=True)
class Named:
    """What a row is for: a variant as recipes call it (cpu, cuda-13.0; rocm7.2), and a processor.

    `arch` is None for one that no recipe knows.
    """

    variant: str
    arch: str | None

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.variant} on {self.arch or 'another processor'}"


def name_row(row: Mapping[str, str]) -> Named:
    """What the row is for.

    Raises:
        NamingError: see there.
    """
    named = _named(row)
    _check_build_name(row)
    return named


def _named(row: Mapping[str, str]) -> Named:
    kind, version, wanted = row["gpu_arch_type"], row["gpu_arch_version"], row["desired_cuda"]
    saying = [field for field in FIELDS if field != "gpu_arch_version" and names_cuda(row[field])]
    if not saying:
        return _without_cuda(kind, version, wanted)
    if len(saying) < len(FIELDS) - 1:
        silent = next(field for field in FIELDS if field != "gpu_arch_version" and field not in saying)
        raise NamingError(f"its {saying[0]} '{row[saying[0]]}' names CUDA, its {silent} '{row[silent]}' does not")
    ending = kind.removeprefix("cuda")
    if ending not in _ENDINGS:
        raise NamingError(f"its gpu_arch_type '{kind}' names CUDA, and is not supported")
    match = re.fullmatch(r"([1-9][0-9]*\.[0-9]+)" + re.escape(ending), version)
    if match is None:
        raise NamingError(f"it is for {kind}, and its gpu_arch_version '{version}' is no version of that")
    if wanted != f"cu{match[1].replace('.', '')}":
        raise NamingError(f"its gpu_arch_version is '{version}', and its desired_cuda '{wanted}' is another")
    return Named(f"cuda-{match[1]}", _ENDINGS[ending])


def _check_build_name(row: Mapping[str, str]) -> None:
    """Refuse a `build_name`, by which wheels are uploaded, that has the Python or the CUDA of another row."""
    build = row["build_name"]
    python = _PYTHON.search(build)
    if python and python[1].replace("_", ".") != row["python_version"]:
        raise NamingError(f"its python_version is '{row['python_version']}', and its build_name '{build}' has another")
    cuda = _CUDA.search(build)
    if cuda and cuda[1].replace("_", ".") != row["gpu_arch_version"].partition("-")[0]:
        raise NamingError(
            f"its gpu_arch_version is '{row['gpu_arch_version']}', and its build_name '{build}' has another"
        )


def _without_cuda(kind: str, version: str, wanted: str) -> Named:
    name = kind.partition("-")[0]
    ending = kind.removeprefix(name)
    if ending not in _ENDINGS:
        return Named(wanted, None)
    if wanted != name + version.removesuffix(ending):
        raise NamingError(f"it is for {kind} '{version}', and its desired_cuda '{wanted}' is another")
    return Named(wanted, _ENDINGS[ending])
