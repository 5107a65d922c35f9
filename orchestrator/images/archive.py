"""The docker-save stream of an image: layers, configuration, manifest.

Written by our own code with fixed times, because `docker import` and a Dockerfile's build give a
new id each time.  The id of an image is the SHA-256 of its configuration, which names its layers by
the SHA-256 of their tars, so the same content has the same id on every engine.

Format: Docker Image Specification v1.2 (https://github.com/moby/docker-image-spec).  Layers may be
compressed with gzip: engines look at the content.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from orchestrator.containers.owner import LABEL_KIND
from orchestrator.errors import RecipeError
from orchestrator.images.layers import Layer, measure
from orchestrator.store.debian.mmdebstrap import EPOCH
from orchestrator.store.store import Store
from orchestrator.tarstream import CHUNK, TarMember, TarStream

LABEL_NAME = "io.wheel-orchestrator.image"
"""Which definition an image was made from."""
LABEL_LAYERS = "io.wheel-orchestrator.layers"
"""Keys of its layers in a store, so that an imported image is found like one built here."""


def image_config(
    layers: Sequence[Layer], *, name: str, keys: Sequence[str], architecture: str, environment: Mapping[str, str]
) -> bytes:
    """The configuration of an image: the same arguments always give the same bytes.

    `keys` are those of the layers in the store, `architecture` is Debian's word (amd64, arm64).
    """
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    config: dict[str, Any] = {
        "architecture": architecture,
        "os": "linux",
        "created": when,
        "config": {
            "Cmd": ["/bin/sh"],
            "Env": [f"{variable}={value}" for variable, value in sorted(environment.items())],
            "Labels": {LABEL_KIND: "image", LABEL_NAME: name, LABEL_LAYERS: " ".join(keys)},
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.diff_id}" for layer in layers]},
        "history": [{"created": when, "created_by": key} for key in keys],
    }
    if architecture == "arm64":
        config["variant"] = "v8"
    return json.dumps(config, sort_keys=True, separators=(",", ":")).encode()


def image_id(config: bytes) -> str:
    """The id that every engine gives an image with that configuration."""
    return f"sha256:{hashlib.sha256(config).hexdigest()}"


def save_stream(store: Store, config: bytes, layers: Sequence[Layer], reference: str) -> IO[bytes]:
    """The stream to load or to export; its layers are read from the store while it is read.

    Raises:
        FetchError: the store has lost a layer.
    """
    identity = image_id(config).removeprefix("sha256:")
    names = [f"{layer.diff_id}/layer.tar" for layer in layers]
    manifest = [{"Config": f"{identity}.json", "RepoTags": [reference], "Layers": names}]
    members = [
        TarMember.of_bytes("manifest.json", json.dumps(manifest).encode()),
        TarMember.of_bytes(f"{identity}.json", config),
    ]
    for name, layer in zip(names, layers, strict=True):
        members.append(TarMember.of_file(name, store.require(layer.blob, f"layer {layer.diff_id}")))
    return io.BufferedReader(TarStream(members), CHUNK)


@dataclass(frozen=True)
class SavedImage:
    """An image of ours read from a docker-save file: its id, name, reference, layers with their keys."""

    id: str
    name: str
    reference: str
    config: bytes
    layers: Mapping[str, Layer]


def read_saved(store: Store, path: str, archive: tarfile.TarFile) -> SavedImage:
    """Check a docker-save file and bring its layers into the store.

    Nothing is believed: the configuration and each layer are hashed and compared with what names them.

    Raises:
        RecipeError: it is damaged, holds several images, or was not made by this tool.
    """

    def wrong(what: str, detail: str = "") -> RecipeError:
        return RecipeError(
            f"'{path}' cannot be imported: {what}.",
            detail=detail,
            advice="Make it with 'nox -s images -- export NAME FILE'.",
        )

    try:
        (entry,) = json.loads(_read(archive, "manifest.json"))
        config = _read(archive, str(entry["Config"]))
        identity = str(entry["Config"]).removesuffix(".json")
        parsed = json.loads(config)
        labels = parsed["config"]["Labels"] or {}
        diff_ids = [str(value).removeprefix("sha256:") for value in parsed["rootfs"]["diff_ids"]]
        members = [str(name) for name in entry["Layers"]]
        (reference,) = entry["RepoTags"]
    except (KeyError, TypeError, ValueError) as error:
        raise wrong(f"it is not a docker-save file of one image ({error})") from error
    if labels.get(LABEL_KIND) != "image" or not labels.get(LABEL_NAME):
        raise wrong(f"it was not made by this tool: it has no label {LABEL_KIND}=image")
    if (found := image_id(config)) != f"sha256:{identity}":
        raise wrong(
            "its configuration does not have the id that names it", f"expected: sha256:{identity}\nfound:    {found}"
        )
    keys = str(labels.get(LABEL_LAYERS, "")).split()
    if not len(keys) == len(diff_ids) == len(members) > 0:
        raise wrong(f"it names {len(keys)} layer keys, {len(diff_ids)} layer ids and {len(members)} layers")
    layers = {}
    for key, diff_id, name in zip(keys, diff_ids, members, strict=True):
        try:
            member = archive.getmember(name)
            stream, again = archive.extractfile(member), archive.extractfile(member)
            if stream is None or again is None:
                raise KeyError(name)
            digest, size = measure(stream)
        except (KeyError, zlib.error, tarfile.TarError) as error:
            raise wrong(f"its layer {name} cannot be read: {error}") from error
        if digest != diff_id:
            raise wrong(f"its layer {name} has other content", f"expected: {diff_id}\nfound:    {digest}")
        layers[key] = Layer(diff_id, store.add_stream(again, name), size)
    return SavedImage(found, str(labels[LABEL_NAME]), str(reference), config, layers)


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    stream = archive.extractfile(name)
    if stream is None:
        raise KeyError(name)
    return stream.read()
