"""Layers of what a container wrote into its work volume."""

from __future__ import annotations

import tarfile
from pathlib import PurePosixPath

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.images.layers import Layer, LayerWriter, keep_layer, write_normal_tar
from orchestrator.store.store import Store
from orchestrator.tarstream import CHUNK


def keep_output(
    store: Store, engine: Engine, volume: Volume, *, title: str, key: str, folder: str, below: PurePosixPath
) -> Layer:
    """Keep the layer that puts the content of a `folder`, below the volume's `out`, into the image's folder `below`.

    Raises:
        EngineError: the engine is gone.
        FetchError: the disk is full.
    """
    with store.temporary(title) as place:
        raw = place / "raw.tar"
        with engine.get(volume, "out") as stream, raw.open("wb") as file:
            while chunk := stream.read(CHUNK):
                file.write(chunk)
        writer = LayerWriter(place / "layer")
        with tarfile.open(raw) as source:
            write_normal_tar(source, writer, strip=folder, below=below)
        diff_id, size = writer.finish()
        return keep_layer(store, key, place / "layer", diff_id, size)
