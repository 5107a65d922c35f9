"""Interpreter layers of the builder: compiled from Debian's source archive, in a container."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits
from orchestrator.errors import EngineError
from orchestrator.images.definition import PythonLayer
from orchestrator.images.layers import Layer
from orchestrator.images.volume_layer import keep_output
from orchestrator.store.debian.lock import Package
from orchestrator.store.store import Store
from orchestrator.tarstream import TarMember, TarStream

SCRIPT = "cpython.sh"
"""Compiles; lies beside the definitions."""

_SECONDS = 1800
_EMULATED_SECONDS = 4 * 3600


def compile_python(
    store: Store,
    engine: Engine,
    layer: PythonLayer,
    source: Package,
    *,
    image: str,
    script: Path,
    key: str,
    arch: str,
    on_line: Callable[[str], None],
) -> Layer:
    """Compile an interpreter on `image`, of processor `arch`, and keep the layer that puts it under /opt/python.

    Raises:
        EngineError: the compilation failed, or the engine is gone.
        FetchError: the source is not in the store, or the disk is full.
    """
    archive = store.require(source.sha256, f"{source.name} {source.version}")
    inputs = TarStream([TarMember.of_file("archive", archive), TarMember.of_file(SCRIPT, script)])
    volume = engine.volume("cpython", row="images")
    try:
        result = engine.run(
            image=image,
            command=["/bin/sh", f"/work/source/{SCRIPT}", layer.version, layer.tag],
            row="images",
            step=f"cpython-{layer.version}",
            work=volume,
            inputs={"source": inputs},
            limits=Limits(seconds=_SECONDS if arch == engine.info.arch else _EMULATED_SECONDS),
            arch=arch,
            on_line=on_line,
        )
        if result.exit:
            raise EngineError(
                f"Compiling Python {layer.version} from {source.name} {source.version} ended with {result.exit}.",
                detail=result.output_tail,
                advice="Use the official image where a registry answers ('--official-only'), or import one that was "
                "made elsewhere: 'nox -s images -- import FILE'.",
            )
        return keep_output(
            store,
            engine,
            volume,
            title=f"packing Python {layer.version}",
            key=key,
            folder="out",
            below=PurePosixPath("opt/python", layer.tag),
        )
    finally:
        engine.remove_volume(volume)
