"""What a Debian package installs, read without installing it."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from orchestrator.errors import EngineError, FetchError, process_detail


def package_files(package: Path, wanted: Collection[str]) -> Iterator[tuple[str, tarfile.TarInfo, IO[bytes]]]:
    """The files of a package at these paths, such as `usr/bin/tool`, in its order; read each before the next.

    Raises:
        FetchError: the package lacks one, or is damaged.
        EngineError: dpkg-deb, which knows the format (deb(5)), is not installed.
    """
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise EngineError(
            "Packages of Debian are opened with dpkg-deb, which is not installed.",
            advice="Install the package 'dpkg' of this system.",
        ) from None
    left = set(wanted)
    with process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                for member in archive:
                    name = member.name.removeprefix("./")
                    content = archive.extractfile(member) if name in left and member.isreg() else None
                    if content:
                        left.remove(name)
                        yield name, member, content
                    if not left:
                        return
        except tarfile.TarError as error:
            raise _damaged(package, command, process, str(error)) from error
        finally:
            process.kill()  # the rest is of no use
    raise FetchError(
        f"{package}: the package does not hold {', '.join(sorted(left))}.",
        advice="Its contents changed: look at the new lock's version, and correct orchestrator/store/cuda_tree.py.",
    )


def _damaged(package: Path, command: list[str], process: subprocess.Popen[bytes], why: str) -> FetchError:
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    return FetchError(
        f"{package}: cannot be read as a Debian package ({why}).",
        detail=process_detail(command, process.wait(), said),
        advice="Remove the file and run the command again: it is fetched anew.",
    )
