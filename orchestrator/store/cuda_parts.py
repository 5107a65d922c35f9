"""Which packages make up a CUDA toolkit, and what their locks must agree on.

NVIDIA's compiler wheels ask for their parts without a version (`nvidia-nvvm`, `nvidia-cuda-crt`), so a
resolver puts newer parts under an older nvcc.  Every part is therefore pinned, and a lock in which they
disagree is refused.  CUDA 12's wheels hold no nvcc at all; its front end is Debian's package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import RecipeError, nearest
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store.debian.lock import Package, read_lock
from orchestrator.store.debian.selection import load_selection
from orchestrator.store.locks import Requirement, parse_lock
from orchestrator.store.toolchain import LOCKS

FRONT_END = "nvidia-cuda-toolkit"
"""The Debian package that has nvcc, cicc, cudafe++ and fatbinary."""


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """The packages of a CUDA major: all its wheels, two of them by what they answer for.

    `complete` says that the wheels hold nvcc; where they do not, FRONT_END belongs to the toolkit.
    """

    wheels: frozenset[str]
    compiler: str
    runtime: str
    complete: bool


_SCHEMES = {
    12: Scheme(
        wheels=frozenset({"nvidia-cuda-nvcc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-cccl-cu12"}),
        compiler="nvidia-cuda-nvcc-cu12",
        runtime="nvidia-cuda-runtime-cu12",
        complete=False,
    ),
    13: Scheme(
        wheels=frozenset(
            {"nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-cccl"}
        ),
        compiler="nvidia-cuda-nvcc",
        runtime="nvidia-cuda-runtime",
        complete=True,
    ),
}
_REFRESH = "Correct '{source}' and refresh the lock with 'nox -s locks -- cuda'."


@dataclass(frozen=True, kw_only=True)
class ToolkitLocks:
    """What the locks of a train say: wheels, and the Debian package with nvcc where these have none, with its suite."""

    train: str
    lock: Path
    wheels: tuple[Requirement, ...]
    front_end: Package | None = None
    suite: str = ""

    @property
    def pins(self) -> tuple[Requirement, ...]:
        """All packages, wherever they come from."""
        return (*self.wheels, self.front_end.pin()) if self.front_end else self.wheels

    @property
    def claims(self) -> Mapping[str, str]:
        """The versions that nvcc, ptxas and the runtime belong to."""
        scheme = scheme_of(self.train)
        versions = {wheel.name: wheel.version for wheel in self.wheels}
        return {
            "nvcc": upstream(self.front_end.version) if self.front_end else versions[scheme.compiler],
            "ptxas": versions[scheme.compiler],
            "cudart": versions[scheme.runtime],
        }


def known_trains(locks: Path = LOCKS) -> tuple[str, ...]:
    """The CUDA versions, such as "13.0", that have a lock, oldest first."""
    found = (re.fullmatch(r"cuda-(\d+\.\d+)\.lock", path.name) for path in locks.glob("cuda-*.lock"))
    return tuple(sorted((match[1] for match in found if match), key=_numbers))


def read_toolkit_locks(train: str, arch: str, locks: Path) -> ToolkitLocks:
    """The locks of a train, agreeing with it and among themselves.

    Raises:
        RecipeError: no lock has the train, a lock is malformed or lost a part, or parts disagree.
    """
    lock = locks / f"cuda-{train}.lock"
    if train not in known_trains(locks):
        raise RecipeError(f"There is no toolkit of CUDA {train}.", advice=nearest(train, known_trains(locks)))
    scheme = scheme_of(train)
    wheels = parse_lock(lock)
    _complete(lock, scheme.wheels, [wheel.name for wheel in wheels], _REFRESH.format(source=lock.with_suffix(".in")))
    _agree(lock, train, wheels)
    if scheme.complete:
        return ToolkitLocks(train=train, lock=lock, wheels=wheels)
    path = locks.parent / "debian" / f"cuda-{train}.{ENGINE_NAMES[arch]}.lock"
    packages = read_lock(path)
    _complete(path, {FRONT_END}, [one.name for one in packages], "Refresh it with 'nox -s locks -- --debian'.")
    (front_end,) = packages
    if _numbers(front_end.version)[:1] != _numbers(train)[:1]:
        raise RecipeError(
            f"{path}: {FRONT_END} {front_end.version} is not of CUDA {_numbers(train)[0]}, as CUDA {train} is.",
            advice=f"Name another suite in 'cuda-{train}.toml', then refresh the lock with 'nox -s locks -- --debian'.",
        )
    suite = load_selection(path.with_name(f"cuda-{train}.toml")).suite
    return ToolkitLocks(train=train, lock=lock, wheels=wheels, front_end=front_end, suite=suite)


def scheme_of(train: str) -> Scheme:
    """Which packages the train is made of.

    Raises:
        RecipeError: nobody has said it for that major.
    """
    major = _numbers(train)[0]
    if major not in _SCHEMES:
        known = ", ".join(str(number) for number in sorted(_SCHEMES))
        raise RecipeError(
            f"The packages of CUDA {major} are not known; those of {known} are.",
            advice="Add them to orchestrator/store/cuda_parts.py.",
        )
    return _SCHEMES[major]


def upstream(version: str) -> str:
    """NVIDIA's version in a Debian package's: 12.4.131 in 12.4.131~12.4.1-2."""
    return re.split(r"[~+-]", version, maxsplit=1)[0]


def _complete(lock: Path, expected: Set[str], found: Sequence[str], advice: str) -> None:
    if lost := expected - set(found):
        raise RecipeError(f"{lock}: the toolkit's part {', '.join(sorted(lost))} is missing.", advice=advice)
    if foreign := set(found) - expected:
        raise RecipeError(f"{lock}: {', '.join(sorted(foreign))} is no part of this toolkit.", advice=advice)


def _agree(lock: Path, train: str, wheels: Sequence[Requirement]) -> None:
    if all(_numbers(wheel.version)[:2] == _numbers(train) for wheel in wheels):
        return
    raise RecipeError(
        f"{lock}: the parts of CUDA {train} are not all of that version.",
        detail="\n".join(f"{wheel.name} {wheel.version}" for wheel in wheels),
        advice=f"An nvcc over parts of another version compiles wrongly or not at all. Pin each part in "
        f"'{lock.with_suffix('.in').name}', then refresh the lock with 'nox -s locks -- cuda'.",
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", upstream(version)))
