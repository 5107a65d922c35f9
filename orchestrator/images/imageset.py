"""The images of a project: the official one where it can be pulled, else the stand-in."""

from __future__ import annotations

import concurrent.futures
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import EngineError, RecipeError, nearest
from orchestrator.images.definition import ImageDefinition, load_definitions
from orchestrator.images.standin import StandInMaker, StandInRecipe
from orchestrator.processor import Processor
from orchestrator.store.store import Store

Policy = Literal["auto", "stand-in", "official-only"]

_PULL_SECONDS = 3.0
_REMEMBER_SECONDS = 24 * 3600
_UNREACHABLE = "image-unreachable"
_PARALLEL = 3
_CLEAN_UP_SECONDS = 15


@dataclass(frozen=True)
class ReadyImage:
    """An image on the engine.

    `reference` starts containers; `digest` identifies the content: the registry's digest of an
    official image, the image id of a stand-in.  `python` is the interpreter asked for, or the
    image's own.
    """

    reference: str
    digest: str
    origin: Literal["official", "stand-in"]
    arch: str
    python: str | None


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
        self.arch = _processor(arch or (engine.info.arch if engine else platform.machine()))
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

    def recipe(self, name: str, python: str | None = None) -> StandInRecipe:
        """What the stand-in is made from.

        Raises:
            RecipeError: no such image or interpreter, or a lock is missing or malformed.
        """
        return StandInRecipe(self.folder, self.definition(name), python, self.arch)

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
        StandInMaker(self.store, self._engine()).make(self.recipe(name, python))

    def ensure(self, name: str, *, python: str | None = None, policy: Policy = "auto") -> ReadyImage:
        """Have the image on the engine.

        Raises:
            RecipeError: no such image or interpreter, or a lock is missing or malformed.
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
        maker = StandInMaker(self.store, self._engine())
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
        return ReadyImage(image.reference, image.id, "stand-in", self.arch, python)

    def _official(self, request: ImageRequest, policy: Policy) -> ReadyImage | None:
        """The official image on the engine, or None where the stand-in is to be used."""
        definition = self.definition(request.name)
        reference = definition.official.get(self.arch)
        if policy == "stand-in" or reference is None:
            # An image with no official counterpart is its own stand-in, whatever the policy.
            return None
        if not self._pulled(reference, required=policy == "official-only"):
            return None
        python = request.python or definition.python
        return ReadyImage(reference, reference.partition("@")[2], "official", self.arch, python)

    def _pulled(self, reference: str, *, required: bool) -> bool:
        """Whether the engine has the official image; tries its registry once a day."""
        images = self._engine().images
        if images.exists(reference):
            return True
        failure = self.store.get_ref(_UNREACHABLE, reference)
        if not required and failure and 0 <= time.time() - float(failure.get("when", 0)) < _REMEMBER_SECONDS:
            get_console().message(f"No registry answered for {reference.partition('@')[0]} today: using the stand-in.")
            return False
        try:
            with get_console().step(f"pulling {reference.partition('@')[0]}"):
                images.pull(reference, timeout_s=_PULL_SECONDS)
        except EngineError as error:
            self.store.put_ref(_UNREACHABLE, reference, {"when": time.time(), "why": error.message})
            if required:
                raise
            get_console().message(f"{error.message} Using the stand-in; this is asked again in a day.")
            return False
        return True

    def _engine(self) -> Engine:
        if self.engine is None:
            raise EngineError("Images are made and started by a container engine, and none is connected.")
        return self.engine


def _processor(machine: str) -> Processor:
    if machine not in get_args(Processor):
        raise RecipeError(
            f"There are no images for the processor '{machine}'.", advice=nearest(machine, get_args(Processor))
        )
    return cast(Processor, machine)
