"""What a Debian package installs, read without installing it."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Collection, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

from orchestrator.errors import EngineError, FetchError, process_detail


def package_files(package: Path, wanted: Collection[str]) -> Iterator[tuple[str, tarfile.TarInfo, IO[bytes]]]:
    """The files of a package at these paths, such as `usr/bin/tool`, in its order; read each before the next.

    Raises:
        FetchError: the package lacks one, or is damaged.
        EngineError: dpkg-deb, which knows the format (deb(5)), is not installed.
    """
    left = set(wanted)
    with closing(package_members(package)) as members:
        for name, member, content in members:
            if name in left and content:
                left.remove(name)
                yield name, member, content
            if not left:
                return
    raise FetchError(
        f"{package}: the package does not hold {', '.join(sorted(left))}.",
        advice="Its contents changed: look at the new lock's version, and correct orchestrator/store/cuda_tree.py.",
    )


def package_members(package: Path) -> Generator[tuple[str, tarfile.TarInfo, IO[bytes] | None]]:
    """All that a package installs, in its order; files with their content, read each before the next.

    Raises:
        FetchError: the package is damaged.
        EngineError: dpkg-deb is not installed.
    """
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise EngineError(
            "Packages of Debian are opened with dpkg-deb, which is not installed.",
            advice="Install the package 'dpkg' of this system.",
        ) from None
    with process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                for member in archive:
                    content = archive.extractfile(member) if member.isreg() else None
                    yield member.name.removeprefix("./"), member, content
        except tarfile.TarError as error:
            raise _damaged(package, command, process, str(error)) from error
        finally:
            process.kill()  # the rest is of no use


def _damaged(package: Path, command: list[str], process: subprocess.Popen[bytes], why: str) -> FetchError:
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    return FetchError(
        f"{package}: cannot be read as a Debian package ({why}).",
        detail=process_detail(command, process.wait(), said),
        advice="Remove the file and run the command again: it is fetched anew.",
    )
