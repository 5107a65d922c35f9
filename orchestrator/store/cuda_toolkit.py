"""CUDA toolkits for builds, from locked packages: nothing of NVIDIA's is installed anywhere."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orchestrator.errors import RecipeError
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store.artefact import Artefact
from orchestrator.store.cuda_parts import read_toolkit_locks
from orchestrator.store.cuda_tree import LAYOUT, toolkit_members
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS
from orchestrator.tarstream import TarStream


@dataclass(frozen=True, kw_only=True)
class CudaToolkit:
    """A CUDA toolkit that can be put into a volume.

    `train` is such as "13.0"; `sha256` identifies the content of its tree; `claims` are the versions that
    nvcc, ptxas and the runtime (cudart) must answer: those of the packages that they come from.
    `front_end` is the Debian package with nvcc where the wheels have none.  It was made for the processor
    `arch`, from `locks`.
    """

    train: str
    name: str
    sha256: str
    claims: Mapping[str, str]
    wheels: tuple[Artefact, ...]
    front_end: Artefact | None
    store: Store = field(repr=False, compare=False)
    arch: str = "x86_64"
    locks: Path = field(default=LOCKS, repr=False, compare=False)

    @property
    def parts(self) -> tuple[Artefact, ...]:
        """The packages that it is made of."""
        return (*self.wheels, self.front_end) if self.front_end else self.wheels

    def tar(self) -> TarStream:
        """A tar stream of the tree: bin/nvcc, bin/ptxas, include/, lib/, lib64 -> lib, nvvm/.

        Raises:
            FetchError: a part is damaged or lost and cannot be fetched anew, or parts do not fit together.
        """
        cuda_toolkit(self.store, self.train, arch=self.arch, locks=self.locks, verify=True)
        wheels = [self.store.require(one.sha256, one.filename) for one in self.wheels]
        one = self.front_end
        return TarStream(toolkit_members(wheels, self.store.require(one.sha256, one.filename) if one else None))

    def runtime(self, requires: Sequence[str]) -> tuple[Artefact, ...]:
        """The locked wheels that satisfy the requirements of a variant, in their order.

        Raises:
            RecipeError: no locked wheel satisfies one.
        """
        return tuple(dict.fromkeys(self._satisfying(text) for text in requires))

    def _satisfying(self, text: str) -> Artefact:
        wanted = Requirement(text)
        for wheel in self.wheels:
            if wheel.name == canonicalize_name(wanted.name) and wanted.specifier.contains(wheel.version):
                return wheel
        raise RecipeError(
            f"No wheel of the locked toolkit CUDA {self.train} satisfies '{text}'.",
            detail="\n".join(f"{wheel.name} {wheel.version}" for wheel in self.wheels),
            advice="Correct the variant's 'requires' in the recipe, or its toolchain.",
        )


def cuda_toolkit(
    store: Store, train: str, *, arch: str = "x86_64", locks: Path = LOCKS, verify: bool = False
) -> CudaToolkit:
    """The toolkit of a train, its packages in the store; with `verify` hashed there, damaged ones fetched anew.

    Raises:
        RecipeError: no lock has the train, a lock is malformed or lost a part, or parts disagree.
        FetchError: a package cannot be had.
    """
    pinned = read_toolkit_locks(train, arch, locks)
    wheels = fetch_lock(store, pinned.lock, arch=arch, verify=verify)
    front_end = None
    if pinned.front_end:
        one = pinned.front_end
        fetch_packages(
            store,
            [one],
            suite=pinned.suite,
            architecture=ENGINE_NAMES[arch],
            title=f"compiler of CUDA {train}",
            cancelled=threading.Event(),
            verify=verify,
            otherwise="use the official CUDA image, which has a toolkit of its own: '--official-only'",
        )
        filename = PurePosixPath(one.path).name
        front_end = Artefact(name=one.name, version=one.version, filename=filename, sha256=one.sha256)
    parts = [*wheels, front_end] if front_end else wheels
    content = json.dumps([LAYOUT, sorted(part.sha256 for part in parts)])
    return CudaToolkit(
        train=train,
        name=f"cuda-{train}",
        sha256=hashlib.sha256(content.encode()).hexdigest(),
        claims=pinned.claims,
        wheels=wheels,
        front_end=front_end,
        store=store,
        arch=arch,
        locks=locks,
    )
