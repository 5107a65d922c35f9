"""Images on the engine: look, load, tag, pull, remove."""

from __future__ import annotations

import queue
import re
import threading
from contextlib import suppress
from typing import Any

import docker.errors

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import ImageInfo
from orchestrator.containers.owner import LABEL_KIND
from orchestrator.containers.session import Session
from orchestrator.containers.transfer import Sending, TarSource, pieces_of
from orchestrator.errors import EngineError
from orchestrator.processor import machine_name

_STALL_SECONDS = 120.0
_LOADED = re.compile(r"Loaded image(?: ID)?: (\S+)")


class Images:
    """The images of one engine.  A reference is a tag, a digest reference or an id."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def inspect(self, reference: str) -> ImageInfo | None:
        """What the engine knows about an image, or None if it has no such image.

        Raises:
            EngineError: the engine is gone.
        """
        return inspect(self._session, reference)

    def exists(self, reference: str) -> bool:
        """Whether the engine has the image."""
        return self.inspect(reference) is not None

    def load(self, stream: TarSource) -> tuple[str, ...]:
        """Load a docker-save stream; the references (or ids, for images without a tag) it held.

        Raises:
            EngineError: the stream holds no image, or the engine refuses, is full or gone.
        """
        loaded = []
        sending = Sending(pieces_of(stream))
        with sending.unwrapped(), engine_errors("loading an image"):
            for event in self._session.api.load_image(sending):
                if "error" in event:
                    raise docker.errors.DockerException(event["error"])
                if match := _LOADED.match(str(event.get("stream", ""))):
                    loaded.append(match[1])
        if not loaded:
            raise EngineError(
                "The engine loaded no image from the archive.",
                advice="The archive is damaged or no docker-save stream; make it again.",
            )
        return tuple(loaded)

    def remove(self, reference: str, *, force: bool = False) -> None:
        """Remove the image or the tag; one that is gone already is fine.

        Raises:
            EngineError: a container uses it, or the engine is gone.
        """
        with engine_errors(f"removing image {reference}"), suppress(docker.errors.NotFound):
            self._session.api.remove_image(reference, force=force)

    def tag(self, reference: str, tag: str) -> None:
        """Give the image one more name, `repository:tag`.

        Raises:
            EngineError: the engine has no such image or is gone.
        """
        repository, _, label = tag.rpartition(":")
        with engine_errors(f"tagging image {reference}"):
            self._session.api.tag(reference, repository, label)

    def list_ours(self) -> tuple[ImageInfo, ...]:
        """Every image that carries this project's label, whatever its kind.

        Raises:
            EngineError: the engine is gone.
        """
        with engine_errors("listing images"):
            ids = {image["Id"] for image in self._session.api.images(filters={"label": LABEL_KIND})}
        found = (self.inspect(image) for image in sorted(ids))
        return tuple(info for info in found if info is not None)

    def pull(self, reference: str, *, timeout_s: float = 3.0) -> ImageInfo:
        """Pull an image; a registry that says nothing within `timeout_s` seconds counts as absent.

        Raises:
            EngineError: no registry answered, it has no such image, or the engine is gone.
        """
        events: queue.SimpleQueue[dict[str, Any] | BaseException | None] = queue.SimpleQueue()

        def follow() -> None:
            # The SDK pulls without any time limit, hence the thread; an abandoned one ends with the engine's own try.
            try:
                for event in self._session.api.pull(reference, stream=True, decode=True):
                    events.put(event)
                events.put(None)
            except Exception as error:  # noqa: BLE001 (raised again by the thread that waits)
                events.put(error)

        threading.Thread(target=follow, name=f"pull {reference}", daemon=True).start()
        patience = timeout_s
        with engine_errors(f"pulling {reference}"):
            while True:
                try:
                    event = events.get(timeout=patience)
                except queue.Empty:
                    raise EngineError(
                        f"No registry answered for {reference} within {patience:g} s.",
                        advice="Use the stand-in image, or check the engine's network.",
                    ) from None
                if event is None:
                    break
                if isinstance(event, BaseException):
                    raise event
                if "error" in event:
                    raise docker.errors.DockerException(event["error"])
                patience = _STALL_SECONDS
        info = self.inspect(reference)
        if info is None:
            raise EngineError(f"The engine pulled {reference} but does not have it.", advice="Repeat the command.")
        return info


def inspect(session: Session, reference: str) -> ImageInfo | None:
    """See `Images.inspect`."""
    with engine_errors(f"looking for image {reference}"):
        try:
            found = session.api.inspect_image(reference)
        except docker.errors.NotFound:
            return None
    return ImageInfo(
        id=found["Id"],
        arch=machine_name(found["Architecture"]),
        size=int(found["Size"]),
        tags=tuple(found.get("RepoTags") or ()),
        digests=tuple(found.get("RepoDigests") or ()),
        labels=dict((found.get("Config") or {}).get("Labels") or {}),
    )


def require(session: Session, reference: str, doing: str) -> ImageInfo:
    """What the engine knows about an image that it must have; `doing` says what for.

    Raises:
        EngineError: the engine has no such image or is gone.
    """
    info = inspect(session, reference)
    if info is None:
        raise EngineError(
            f"The engine does not have the image {reference} ({doing}).",
            advice="Build or load it with the 'images' session, then repeat the command.",
        )
    return info
