"""CUDA toolkits for builds, from locked packages: nothing of NVIDIA's is installed anywhere."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Specifier
from packaging.utils import canonicalize_name

from orchestrator.errors import RecipeError
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store import cuda_parts
from orchestrator.store.cuda_tree import LAYOUT, toolkit_members
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.fetch import Artefact, fetch_lock
from orchestrator.store.locks import Requirement
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS
from orchestrator.tarstream import TarStream


@dataclass(frozen=True, kw_only=True)
class ToolkitPart:
    """One pinned package of a toolkit: a wheel or a Debian package, by the hash of its file."""

    name: str
    version: str
    sha256: str
    filename: str


@dataclass(frozen=True, kw_only=True)
class CudaToolkit:
    """A CUDA toolkit that can be put into a volume.

    `train` is such as "13.0"; `sha256` identifies the content of its tree; `claims` are the versions that
    nvcc, ptxas and the runtime (cudart) must answer: those of the packages that they come from.
    """

    train: str
    name: str
    sha256: str
    parts: tuple[ToolkitPart, ...]
    claims: Mapping[str, str]
    wheels: tuple[Artefact, ...]
    front_end: ToolkitPart | None
    store: Store = field(repr=False, compare=False)

    def tar(self) -> TarStream:
        """A tar stream of the tree: bin/nvcc, bin/ptxas, include/, lib/, lib64 -> lib, nvvm/.

        Raises:
            FetchError: the store has lost a part, or parts do not fit together.
        """
        wheels = [self.store.require(one.sha256, one.filename) for one in self.wheels]
        one = self.front_end
        return TarStream(toolkit_members(wheels, self.store.require(one.sha256, one.filename) if one else None))

    def runtime(self, requires: Sequence[str]) -> tuple[Artefact, ...]:
        """The locked wheels that satisfy requirements (PEP 508), in their order.

        Raises:
            RecipeError: one is malformed, or no locked wheel satisfies it.
        """
        return tuple(dict.fromkeys(self._satisfying(text) for text in requires))

    def _satisfying(self, text: str) -> Artefact:
        try:
            wanted = Specifier(text)
        except InvalidRequirement as error:
            raise RecipeError(f"'{text}' is not a requirement (PEP 508): {error}.") from None
        for wheel in self.wheels:
            if wheel.name == canonicalize_name(wanted.name) and wanted.specifier.contains(wheel.version):
                return wheel
        raise RecipeError(
            f"No wheel of the locked toolkit CUDA {self.train} satisfies '{text}'.",
            detail="\n".join(f"{wheel.name} {wheel.version}" for wheel in self.wheels),
            advice="Correct the variant's 'requires' in the recipe, or its toolchain.",
        )


def known_trains(locks: Path = LOCKS) -> tuple[str, ...]:
    """The CUDA versions, such as "13.0", that have a lock, oldest first."""
    return cuda_parts.known_trains(locks)


def toolkit_parts(train: str, *, arch: str = "x86_64", locks: Path = LOCKS) -> tuple[Requirement, ...]:
    """What the locks pin for a train, without fetching anything.

    Raises:
        RecipeError: as `cuda_toolkit`.
    """
    pinned = cuda_parts.read_toolkit_locks(train, arch, locks)
    debian = [Requirement(name=one.name, version=one.version, hashes=(one.sha256,)) for one in pinned.debian]
    return (*pinned.wheels, *debian)


def cuda_toolkit(store: Store, train: str, *, arch: str = "x86_64", locks: Path = LOCKS) -> CudaToolkit:
    """The toolkit of a train, its packages in the store.

    Raises:
        RecipeError: no lock has the train, a lock is malformed or lost a part, or parts disagree.
        FetchError: a package cannot be had.
    """
    pinned = cuda_parts.read_toolkit_locks(train, arch, locks)
    wheels = fetch_lock(store, pinned.lock, arch=arch)
    if pinned.debian:
        fetch_packages(
            store,
            pinned.debian,
            suite=pinned.suite,
            architecture=ENGINE_NAMES[arch],
            title=f"compiler of CUDA {train}",
            cancelled=threading.Event(),
            otherwise="use the official CUDA image, which has a toolkit of its own: '--official-only'",
        )
    debian = tuple(
        ToolkitPart(name=one.name, version=one.version, sha256=one.sha256, filename=PurePosixPath(one.path).name)
        for one in pinned.debian
    )
    parts = (
        *(ToolkitPart(name=one.name, version=one.version, sha256=one.sha256, filename=one.filename) for one in wheels),
        *debian,
    )
    content = json.dumps([LAYOUT, sorted(part.sha256 for part in parts)])
    return CudaToolkit(
        train=train,
        name=f"cuda-{train}",
        sha256=hashlib.sha256(content.encode()).hexdigest(),
        parts=parts,
        claims=pinned.claims,
        wheels=wheels,
        front_end=debian[0] if debian else None,
        store=store,
    )
