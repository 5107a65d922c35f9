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
from orchestrator.store.cuda_parts import read_toolkit_locks, scheme_of
from orchestrator.store.cuda_tree import LAYOUT, toolkit_members
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.fetch import fetch, fetch_lock
from orchestrator.store.locks import Requirement as Pin
from orchestrator.store.pip import Target
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS
from orchestrator.tarstream import TarStream

_PYTHON = "3.11"
"""What `fetch_lock` takes by default, so that a wheel is remembered once: NVIDIA's are for every Python."""


@dataclass(frozen=True, kw_only=True)
class CudaToolkit:
    """A CUDA toolkit that can be put into a volume.

    `train` is such as "13.0"; `sha256` identifies the content of its tree; `claims` are the versions that
    nvcc, ptxas and the runtime (cudart) must answer: those of the packages that they come from.
    `front_end` is the Debian package with nvcc where the wheels have none.  It compiles for the processor
    `arch`, and was made from `locks`.  Its programs run on `host`; where that is another processor, `target` is
    the runtime's wheel of `arch`, which is linked.
    """

    train: str
    name: str
    sha256: str
    claims: Mapping[str, str]
    wheels: tuple[Artefact, ...]
    front_end: Artefact | None
    store: Store = field(repr=False, compare=False)
    arch: str = "x86_64"
    host: str = "x86_64"
    target: Artefact | None = None
    locks: Path = field(default=LOCKS, repr=False, compare=False)

    @property
    def parts(self) -> tuple[Artefact, ...]:
        """The packages that it is made of."""
        return (*self.wheels, *(one for one in (self.target, self.front_end) if one))

    def tar(self) -> TarStream:
        """A tar stream of the tree: bin/nvcc, bin/ptxas, include/, lib/, lib64 -> lib, nvvm/.

        Raises:
            FetchError: a part is damaged or lost and cannot be fetched anew, or parts do not fit together.
        """
        cuda_toolkit(self.store, self.train, arch=self.arch, host=self.host, locks=self.locks, verify=True)
        linked = None
        if self.target:
            (own,) = (one for one in self.wheels if one.name == self.target.name)
            linked = self._file(own), self._file(self.target)
        front_end = self._file(self.front_end) if self.front_end else None
        return TarStream(toolkit_members([self._file(one) for one in self.wheels], front_end, linked))

    def _file(self, part: Artefact) -> Path:
        return self.store.require(part.sha256, part.filename)


def runtime_wheels(
    store: Store, train: str, requires: Sequence[str], *, arch: str = "x86_64", locks: Path = LOCKS
) -> tuple[Artefact, ...]:
    """The locked wheels of a train that satisfy the requirements of a variant, verified, in their order.

    Raises:
        RecipeError: no locked wheel satisfies one, or the locks are wrong as `cuda_toolkit` says.
        FetchError: a wheel cannot be had.
    """
    pinned = read_toolkit_locks(train, arch, locks)
    wanted = tuple(dict.fromkeys(_satisfying(train, pinned.wheels, text) for text in requires))
    return fetch(store, wanted, Target(python=_PYTHON, arch=arch), what=f"the runtime of CUDA {train}", verify=True)


def _satisfying(train: str, wheels: Sequence[Pin], text: str) -> Pin:
    wanted = Requirement(text)
    for wheel in wheels:
        if wheel.name == canonicalize_name(wanted.name) and wanted.specifier.contains(wheel.version):
            return wheel
    raise RecipeError(
        f"No wheel of the locked toolkit CUDA {train} satisfies '{text}'.",
        detail="\n".join(f"{wheel.name} {wheel.version}" for wheel in wheels),
        advice="Correct the variant's 'requires' in the recipe, or its toolchain.",
    )


def cuda_toolkit(
    store: Store,
    train: str,
    *,
    arch: str = "x86_64",
    host: str | None = None,
    locks: Path = LOCKS,
    verify: bool = False,
) -> CudaToolkit:
    """The toolkit of a train, its packages in the store; with `verify` hashed there, damaged ones fetched anew.

    It compiles for the processor `arch`, on that processor or on `host`.

    Raises:
        RecipeError: no lock has the train, a lock is malformed or lost a part, or parts disagree.
        FetchError: a package cannot be had.
    """
    host = host or arch
    pinned = read_toolkit_locks(train, host, locks)
    wheels = fetch_lock(store, pinned.lock, arch=host, verify=verify)
    target = None
    if host != arch:
        runtime = [wheel for wheel in pinned.wheels if wheel.name == scheme_of(train).runtime]
        (target,) = fetch(store, runtime, Target(python=_PYTHON, arch=arch), what=f"CUDA {train}", verify=verify)
    front_end = None
    if pinned.front_end:
        one = pinned.front_end
        fetch_packages(
            store,
            [one],
            suite=pinned.suite,
            architecture=ENGINE_NAMES[host],
            title=f"compiler of CUDA {train}",
            cancelled=threading.Event(),
            verify=verify,
            otherwise="use the official CUDA image, which has a toolkit of its own: '--official-only'",
        )
        filename = PurePosixPath(one.path).name
        front_end = Artefact(name=one.name, version=one.version, filename=filename, sha256=one.sha256)
    parts = [*wheels, *(one for one in (target, front_end) if one)]
    content = json.dumps([LAYOUT, sorted(part.sha256 for part in parts)])
    return CudaToolkit(
        train=train,
        name=f"cuda-{train}" if host == arch else f"cuda-{train}-{arch}",
        sha256=hashlib.sha256(content.encode()).hexdigest(),
        claims=pinned.claims,
        wheels=wheels,
        front_end=front_end,
        store=store,
        arch=arch,
        host=host,
        target=target,
        locks=locks,
    )
