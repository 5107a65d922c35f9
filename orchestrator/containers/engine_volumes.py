"""The engine's volumes: of steps, of toolchains, of caches; what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO

from orchestrator.containers import reaper, volumes
from orchestrator.containers.model import DEFAULT_USER, Volume, VolumeKind
from orchestrator.containers.session import Session
from orchestrator.containers.transfer import TarSource


class EngineVolumes:
    """The part of `Engine` that deals with volumes; inputs and outputs travel through them as tar streams."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._checked_toolchains: dict[tuple[str, str], Volume] = {}

    def volume(self, purpose: str, *, row: str, owner: str = DEFAULT_USER) -> Volume:
        """A new volume for the steps of a row; it holds `home` and belongs to `owner` (user:group).

        Raises:
            EngineError: the engine refuses, is full or gone.
        """
        return volumes.make_step_volume(self._session, purpose, row=row, owner=owner)

    def remove_volume(self, volume: Volume) -> None:
        """Remove a volume before the run ends; one that something still uses goes with the run.

        Raises:
            EngineError: the engine refuses or is gone.
        """
        self._session.remove_volume(volume.name)

    def toolchain_volume(
        self,
        name: str,
        content_id: str,
        fill: Callable[[], TarSource],
        *,
        progress: Callable[[str], None] = lambda _text: None,
    ) -> Volume:
        """The volume that holds the toolchain with that content id (SHA-256, hexadecimal).

        `fill` gives its tar and is called only if no process has filled it on this engine yet.
        Lasting, owned by root, mounted read-only.

        Raises:
            EngineError: the engine refuses, is full or gone, or another process never ends filling.
        """
        key = (name, content_id)
        if key not in self._checked_toolchains:
            volume = volumes.make_toolchain_volume(self._session, name, content_id, fill, progress=progress)
            self._checked_toolchains[key] = volume
        return self._checked_toolchains[key]

    def cache_volume(self, name: str, *, owner: str = DEFAULT_USER) -> Volume:
        """The lasting, writable volume of that name, such as a compiler's cache.

        Raises:
            EngineError: the engine refuses, is full or gone.
        """
        return volumes.make_cache_volume(self._session, name, owner=owner)

    def lasting_volumes(self) -> dict[str, VolumeKind]:
        """Names and kinds of the toolchain and cache volumes on the engine.

        Raises:
            EngineError: the engine is gone.
        """
        return volumes.lasting_volumes(self._session)

    def prune(self) -> tuple[str, ...]:
        """Remove what was kept, and toolchains and caches that no container uses; the names of what went.

        Raises:
            EngineError: the engine refuses or is gone.
        """
        kept = reaper.kept_containers(self._session)
        for container in kept:
            self._session.remove_container(container)
        names = dict.fromkeys([*(name for held in kept.values() for name in held), *self.lasting_volumes()])
        self._checked_toolchains.clear()
        return (*kept, *(name for name in names if self._session.remove_volume(name)))

    def put(self, volume: Volume, tar: TarSource, *, subpath: str = "") -> None:
        """Unpack a tar into a folder of a volume; whatever it says, its members get the volume's owner.

        Raises:
            EngineError: the engine refuses, is full or gone.
            ValueError: the tar holds an unsafe name or an unknown kind of member.
            tarfile.TarError: the tar is damaged.
        """
        volumes.put(self._session, volume, [(subpath, tar)])

    def get(self, volume: Volume, subpath: str) -> IO[bytes]:
        """A file or folder of a volume as a tar stream; names begin with its last component.  Close it.

        Raises:
            FileNotFoundError: the volume has no such path.
            EngineError: the engine refuses or is gone.
        """
        return volumes.get(self._session, volume, subpath)

    def read(self, volume: Volume, subpath: str) -> bytes:
        """The content of one file of a volume.

        Raises:
            FileNotFoundError: the volume has no such file.
            EngineError: the engine refuses or is gone.
        """
        return volumes.read(self._session, volume, subpath)
