"""The CUDA side of a build: which toolkit serves it, and what the toolkit claims to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from orchestrator.images.imageset import ReadyImage
from orchestrator.plan.cuda import CudaPlan
from orchestrator.report.model import Pinned
from orchestrator.store.cuda_toolkit import CudaToolkit

MOUNT = "/usr/local/cuda"
"""Where a toolkit's volume is mounted: NVIDIA's own place for it."""


@dataclass(frozen=True, kw_only=True)
class CudaBuild:
    """A row's CUDA plan, and its toolkit: a locked one that is mounted at `root`, or the image's own there."""

    plan: CudaPlan
    root: str
    toolkit: CudaToolkit | None = None

    @property
    def claims(self) -> Mapping[str, str]:
        """The versions that the tools must answer by their lock; none for an image's own toolkit."""
        return self.toolkit.claims if self.toolkit else {}

    @property
    def identity(self) -> dict[str, object]:
        """All of it that can change a wheel."""
        return {
            "train": self.plan.train,
            "architectures": self.plan.architectures,
            "variable": self.plan.variable,
            "value": self.plan.value,
            "root": self.root,
            "toolkit": self.toolkit.sha256 if self.toolkit else None,
        }

    def pinned(self, image: ReadyImage) -> tuple[Pinned, ...]:
        """The report's lines about the toolkit: each of its parts; an image's own is known by the image's digest."""
        if self.toolkit is None:
            digest = image.digest.removeprefix("sha256:")
            return (Pinned(name=f"CUDA of image {image.reference}", version=self.plan.train, sha256=digest),)
        return tuple(Pinned(name=part.name, version=part.version, sha256=part.sha256) for part in self.toolkit.parts)

    def summary(self) -> str:
        """One line for people: the train, and the version of each component, which need not be the train's."""
        if self.toolkit is None:
            return f"CUDA {self.plan.train}: the builder image's own toolkit at {self.root}"
        told = ", ".join(f"{name} {version}" for name, version in self.claims.items())
        parts = ", ".join(f"{part.name} {part.version}" for part in self.toolkit.parts)
        return f"CUDA {self.plan.train}: {told} (from {parts})"


def cuda_build(plan: CudaPlan | None, image: ReadyImage, toolkit: Callable[[str], CudaToolkit]) -> CudaBuild | None:
    """The CUDA side of a row's build in that image; None for a row without CUDA.

    `toolkit` gives the locked toolkit of a train, and is called only where the image has none of its own.
    """
    if plan is None:
        return None
    if image.toolkit is not None:
        return CudaBuild(plan=plan, root=image.toolkit)
    return CudaBuild(plan=plan, root=MOUNT, toolkit=toolkit(plan.train))
