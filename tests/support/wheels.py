"""Wheels made for tests: a correct one from given files, or with a fault that a test asks for."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

TAG = "cp311-cp311-manylinux_2_28_x86_64"


def record_hash(data: bytes) -> str:
    """A hash as RECORD writes it."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")


def record(files: Mapping[str, bytes], path: str) -> bytes:
    """The RECORD of these files, at this path."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for name, data in files.items():
        writer.writerow([name, record_hash(data), len(data)])
    writer.writerow([path, "", ""])
    return text.getvalue().encode("utf-8")


def make_wheel(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    name: str = "example",
    version: str = "1.0",
    tag: str = TAG,
    wheel_tag: str | None = None,
    requires: Iterable[str] = (),
    metadata: str | None = None,
    executables: Iterable[str] = (),
    edit: Callable[[dict[str, bytes]], None] | None = None,
    after_record: Mapping[str, bytes] | None = None,
    filename: str | None = None,
) -> Path:
    """Write a wheel with these files and a correct `.dist-info` folder, and give its path.

    `wheel_tag` sets what the WHEEL file says where it shall differ from the file name's `tag`.
    `metadata` replaces the whole METADATA. `executables` are members with the executable bits.
    `edit` changes the contents (by name) before RECORD is computed; `after_record` are members added,
    or replaced, afterwards, which RECORD therefore does not know, or has another hash of.
    """
    info = f"{name}-{version}.dist-info"
    contents = dict(files)
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"]
    lines += [f"Requires-Dist: {requirement}\n" for requirement in requires]
    contents[f"{info}/METADATA"] = (metadata if metadata is not None else "".join(lines)).encode("utf-8")
    tags = "".join(f"Tag: {one}\n" for one in _expand(wheel_tag or tag))
    pure = "true" if tag.endswith("-any") else "false"
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: {pure}\n{tags}".encode()
    if edit is not None:
        edit(contents)
    contents[f"{info}/RECORD"] = record(contents, f"{info}/RECORD")
    contents.update(after_record or {})
    path = folder / (filename or f"{name}-{version}-{tag}.whl")
    write_zip(path, contents.items(), executables=executables)
    return path


def write_zip(path: Path, members: Iterable[tuple[str, bytes]], *, executables: Iterable[str] = ()) -> None:
    """Write members in order, with one time for all; names may repeat and need not be sane."""
    runnable = frozenset(executables)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if name in runnable else 0o100644) << 16
            archive.writestr(info, data)


def _expand(tag: str) -> list[str]:
    """A compressed tag set, expanded (PyPA: platform compatibility tags)."""
    pythons, abis, platforms = tag.split("-")
    return [f"{p}-{a}-{m}" for p in pythons.split(".") for a in abis.split(".") for m in platforms.split(".")]
