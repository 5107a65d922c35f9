"""Named volumes: those of a step, and the lasting ones that hold toolchains and caches."""

from __future__ import annotations

import io
import re
import secrets
import tarfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import IO, Any

import docker.errors

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.helper import MOUNT, create_helper, helper
from orchestrator.containers.model import Volume, VolumeKind
from orchestrator.containers.owner import LABEL_KIND
from orchestrator.containers.reaper import reap
from orchestrator.containers.session import Session
from orchestrator.containers.transfer import Sending, TarSource, folders, owned
from orchestrator.errors import EngineError
from orchestrator.tarstream import CHUNK, PieceReader, end_mark, tar_of

_PREFIX = "wheel-orchestrator"
_COMPLETE = ".complete"
_FILL_MINUTES = 30


def numeric(owner: str) -> tuple[int, int]:
    """The numbers of a user:group text."""
    user, _, group = owner.partition(":")
    return int(user), int(group or user)


def make_step_volume(session: Session, purpose: str, *, row: str, owner: str) -> Volume:
    """A volume that lives as long as the run, with the container user's home folder in it."""
    name = f"{_PREFIX}-{_plain(session.run)[:40]}-{_plain(purpose)[:40]}-{secrets.token_hex(4)}"
    volume = Volume(name=name, kind="step", owner=owner, run=session.run)
    _make(session, volume, session.labels("step", row=row, step=purpose))
    put(session, volume, [("home", None)])
    return volume


def make_cache_volume(session: Session, name: str, *, owner: str) -> Volume:
    """The lasting volume of that name; made if need be."""
    volume = Volume(name=f"{_PREFIX}-cache-{_plain(name)}", kind="cache", owner=owner)
    _make(session, volume, session.lasting_labels("cache", step=name))
    return volume


def make_toolchain_volume(
    session: Session, name: str, content_id: str, fill: Callable[[], TarSource], *, progress: Callable[[str], None]
) -> Volume:
    """The lasting volume with that content; filled by whoever comes first, once per engine.

    The fill's last member is a mark with the content's id, so a fill that was cut off is noticed
    and begun anew.  The name of the helper container is the lock between processes and machines.
    """
    content_id = content_id.removeprefix("sha256:")
    volume = Volume(name=f"{_PREFIX}-toolchain-{_plain(name)}-{content_id[:32]}", kind="toolchain", owner="0:0")
    give_up = time.monotonic() + 60 * _FILL_MINUTES
    waiting = False
    while not _is_complete(session, volume, content_id):
        lock = f"{volume.name}-fill"
        try:
            _fill(session, volume, content_id, fill, lock=lock, label=name)
        except FileExistsError:
            if not waiting:
                progress(f"another process fills the toolchain volume of {name}; waiting for it")
            waiting = True
            reap(session)
            if time.monotonic() > give_up:
                raise EngineError(
                    f"Container {lock} has been filling the toolchain volume of {name} for {_FILL_MINUTES} minutes.",
                    advice=f"If no other machine uses this engine now, remove it: docker rm -f {lock}",
                ) from None
            time.sleep(0.5)
    return volume


def _fill(
    session: Session, volume: Volume, content_id: str, fill: Callable[[], TarSource], *, lock: str, label: str
) -> None:
    with helper(session, None, name=lock):
        if _is_complete(session, volume, content_id):
            return
        if not session.remove_volume(volume.name):
            raise EngineError(
                f"The toolchain volume {volume.name} is not complete, but a container uses it.",
                advice="Remove the container ('docker ps -a --filter volume=" + volume.name + "'), repeat the command.",
            )
        _make(session, volume, session.lasting_labels("toolchain", step=label))
        put(session, volume, [("", fill())])
        put(session, volume, [("", tar_of({_COMPLETE: content_id.encode()}))])


def _is_complete(session: Session, volume: Volume, content_id: str) -> bool:
    with engine_errors(f"looking for volume {volume.name}"):
        try:
            session.api.inspect_volume(volume.name)
        except docker.errors.NotFound:
            return False
    try:
        return read(session, volume, _COMPLETE) == content_id.encode()
    except FileNotFoundError:
        return False


