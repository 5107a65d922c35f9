"""Unpacking a source's tree from the tar that `build.source` packs; packed again, it has the same hash."""

from __future__ import annotations

import tarfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from orchestrator.build.source import link_fault
from orchestrator.files import writing
from orchestrator.reproduce.members import damaged, reading
from orchestrator.tarstream import CHUNK


def unpack_tree(tar: Path, target: Path, where: Path, *, known: Collection[Path] = ()) -> None:
    """Unpack into `target`; files that are `known` must be there, and stay; `where` names the bundle in errors.

    Files, folders and links that stay inside the tree, and nothing else; links come last, so that nothing is
    written through one.

    Raises:
        FetchError: the tar is damaged, or holds anything else.
        DiskError: `target` cannot be written.
    """
    links: dict[str, str] = {}
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
    with reading(where, tar.name), tarfile.open(tar, mode="r:") as archive:
        for member in archive:
            path = _inside(member.name, where)
            if member.issym():
                links[path] = member.linkname
            elif member.isdir():
                with writing(target / path):
                    (target / path).mkdir(parents=True, exist_ok=True)
            elif member.isreg() and not member.issparse():
                if target / path not in known:
                    _write(archive, member, target / path)
            else:
                raise damaged(where, f"has a source with '{path}', which is neither file, folder nor link")
    for path, link in links.items():
        if fault := link_fault(links, path):
            raise damaged(where, f"has a source with the link '{path}' to '{link}', which {fault}")
        if target / path in known:
            continue
        with writing(target / path):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).symlink_to(link)


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    stream = archive.extractfile(member)
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        output = target.open("xb")
    with output:
        while stream is not None and (piece := stream.read(CHUNK)):
            with writing(target):
                output.write(piece)
    if target.stat().st_size != member.size:
        raise tarfile.ReadError(f"'{member.name}' ends early")
    target.chmod(0o755 if member.mode & 0o100 else 0o644)


def _inside(name: str, where: Path) -> str:
    pure = PurePosixPath(name)
    if not pure.parts or pure.is_absolute() or ".." in pure.parts or "\0" in name:
        raise damaged(where, f"has a source with the member {name[:80]!a}, which would lie outside of it")
    return pure.as_posix()
