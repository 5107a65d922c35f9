"""Official images: pulled once, identified by digest.

A definition may name one by a tag that moves.  The digest that the tag has when it is first used is
recorded in the store, and from then on the image is asked for by that digest; what the tag means
later is used only after it was accepted with `images -- refresh`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.console import get_console
from orchestrator.errors import EngineError, RecipeError
from orchestrator.store.store import Store

if TYPE_CHECKING:  # a row that the store answers must not wait for the engine's client to load
    from orchestrator.containers.images import Images
    from orchestrator.containers.model import ImageInfo

_PULL_SECONDS = 3.0
_REMEMBER_SECONDS = 24 * 3600
_UNREACHABLE = "image-unreachable"
_PIN = "official-digest"
_CHANGE = "official-change"


@dataclass(frozen=True, kw_only=True)
class PinChange:
    """A tag that was resolved anew: the digest recorded before, None at first, and the one recorded now."""

    reference: str
    before: str | None
    after: str


def pinned_reference(store: Store, reference: str) -> str | None:
    """The reference by digest: itself, or what was recorded for its tag; None for a tag never used."""
    if "@" in reference:
        return reference
    record = store.get_ref(_PIN, reference)
    return f"{_repository(reference)}@{record['digest']}" if record else None


def last_change(store: Store) -> dict[str, Any] | None:
    """The last time that a tag was accepted as another image: what was made before need not hold any more."""
    return store.get_ref(_CHANGE, "last")


def unreachable(store: Store, reference: str) -> str | None:
    """Why no registry answered for the image within the last day; None where it may be asked."""
    failure = store.get_ref(_UNREACHABLE, reference)
    if failure is None or not 0 <= time.time() - float(failure.get("when", 0)) < _REMEMBER_SECONDS:
        return None
    return str(failure.get("why", "no registry answered for it."))


class OfficialImages:
    """Official images on one engine, with the digests that the store has recorded."""

    def __init__(self, store: Store, images: Images) -> None:
        self.store = store
        self.images = images

    def find(self, reference: str, *, required: bool) -> str | None:
        """Have the image on the engine; its reference by digest, or None where it cannot be had.

        A registry that did not answer is not asked again for a day, unless the image is `required`.

        Raises:
            EngineError: it is required and cannot be pulled, or the engine is gone.
            RecipeError: the engine has under this tag another image than the recorded one, which cannot be pulled.
        """
        pinned = pinned_reference(self.store, reference)
        if pinned is None:
            return self._first_use(reference, required=required)
        try:
            if self.images.exists(pinned) or self._pull(pinned, required=required):
                return pinned
        except EngineError:
            self._refuse_changed(reference, pinned)
            raise
        self._refuse_changed(reference, pinned)
        return None

    def refresh(self, reference: str) -> PinChange:
        """Pull a tag and record the digest that it has now.

        Raises:
            EngineError: it cannot be pulled, or the engine is gone.
        """
        before = pinned_reference(self.store, reference)
        self._pull(reference, required=True)
        after = self._record(reference)
        if before and after != before:
            self.store.put_ref(_CHANGE, "last", {"reference": after, "when": time.time()})
        return PinChange(
            reference=reference, before=before.partition("@")[2] if before else None, after=after.partition("@")[2]
        )

    def _first_use(self, reference: str, *, required: bool) -> str | None:
        info = self.images.inspect(reference)
        from_registry = info is not None and _digest(info, reference)
        if not from_registry and not self._pull(reference, required=required):
            return None
        return self._record(reference)

    def _record(self, reference: str) -> str:
        info = self.images.inspect(reference)
        digest = _digest(info, reference) if info else None
        if digest is None:
            raise EngineError(
                f"The engine does not tell the registry's digest of {reference}, so it cannot be identified.",
                advice="Remove the image from the engine and run the command again, or use the stand-in: --stand-in.",
            )
        self.store.put_ref(_PIN, reference, {"digest": digest})
        get_console().message(f"{reference} is {digest}; that is recorded.")
        return f"{_repository(reference)}@{digest}"

    def _refuse_changed(self, reference: str, pinned: str) -> None:
        info = None if "@" in reference else self.images.inspect(reference)
        found = _digest(info, reference) if info else None
        if found and found != pinned.partition("@")[2]:
            raise RecipeError(
                f"The tag {reference} names another image now than when it was first used.",
                detail=f"expected: {pinned.partition('@')[2]}\nfound:    {found}",
                advice="Look at what changed, then accept it with 'nox -s images -- refresh'; or use the stand-in: "
                "--stand-in.",
            )

    def _pull(self, reference: str, *, required: bool) -> bool:
        name = reference.partition("@")[0]
        if not required and (why := unreachable(self.store, reference)):
            get_console().message(f"{name} is not asked for again today: {why} Using the stand-in.")
            return False
        try:
            with get_console().step(f"pulling {name}"):
                self.images.pull(reference, timeout_s=_PULL_SECONDS)
        except EngineError as error:
            why = f"{error.message} It says: {error.detail.rstrip('.')}." if error.detail else error.message
            self.store.put_ref(_UNREACHABLE, reference, {"when": time.time(), "why": why})
            if required:
                raise
            get_console().message(f"{why} Using the stand-in; this is asked again in a day.")
            return False
        return True


def _repository(reference: str) -> str:
    """A reference without its tag; a registry's port is no tag."""
    folder, slash, name = reference.rpartition("/")
    return f"{folder}{slash}{name.partition(':')[0]}"


def _digest(info: ImageInfo, reference: str) -> str | None:
    """The digest that the reference's registry gave the image; engines write its repository short or in full."""
    repository = _repository(reference)
    for name, _, digest in (known.partition("@") for known in info.digests):
        if name == repository or name.endswith(f"/{repository}"):
            return digest
    return None
