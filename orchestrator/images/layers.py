"""Layers of images in the store: gzip-compressed tars, found by what they were made from."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from orchestrator.store.debian.mmdebstrap import EPOCH
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

_REF = "image-layer"
_CHUNK = 1 << 20
# A finished layer is read once an engine: quick to write matters more than small.
_LEVEL = 1
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class Layer:
    """A layer: the hash of its tar, of the compressed file in the store, and its size in bytes, unpacked."""

    diff_id: str
    blob: str
    size: int


class LayerWriter(io.RawIOBase):
    """Compresses and hashes a tar while it is written, into a file of the store's disk."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("wb")
        self._compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._digest = hashlib.sha256()
        self._size = 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Add the next bytes of the tar."""
        view = memoryview(data)
        self._digest.update(view)
        self._size += view.nbytes
        self._file.write(self._compressor.compress(view))
        return view.nbytes

    def copy(self, stream: IO[bytes]) -> None:
        """Add all of a stream."""
        while chunk := stream.read(_CHUNK):
            self.write(chunk)

    def close(self) -> None:
        """Give up a file that is not complete, if it is not; what was written stays."""
        self._file.close()
        super().close()

    def finish(self) -> tuple[str, int]:
        """Complete the file; the SHA-256 and the size of the tar."""
        self._file.write(self._compressor.flush())
        self._file.close()
        return self._digest.hexdigest(), self._size


def recorded_layer(store: Store, key: str) -> Layer | None:
    """What is known of the layer made from what `key` stands for; its content may be gone."""
    record = store.get_ref(_REF, key)
    if record is None:
        return None
    try:
        return Layer(str(record["diff_id"]), str(record["blob"]), int(record["size"]))
    except (KeyError, TypeError, ValueError):
        return None


def find_layer(store: Store, key: str, *, verify: bool = False) -> Layer | None:
    """The layer made from what `key` stands for, if the store has its content; see `Store.blob`."""
    layer = recorded_layer(store, key)
    return layer if layer and store.blob(layer.blob, verify=verify) else None


def keep_layer(store: Store, key: str, path: Path, diff_id: str, size: int) -> Layer:
    """Move a compressed layer, a file inside `store.temporary()`, into the store and remember it by its key."""
    layer = Layer(diff_id, store.add_file(path, move=True), size)
    remember_layer(store, key, layer)
    return layer


def remember_layer(store: Store, key: str, layer: Layer) -> None:
    """Let a layer whose content is in the store be found by its key."""
    store.put_ref(_REF, key, asdict(layer))


def measure(stream: IO[bytes]) -> tuple[str, int]:
    """The SHA-256 and size of the tar in a layer's stream, compressed with gzip or not.

    Raises:
        zlib.error: the compressed data is damaged or truncated.
    """
    digest, size = hashlib.sha256(), 0
    head = stream.read(_CHUNK)
    inflater = zlib.decompressobj(_GZIP) if head[:2] == b"\x1f\x8b" else None
    chunk = head
    while chunk:
        data = inflater.decompress(chunk) if inflater else chunk
        digest.update(data)
        size += len(data)
        chunk = stream.read(_CHUNK)
    if inflater and not inflater.eof:
        raise zlib.error("the compressed layer is truncated")
    return digest.hexdigest(), size


def write_normal_tar(source: tarfile.TarFile, target: LayerWriter, *, strip: str, below: PurePosixPath) -> int:
    """Write the members of `source` that lie in its folder `strip` as the content of `below`; how many there were.

    Members are sorted and get root as owner, one time, and plain permissions, so that the same content
    always gives the same bytes.  Regular files, links and folders only.
    """
    members = {
        relative: member
        for member in source.getmembers()
        if (relative := _relative(member.name, strip)) is not None
        and (member.isreg() or member.issym() or member.isdir() or member.islnk())
    }
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        for folder in _with_parents(below):
            archive.addfile(_normal(tarfile.TarInfo(folder), directory=True))
        for relative in sorted(members):
            member = members[relative]
            info = tarfile.TarInfo(f"{below}/{relative}")
            info.type, info.size, info.linkname = member.type, member.size, member.linkname
            if member.islnk():  # a hard link's target is a name inside the archive
                info.type, info.size = tarfile.REGTYPE, source.getmember(member.linkname).size
                info.linkname = ""
            content = source.extractfile(member) if info.isreg() else None
            archive.addfile(_normal(info, executable=bool(member.mode & 0o100), directory=member.isdir()), content)
    return len(members)


def _relative(name: str, strip: str) -> str | None:
    path = PurePosixPath(name)
    try:
        inside = path.relative_to(strip)
    except ValueError:
        return None
    return None if str(inside) == "." else str(inside)


def _with_parents(path: PurePosixPath) -> Iterable[str]:
    return [str(part) for part in (*reversed(path.parents), path) if str(part) != "."]


def _normal(info: tarfile.TarInfo, *, executable: bool = False, directory: bool = False) -> tarfile.TarInfo:
    if directory:
        info.type = tarfile.DIRTYPE
    info.mode = 0o777 if info.issym() else 0o755 if executable or directory else 0o644
    info.mtime = EPOCH
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    return info