def put(session: Session, volume: Volume, contents: Iterable[tuple[str, TarSource | None]]) -> None:
    """Unpack archives into folders of a volume in one go, everything owned by the volume's owner.

    `contents` gives folder and archive; the folder is made, with those above it; without an archive
    it stays empty; an empty folder name is the volume's top.

    Raises:
        EngineError: the engine refuses, is full or gone.
        ValueError: an archive holds an unsafe name or an unknown kind of member.
        tarfile.TarError: an archive is damaged.
    """
    user, group = numeric(volume.owner)

    def pieces() -> Iterator[bytes]:
        for folder, source in contents:
            if folder:
                yield folders(folder, user=user, group=group)
            if source is not None:
                yield from owned(source, prefix=folder, user=user, group=group)
        yield end_mark()

    sending = Sending(pieces())
    with (
        helper(session, volume) as container,
        sending.unwrapped(),
        engine_errors(f"copying into volume {volume.name}"),
    ):
        session.api.put_archive(container, f"/{MOUNT}", sending)


def _make(session: Session, volume: Volume, labels: dict[str, str]) -> None:
    """Make the volume if it does not exist, with a top folder that belongs to its owner."""
    user, group = numeric(volume.owner)
    if session.info.name == "podman":
        session.make_volume(volume.name, labels, {"o": f"uid={user},gid={group}"})
        return
    session.make_volume(volume.name, labels)
    if user == group == 0:
        return
    # Docker leaves the folder alone into which it unpacks, hence from above. Repeating it for a volume that exists
    # does no harm, and mends one whose maker died between the two steps.
    entry = folders(MOUNT, user=user, group=group) + end_mark()
    with helper(session, volume) as container, engine_errors(f"claiming volume {volume.name}"):
        session.api.put_archive(container, "/", entry)


def get(session: Session, volume: Volume, subpath: str) -> IO[bytes]:
    """A file or folder of a volume as a tar stream whose names begin with its last component.

    Close the stream: only then its helper container goes.

    Raises:
        FileNotFoundError: the volume has no such path.
        EngineError: the engine refuses or is gone.
    """
    container = create_helper(session, volume)
    try:
        with engine_errors(f"reading {subpath} of volume {volume.name}"):
            try:
                chunks, _ = session.api.get_archive(container, f"/{MOUNT}/{subpath}".rstrip("/"), CHUNK)
            except docker.errors.NotFound:
                raise FileNotFoundError(subpath) from None
    except BaseException:
        with suppress(EngineError):
            session.remove_container(container)
        raise

    def pieces() -> Iterator[bytes]:
        with engine_errors(f"reading {subpath} of volume {volume.name}"):
            yield from chunks

    def close() -> None:
        try:
            chunks.close()
        finally:
            session.remove_container(container)

    return io.BufferedReader(PieceReader(pieces(), close), CHUNK)


def read(session: Session, volume: Volume, subpath: str) -> bytes:
    """The content of one file of a volume.

    Raises:
        FileNotFoundError: the volume has no such file.
        EngineError: the engine refuses or is gone.
    """
    with get(session, volume, subpath) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        member = archive.next()
        content = archive.extractfile(member) if member is not None and member.isreg() else None
        if content is None:
            raise FileNotFoundError(f"{subpath} is no regular file")
        return content.read()


def lasting_volumes(session: Session) -> dict[str, VolumeKind]:
    """Names and kinds of the toolchain and cache volumes on the engine."""
    with engine_errors("listing volumes"):
        answer: dict[str, Any] = session.api.volumes(filters={"label": LABEL_KIND})
    kinds = {volume["Name"]: volume["Labels"][LABEL_KIND] for volume in answer["Volumes"] or ()}
    return {name: kind for name, kind in sorted(kinds.items()) if kind in ("toolchain", "cache")}


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "x"
