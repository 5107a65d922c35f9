"""Containers that are never started: the way by which tar streams reach a volume.

A container with a read-only root accepts no archive, not even into a volume, so archives go
through a container that mounts the volume, is created, and never runs.  Its image is empty and
made here, hence needs no registry.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager

import docker.errors
import docker.types

from orchestrator.containers.failures import engine_errors
from orchestrator.containers.model import Volume
from orchestrator.containers.owner import LABEL_KIND
from orchestrator.containers.session import Session
from orchestrator.processor import ENGINE_NAMES
from orchestrator.tarstream import TarMember, TarStream, tar_of

MOUNT = "volume"
"""Where, below the root, a helper mounts its volume."""

_REFERENCE = "wheel-orchestrator/helper:1"


def helper_archive(arch: str) -> bytes:
    """The empty image as `docker load` takes it: the same bytes, hence the same id, each time.

    Format: Docker image specification v1.2, combined image JSON and file-system changesets.
    """
    layer = TarStream([TarMember.folder(f"{MOUNT}/")]).read()
    digest = hashlib.sha256(layer).hexdigest()
    config = {
        "architecture": ENGINE_NAMES.get(arch, arch),
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {"Cmd": ["/never-started"], "Labels": {LABEL_KIND: "helper"}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "empty"}],
    }
    config_json = json.dumps(config, sort_keys=True).encode()
    config_name = f"{hashlib.sha256(config_json).hexdigest()}.json"
    manifest = [{"Config": config_name, "RepoTags": [_REFERENCE], "Layers": [f"{digest}/layer.tar"]}]
    return tar_of(
        {"manifest.json": json.dumps(manifest).encode(), config_name: config_json, f"{digest}/layer.tar": layer}
    )


@contextmanager
def helper(session: Session, volume: Volume | None, *, name: str | None = None) -> Iterator[str]:
    """A never-started container that mounts `volume`, or nothing; gone at the end.

    A `name` makes it a lock, since the engine gives a name only once.

    Raises:
        FileExistsError: a container with that name exists.
        EngineError: the engine refuses or is gone.
    """
    container = create_helper(session, volume, name=name)
    with session.removing(container):
        yield container


def create_helper(session: Session, volume: Volume | None, *, name: str | None = None) -> str:
    """Like `helper`, for a caller that removes the container itself."""
    with engine_errors(f"making a helper container for {volume.name if volume else name}"):
        try:
            return _create(session, volume, name)
        except docker.errors.ImageNotFound:
            for event in session.api.load_image(helper_archive(session.info.arch)):
                if "error" in event:
                    raise docker.errors.DockerException(event["error"]) from None
            return _create(session, volume, name)


def _create(session: Session, volume: Volume | None, name: str | None) -> str:
    mounts = []
    if volume is not None:
        mounts.append(docker.types.Mount(target=f"/{MOUNT}", source=volume.name, type="volume", no_copy=True))
    try:
        created = session.api.create_container(
            _REFERENCE,
            ["/never-started"],
            name=name,
            labels=session.labels("container", step="helper"),
            host_config=session.api.create_host_config(mounts=mounts, network_mode="none"),
            use_config_proxy=False,
        )
    except docker.errors.APIError as error:
        # Docker answers 409, Podman 500; both with these words.
        if name is not None and "already in use" in str(error.explanation):
            raise FileExistsError(name) from error
        raise
    return session.made_container(created)
