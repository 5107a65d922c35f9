"""Whether the store is what it was when it was written: looked at, and left as it is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.store.store import Store, is_sha256, sha256_file


@dataclass(frozen=True, kw_only=True)
class Damage:
    """A file of the store, by its path there, and what is wrong with it."""

    path: str
    what: str


def quick_look(store: Store) -> Iterator[Damage]:
    """What names, sizes and records tell, without reading any content."""
    for path in _blobs(store):
        if not is_sha256(path.name) or path.parent.name != path.name[:2]:
            yield _damage(store, path, "is named by no hash, so that nothing finds it")
        elif path.stat().st_size == 0 and path.name != hashlib.sha256().hexdigest():
            yield _damage(store, path, "is empty, and its name is of some content")
    for path in sorted(store.root.glob("blobs/*/*")):
        if not path.is_file() and os.path.lexists(path):  # it may have been removed just now
            yield _damage(store, path, "is no file")
    for path in sorted(store.root.glob("refs/*/*.json")):
        if why := _wrong_record(path):
            yield _damage(store, path, why)
    for path in sorted(store.root.glob("git/*.git")):
        if not ((path / "HEAD").is_file() and (path / "objects").is_dir()):
            yield _damage(store, path, "is no git repository")


def deep_look(store: Store, advance: Callable[[int], None]) -> Iterator[Damage]:
    """Each file whose content is not what its name is the hash of; `advance` is told how many bytes were read."""
    for path in _blobs(store):
        if is_sha256(path.name):
            size = path.stat().st_size
            if size and (why := wrong_content(path)):
                yield _damage(store, path, why)
            advance(size)


def wrong_content(path: Path) -> str:
    """What is wrong with a file that its hash names, or nothing: a failing disk may not let it be read at all."""
    try:
        found = sha256_file(path)
    except FileNotFoundError:
        return ""  # removed just now
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if found == path.name else "has another content than the one that its name is the hash of"


def stored_bytes(store: Store) -> tuple[int, int]:
    """How many files of content the store has, and their bytes."""
    sizes = [path.stat().st_size for path in _blobs(store)]
    return len(sizes), sum(sizes)


def _blobs(store: Store) -> list[Path]:
    return sorted(path for path in store.root.glob("blobs/*/*") if path.is_file())


def _wrong_record(path: Path) -> str:
    """What is wrong with a record, or nothing."""
    try:
        record = json.loads(path.read_bytes())
        key, value = record["key"], record["value"]
    except FileNotFoundError:
        return ""  # replaced just now
    except (OSError, ValueError, KeyError, TypeError):
        return "is no record that can be read"
    named = hashlib.sha256(str(key).encode()).hexdigest() == path.stem
    return "" if named and isinstance(value, dict) else "is the record of something else"


def _damage(store: Store, path: Path, what: str) -> Damage:
    return Damage(path=str(path.relative_to(store.root)), what=what)
