"""Engines, images and store of one run, and where in it a row is built and tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from orchestrator.cli.engines import engine_addresses
from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.containers.engine import Engine
from orchestrator.errors import UsageError
from orchestrator.images.imageset import ImageSet, Policy, ReadyImage
from orchestrator.images.pinned import PinnedImages
from orchestrator.processor import Method
from orchestrator.store.git.mirrors import NO_MIRRORS, Mirrors
from orchestrator.store.store import Store


@dataclass(frozen=True)
class Site:
    """Where rows of one processor are built and tried.

    `method` is how: `native` on an engine of that processor; `cross` built by compilers of the engine's processor
    and tried under emulation; `emulated` built under emulation too.  `builders` are images that build,
    `images` those in which wheels are tried.
    """

    engine: Engine
    method: Method
    builders: ImageSet
    images: ImageSet


@dataclass(frozen=True)
class Workshop:
    """Engines, images and store of one run; `gpus` are those that the containers of the checks get."""

    engine: Engine
    images: ImageSet
    store: Store
    run: Run
    policy: Policy
    keep: bool
    gpus: str | None
    others: Mapping[str, Engine] = field(default_factory=dict)
    """Engines that were named for processors."""
    emulate: bool = False
    mirrors: Mirrors = NO_MIRRORS
    jobs: int | None = None
    """Compilations at a time; as many as there are cores if None."""
    made: set[str] = field(default_factory=set)
    """Keys of the wheels that this run built: rows that share one do not build it again, fresh or not."""
    pinned: list[ReadyImage] = field(default_factory=list)
    """Images that are used as they are, whatever the definitions say."""

    def site(self, arch: str) -> Site:
        """Where rows of that processor are built and tried.

        Raises:
            RecipeError: there are no images for it.
        """
        engine = self.others.get(arch, self.engine)
        images = self._images(engine, arch)
        if engine.info.arch == arch:
            return Site(engine, "native", images, images)
        if self.emulate:
            return Site(engine, "emulated", images, images)
        return Site(engine, "cross", self._images(engine, None), images)

    def _images(self, engine: Engine, arch: str | None) -> ImageSet:
        return PinnedImages(IMAGES, self.store, engine, arch=arch, pinned=self.pinned)


@contextmanager
def workshop(
    run: Run,
    store: Store,
    *,
    policy: Policy,
    keep: bool,
    gpus: str | None,
    engines: Sequence[str] = (),
    emulate: bool = False,
    mirrors: Mirrors = NO_MIRRORS,
    jobs: int | None = None,
) -> Iterator[Workshop]:
    """Connect to the engines; everything that the run made there is gone at the end, but what is kept.

    `engines` are words such as `aarch64=ssh://me@board`.

    Raises:
        UsageError: one is malformed, or names an engine of another processor.
        EngineError: no engine answers.
    """
    addresses = engine_addresses(engines)
    with ExitStack() as stack:
        engine = stack.enter_context(Engine.connect(run=run.id))
        others = {}
        for arch, address in addresses.items():
            one = stack.enter_context(Engine.connect(run=run.id, address=address))
            if one.info.arch != arch:
                raise UsageError(
                    f"The engine at {address} is for {one.info.arch}, and was named for {arch}.",
                    advice=f"Give it as --engine {one.info.arch}={address}, or name another one.",
                )
            others[arch] = one
        yield Workshop(
            engine, ImageSet(IMAGES, store, engine), store, run, policy, keep, gpus, others, emulate, mirrors, jobs
        )
