"""A container registry on this machine, which serves small images that move from tag to tag.

Only what an engine needs to pull (OCI distribution specification, sections "Pulling manifests" and
"Pulling blobs"); engines speak plain HTTP with registries on 127.0.0.1.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

from orchestrator.processor import ENGINE_NAMES, native_arch
from orchestrator.tarstream import tar_of

_PREFIX = "application/vnd.docker"
_MANIFEST = f"{_PREFIX}.distribution.manifest.v2+json"


class Registry:
    """Images below one repository; `repository` is what to put before a tag."""

    def __init__(self, port: int) -> None:
        self.repository = f"127.0.0.1:{port}/tests/official"
        self.asked: list[str] = []
        self.published: list[str] = []
        self._blobs: dict[str, bytes] = {}
        self._tags: dict[str, str] = {}

    def publish(self, tag: str, content: bytes) -> str:
        """Let the tag mean an image with that content; its digest."""
        layer = tar_of({"content": content})
        config = {
            "architecture": ENGINE_NAMES[native_arch()],
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [self._digest(layer)]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": self._part("container.image.v1+json", json.dumps(config).encode()),
            "layers": [self._part("image.rootfs.diff.tar", layer)],
        }
        data = json.dumps(manifest).encode()
        self._blobs[self._digest(data)] = data
        self._tags[tag] = self._digest(data)
        self.published.append(self._tags[tag])
        return self._tags[tag]

    def withdraw(self, digest: str) -> None:
        """Forget an image, its layer too: an engine may have kept the manifest."""
        manifest = json.loads(self._blobs.pop(digest))
        for part in (manifest["config"], *manifest["layers"]):
            del self._blobs[part["digest"]]

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """The digest and the content at a path of the interface, if it has it."""
        self.asked.append(path)
        name = path.rpartition("/")[2]
        digest = self._tags.get(name, name)
        data = b"{}" if path == "/v2/" else self._blobs.get(digest)
        return None if data is None else (digest, data)

    def _part(self, kind: str, data: bytes) -> dict[str, Any]:
        self._blobs[self._digest(data)] = data
        return {"mediaType": f"{_PREFIX}.{kind}", "size": len(data), "digest": self._digest(data)}

    @staticmethod
    def _digest(data: bytes) -> str:
        return f"sha256:{hashlib.sha256(data).hexdigest()}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    registry: ClassVar[Registry]

    def do_HEAD(self) -> None:
        """Answer with the headers of what is asked for."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer one question."""
        found = self.registry.answer(self.path)
        digest, data = found or ("", b'{"errors": [{"code": "MANIFEST_UNKNOWN", "message": "no such image"}]}')
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", _MANIFEST if "/manifests/" in self.path else "application/octet-stream")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Docker-Content-Digest", digest)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: engines try TLS first."""


@contextlib.contextmanager
def serve() -> Iterator[Registry]:
    """A registry that answers until the end of the block."""

    class Handler(_Handler):
        pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        Handler.registry = registry = Registry(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()
