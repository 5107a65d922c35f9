"""Byte code of Python's own modules for images of another processor: compiled by the engine's own Python.

Debian compiles the standard library when it is installed, and what is only unpacked has none: under emulation each
start of Python would compile what it imports.  The native image of the same definition has the same Python, and its
byte code is for every processor.  Python holds it against the hash of the source (PEP 552, checked).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Limits
from orchestrator.errors import EngineError
from orchestrator.images.layers import Layer
from orchestrator.images.volume_layer import keep_output
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of

SCRIPT = """
import importlib.util, pathlib, py_compile, sys
out = pathlib.Path("/work/out")
for path in sorted(pathlib.Path(f"/usr/lib/python3.{sys.version_info[1]}").rglob("*.py")):
    cached = out / importlib.util.cache_from_source(path)[1:]
    cached.parent.mkdir(parents=True, exist_ok=True)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(path, cached, str(path), doraise=False, quiet=2, invalidation_mode=mode)
"""
"""Runs in the native image; files that no Python can compile, such as examples of 2to3, are left out."""

_SECONDS = 600


def compile_bytecode(
    store: Store, engine: Engine, *, image: str, title: str, key: str, on_line: Callable[[str], None]
) -> Layer:
    """Compile the standard library of the Python in `image` and keep the layer that adds its byte code.

    Raises:
        EngineError: the compilation failed, or the engine is gone.
        FetchError: the disk is full.
    """
    volume = engine.volume("bytecode", row="images")
    try:
        result = engine.run(
            image=image,
            command=["python3", "-B", "/work/script/compile.py"],
            row="images",
            step=title,
            work=volume,
            env={"PYTHONHASHSEED": "0"},
            inputs={"script": tar_of({"compile.py": SCRIPT.encode()})},
            limits=Limits(seconds=_SECONDS),
            on_line=on_line,
        )
        if result.exit:
            raise EngineError(
                f"{title}: ended with {result.exit}.",
                detail=result.output_tail,
                advice="Import an image that was made elsewhere: 'nox -s images -- import FILE'.",
            )
        return keep_output(store, engine, volume, title=title, key=key, folder="out/usr", below=PurePosixPath("usr"))
    finally:
        engine.remove_volume(volume)
