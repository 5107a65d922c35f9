"""Images by the digests that a report names, so that what ran once runs in the same again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import EngineError, FetchError, OrchestratorError, RecipeError
from orchestrator.images.imageset import ImageRequest, ImageSet, Policy, ReadyImage
from orchestrator.images.making import StandInMaker
from orchestrator.images.manage import import_image
from orchestrator.images.standin import REPOSITORY
from orchestrator.store.store import Store


class PinnedImages(ImageSet):
    """An `ImageSet` that gives those images that are pinned as they are, whatever the definitions say now."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        engine: Engine | None,
        *,
        arch: str | None = None,
        pinned: Sequence[ReadyImage] = (),
    ) -> None:
        super().__init__(folder, store, engine, arch=arch)
        self._pinned: Mapping[ImageRequest, ReadyImage] = {
            ImageRequest(one.name, one.python): one for one in pinned if one.arch == self.arch
        }

    def ensure_many(self, requests: Sequence[ImageRequest], *, policy: Policy = "auto") -> tuple[ReadyImage, ...]:
        """As any `ImageSet`; nothing is pulled or made for images that are pinned."""
        known = {request: self._known(request) for request in requests}
        missing = [request for request, image in known.items() if image is None]
        made = dict(zip(missing, super().ensure_many(missing, policy=policy), strict=True)) if missing else {}
        return tuple(known[request] or made[request] for request in requests)

    def _known(self, request: ImageRequest) -> ReadyImage | None:
        """The pinned image; who asks for no interpreter means the image's own."""
        definition = self.definitions.get(request.name)
        own = definition.python if definition else None
        return self._pinned.get(replace(request, python=request.python or own))


def have_pinned(
    images: ImageSet, wanted: ReadyImage, archive: Callable[[], Path | None], *, make: bool = True
) -> str | None:
    """Have an image on the engine by its digest; None if it is there, else what there is in its place.

    One that is on the engine is used.  Else an official image is pulled by its digest, and a stand-in is loaded
    from the `archive` that `images -- export` or a bundle holds, or made, which gives the same digest where
    definition and locks are the same; but with `make` as False it is only looked for on the engine.

    Raises:
        EngineError: the engine is gone.
    """
    engine = images.connected()
    if fault := _misnamed(wanted):
        return fault
    if _is_there(engine, wanted):
        return None
    if not make:
        return "not on the engine"
    if wanted.origin == "official":
        return _pulled(engine, wanted)
    path = archive()
    if path is not None:
        with suppress(RecipeError, FetchError):  # a damaged archive is as none: the stand-in is made
            import_image(images.store, engine, path)
            if _is_there(engine, wanted):
                return None
    return _made(images, engine, wanted)


def _misnamed(wanted: ReadyImage) -> str | None:
    """What is wrong with the name of an image in a report that need not be one of ours; None if nothing is.

    An official image is had by its digest alone, and no image but ours gets a name here.
    """
    if wanted.origin == "official":
        named = wanted.reference.endswith(f"@{wanted.digest}")
        return None if named else f"none: {wanted.reference} does not name it by its digest"
    ours = wanted.reference.startswith(f"{REPOSITORY}/")
    return None if ours else f"none: {wanted.reference} is no name of an image that is made here"


def _is_there(engine: Engine, wanted: ReadyImage) -> bool:
    """Whether the engine has the image; a stand-in that lost its name gets it back."""
    found = engine.images.inspect(wanted.reference)
    if wanted.origin == "official":
        return found is not None
    if found is not None and found.id == wanted.digest:
        return True
    if not engine.images.exists(wanted.digest):
        return False
    engine.images.tag(wanted.digest, wanted.reference)
    return True


def _pulled(engine: Engine, wanted: ReadyImage) -> str | None:
    try:
        with get_console().step(f"pulling {wanted.reference}"):
            engine.images.pull(wanted.reference)
    except EngineError as error:
        return f"none: {error.message}"
    return None


def _made(images: ImageSet, engine: Engine, wanted: ReadyImage) -> str | None:
    try:
        recipe = images.recipe(wanted.name, wanted.python)
        known = recipe.known(images.store)
        if known is not None and known.id != wanted.digest:
            return known.id
        made = StandInMaker(images.store, engine).ensure(recipe)
    except OrchestratorError as error:
        if isinstance(error, EngineError):
            raise
        return f"none: {error.message}"
    return None if made.id == wanted.digest else made.id
