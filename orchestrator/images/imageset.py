"""The images of a project: the official one where it can be pulled, else the stand-in."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from orchestrator.containers.engine import Engine
from orchestrator.errors import EngineError, RecipeError, nearest
from orchestrator.images.definition import ImageDefinition, load_definitions
from orchestrator.images.making import StandInMaker
from orchestrator.images.official import OfficialImages
from orchestrator.images.standin import StandInRecipe
from orchestrator.processor import Processor, native_arch
from orchestrator.store.store import Store

Policy = Literal["auto", "stand-in", "official-only"]

_PARALLEL = 3
_CLEAN_UP_SECONDS = 15


@dataclass(frozen=True)
class ReadyImage:
    """An image on the engine.

    `reference` starts containers; `digest` identifies the content: the registry's digest of an
    official image, the image id of a stand-in.  `python` is the interpreter asked for, or the
    image's own.  `toolkit` is the folder of the CUDA toolkit that an official image has, `name` the image's in
    the definitions.
    """

    reference: str
    digest: str
    origin: Literal["official", "stand-in"]
    arch: str
    python: str | None
    toolkit: str | None = None
    name: str = ""


@dataclass(frozen=True)
class ImageRequest:
    """An image that is wanted, with an interpreter if need be."""

    name: str
    python: str | None = None


class ImageSet:
    """The definitions of a folder, with the store and, where images are made, an engine.

    Raises:
        RecipeError: a definition is malformed.
    """

    def __init__(self, folder: Path, store: Store, engine: Engine | None, *, arch: str | None = None) -> None:
        self.folder = folder
        self.store = store
        self.engine = engine
        self.host = _processor(engine.info.arch if engine else native_arch())
        self.arch = _processor(arch) if arch else self.host
        self.definitions = load_definitions(folder)

    def definition(self, name: str) -> ImageDefinition:
        """The definition of that name.

        Raises:
            RecipeError: there is none; names the nearest.
        """
        try:
            return self.definitions[name]
        except KeyError:
            raise RecipeError(f"There is no image '{name}'.", advice=nearest(name, self.definitions)) from None

    def names(self) -> tuple[str, ...]:
        """The images that there are for this processor."""
        return tuple(name for name, one in self.definitions.items() if self.arch in one.processors)

    def processors(self) -> tuple[ImageSet, ...]:
        """The same images for each processor, the engine's first."""
        ordered = sorted(get_args(Processor), key=lambda arch: arch != self.host)
        return tuple(ImageSet(self.folder, self.store, self.engine, arch=arch) for arch in ordered)

    def recipe(self, name: str, python: str | None = None) -> StandInRecipe:
        """What the stand-in is made from, be it the image's own or another's.

        Raises:
            RecipeError: no such image or interpreter, none for this processor, or a lock is missing or malformed.
        """
        definition = self.definition(self.definition(name).stand_in_of)
        if self.arch not in definition.processors:
            raise RecipeError(
                f"Image '{name}' is for {' and '.join(definition.processors)}, not for {self.arch}.",
                advice="It builds for another processor than its own; images are listed by 'nox -s images'.",
            )
        return StandInRecipe(self.folder, definition, python, self.arch, self.host)

    def stand_in_digest(self, name: str, *, python: str | None = None) -> str | None:
        """The stand-in's id if its layers were made before; asks no engine.

        Raises:
            RecipeError: as `recipe`.
        """
        known = self.recipe(name, python).known(self.store)
        return known.id if known else None

    def make(self, name: str, python: str | None = None) -> None:
        """Have the stand-in's layers in the store, whatever the engine has already.

        Raises as `ensure`.
        """
        StandInMaker(self.store, self.connected()).make(self.recipe(name, python))

    def ensure(self, name: str, *, python: str | None = None, policy: Policy = "auto") -> ReadyImage:
        """Have the image on the engine.

        Raises:
            RecipeError: no such image or interpreter, a lock is missing or malformed, or an official image is
                another one than was recorded.
            FetchError: a package cannot be fetched, or the disk is full.
            EngineError: the image cannot be pulled or made, or the engine is gone.
        """
        return self.ensure_many([ImageRequest(name, python)], policy=policy)[0]

    def ensure_many(self, requests: Sequence[ImageRequest], *, policy: Policy = "auto") -> tuple[ReadyImage, ...]:
        """Have several images on the engine, in the order asked; what is missing is made at the same time.

        Put the one that takes longest first.  Raises as `ensure`.
        """
        distinct = dict.fromkeys(requests)
        ready = {request: image for request in distinct if (image := self._official(request, policy))}
        maker = StandInMaker(self.store, self.connected())
        ready |= self._make_stand_ins([request for request in distinct if request not in ready], maker)
        return tuple(ready[request] for request in requests)

    def _make_stand_ins(self, requests: Sequence[ImageRequest], maker: StandInMaker) -> dict[ImageRequest, ReadyImage]:
        if len(requests) <= 1:
            return {request: self._stand_in(request, maker) for request in requests}
        pool = concurrent.futures.ThreadPoolExecutor(_PARALLEL, thread_name_prefix="image")
        futures = {request: pool.submit(self._stand_in, request, maker) for request in requests}
        try:
            for future in concurrent.futures.as_completed(futures.values()):
                future.result()
        except BaseException:
            maker.cancelled.set()
            pool.shutdown(wait=False, cancel_futures=True)
            # Time for tools to clean up; a compilation ends when the engine's run removes its container.
            concurrent.futures.wait(futures.values(), timeout=_CLEAN_UP_SECONDS)
            raise
        pool.shutdown()
        return {request: future.result() for request, future in futures.items()}

    def _stand_in(self, request: ImageRequest, maker: StandInMaker) -> ReadyImage:
        image = maker.ensure(self.recipe(request.name, request.python))
        python = request.python or self.definition(request.name).python
        return ReadyImage(image.reference, image.id, "stand-in", self.arch, python, name=request.name)

    def _official(self, request: ImageRequest, policy: Policy) -> ReadyImage | None:
        """The official image on the engine, or None where the stand-in is to be used."""
        definition = self.definition(request.name)
        reference = definition.official.get(self.arch)
        if policy == "stand-in" or reference is None:
            # An image with no official counterpart is its own stand-in, whatever the policy.
            return None
        official = OfficialImages(self.store, self.connected().images)
        found = official.find(reference, required=policy == "official-only")
        if found is None:
            return None
        python, toolkit = request.python or definition.python, definition.toolkit
        return ReadyImage(found, found.partition("@")[2], "official", self.arch, python, toolkit, request.name)

    def connected(self) -> Engine:
        """The engine.

        Raises:
            EngineError: none is connected.
        """
        if self.engine is None:
            raise EngineError(
                "Images are made and started by a container engine, and none is connected.",
                advice="Start one, or set DOCKER_HOST.",
            )
        return self.engine


def _processor(machine: str) -> Processor:
    if machine not in get_args(Processor):
        raise RecipeError(
            f"There are no images for the processor '{machine}'.", advice=nearest(machine, get_args(Processor))
        )
    return cast(Processor, machine)
