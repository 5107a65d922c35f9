"""What installing leaves in an image with a Python, for images of another processor whose packages are only unpacked.

That is byte code and the file of certificates.  Without byte code each start of Python would compile, under
emulation, what it imports; the native image of the same definition has the same Python, and its byte code is for
every processor.  Python holds it against the hash of the source (PEP 552, checked).  pip, which runs from a wheel
elsewhere, has none there: it is unpacked, see `verify.dynamic.run_pip`.  It reads the certificates when it starts.
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
import importlib.util, pathlib, py_compile, shutil, sys, zipfile
out = pathlib.Path("/work/out")
def compile_below(folder, within=pathlib.Path("/")):
    for path in sorted((within / folder).rglob("*.py")):
        name = "/" / path.relative_to(within)
        cached = out / importlib.util.cache_from_source(str(name))[1:]
        cached.parent.mkdir(parents=True, exist_ok=True)
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        py_compile.compile(path, cached, str(name), doraise=False, quiet=2, invalidation_mode=mode)
compile_below(f"usr/lib/python3.{sys.version_info[1]}")
for wheel in sorted(pathlib.Path("/usr/share/python-wheels").glob("pip-*.whl"))[-1:]:
    zipfile.ZipFile(wheel).extractall(out / "usr/lib/wheel-orchestrator/pip")
    compile_below("usr/lib/wheel-orchestrator/pip", out)
certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
if certificates.is_file():
    copy = out / certificates.relative_to("/")
    copy.parent.mkdir(parents=True)
    shutil.copyfile(certificates, copy)
"""
"""Runs in the native image; files that no Python can compile, such as examples of 2to3, are left out."""

_SECONDS = 600


def make_installed(
    store: Store, engine: Engine, *, image: str, title: str, key: str, on_line: Callable[[str], None]
) -> Layer:
    """Make it in the native `image`, and keep the layer that adds it.

    Raises:
        EngineError: making it failed, or the engine is gone.
        FetchError: the disk is full.
    """
    volume = engine.volume("installed", row="images")
    try:
        result = engine.run(
            image=image,
            command=["python3", "-B", "/work/script/make.py"],
            row="images",
            step=title,
            work=volume,
            env={"PYTHONHASHSEED": "0"},
            inputs={"script": tar_of({"make.py": SCRIPT.encode()})},
            limits=Limits(seconds=_SECONDS),
            on_line=on_line,
        )
        if result.exit:
            raise EngineError(
                f"{title}: ended with {result.exit}.",
                detail=result.output_tail,
                advice="Import an image that was made elsewhere: 'nox -s images -- import FILE'.",
            )
        return keep_output(store, engine, volume, title=title, key=key, folder="out", below=PurePosixPath())
    finally:
        engine.remove_volume(volume)
