"""A package index on this machine (PEP 503), which serves small wheels."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import io
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path


class _Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        """Serve a file; one of a name with 'endless' in it begins and never ends."""
        if "endless" not in self.path or self.path.endswith("/"):
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 30))
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(bytes(1000))
                time.sleep(0.05)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class Index:
    """What the index has; `address` is given to pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""

    def add(self, name: str, version: str, *, tag: str = "py3-none-any", content: bytes = b"", lie: str = "") -> str:
        """Publish a wheel and return its SHA-256; the index gives the hash `lie` instead if asked to."""
        return self.publish(name, f"{name}-{version}-{tag}.whl", _wheel(name, version, tag, content), lie=lie)

    def publish(self, name: str, filename: str, data: bytes, *, lie: str = "") -> str:
        """Publish any file, such as a source distribution, as `add` does a wheel."""
        sha256 = hashlib.sha256(data).hexdigest()
        project = self.folder / "simple" / name
        project.mkdir(parents=True, exist_ok=True)
        (project / filename).write_bytes(data)
        with (project / "index.html").open("a") as page:
            page.write(f'<a href="{filename}#sha256={lie or sha256}">{filename}</a>\n')
        return sha256


def _wheel(name: str, version: str, tag: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}.bin", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/RECORD", "")
    return buffer.getvalue()


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[Index]:
    """An index that serves from `folder` until the block ends."""
    handler = functools.partial(_Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        index = Index(folder)
        index.address = f"http://127.0.0.1:{server.server_port}/simple"
        try:
            yield index
        finally:
            server.shutdown()
            thread.join()
