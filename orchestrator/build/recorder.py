"""The recorder: a small program between a build and nvcc that writes down each command and runs it.

What a build passes to nvcc is known only there: projects override lists of architectures, and environment
variables and files of options add to a command line.
"""

from __future__ import annotations

import shlex
import tarfile
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import IO

from orchestrator.build.nvcc import NvccCommand
from orchestrator.containers.model import WORK
from orchestrator.tarstream import TarMember, TarStream

FOLDER = "recorder"
"""The recorder's folder on the work volume."""

RECORDS = "records"

LAUNCHER = f"{WORK}/{FOLDER}/launch"
"""Records and runs the command that it is given, as CMake's CMAKE_CUDA_COMPILER_LAUNCHER wants it."""

NVCC_FOLDER = f"{WORK}/{FOLDER}/bin"
NVCC = f"{NVCC_FOLDER}/nvcc"
"""Records and runs the toolkit's nvcc."""

# Each process writes a file of its own, so that no two lines mix however long they are; a number that the
# system uses again comes only after the first has ended, and is appended.  Fields end with NUL, which no
# word of a command can hold; the first says how many words follow.  What cannot be recorded does not run.
_SCRIPT = """\
#!/bin/sh
{program}
options() {{
  previous=
  for argument do
    case $previous in -optf | --options-file) cat "$argument" ;; esac
    case $argument in -optf=* | --options-file=*) cat "${{argument#*=}}" ;; esac
    previous=$argument
  done
}}
printf '%s\\0' "$#" "$PWD" "${{NVCC_PREPEND_FLAGS-}}" "$(options "$@")" "${{NVCC_APPEND_FLAGS-}}" "$@" \
>>{records}/$$ || exit 125
exec "$@"
"""
_FIXED_FIELDS = 5

_TRIAL_FOLDERS = (("CMakeFiles", "CMakeScratch"), ("CMakeFiles", "CMakeTmp"), ("meson-private",))
_IDENTIFICATION = "CompilerId"


def recorder_tar(nvcc: str) -> TarStream:
    """The recorder's files; `nvcc` is the path of the program that is recorded."""
    records = f"{WORK}/{FOLDER}/{RECORDS}"
    return TarStream(
        [
            TarMember.folder(f"{RECORDS}/"),
            TarMember.folder("bin/"),
            TarMember.of_bytes("launch", script(records).encode(), mode=0o755),
            TarMember.of_bytes("bin/nvcc", script(records, program=nvcc).encode(), mode=0o755),
        ]
    )


def script(records: str, *, program: str | None = None) -> str:
    """The recorder (POSIX sh): records and runs `program` with the words that it is given, or those alone."""
    first = f'set -- {shlex.quote(program)} "$@"' if program else ""
    return _SCRIPT.format(program=first, records=shlex.quote(records))


def read_records(stream: IO[bytes]) -> tuple[NvccCommand, ...]:
    """The commands in a tar stream of the folder of records, those of trials left out.

    Raises:
        ValueError: a record is cut off or malformed.
    """
    commands: list[NvccCommand] = []
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                commands += parse_records(content.read())
    return tuple(command for command in commands if not is_trial(command.folder))


def parse_records(data: bytes) -> tuple[NvccCommand, ...]:
    """The commands of one file of records, in the order in which they ran.

    Raises:
        ValueError: a record is cut off or malformed.
    """
    fields = [field.decode("utf-8", "backslashreplace") for field in data.split(b"\0")]
    if fields.pop():
        raise ValueError("the last record is cut off")
    commands = []
    while fields:
        count = int(fields[0]) if fields[0].isdecimal() else -1
        end = _FIXED_FIELDS + count
        if count < 0 or len(fields) < end:
            raise ValueError("a record does not hold what it announces")
        _, folder, before, options, after, *words = fields[:end]
        line = (*_split(before), *_without_program(words), *_split(options), *_split(after))
        commands.append(NvccCommand(PurePosixPath(folder), line))
        fields = fields[end:]
    return tuple(commands)


def is_trial(folder: PurePosixPath) -> bool:
    """Whether a build system tries out the compiler in that folder, rather than building the project."""
    parts = folder.parts
    if any(part.startswith(_IDENTIFICATION) for part in parts) and "CMakeFiles" in parts:
        return True
    return any(parts[start : start + len(trial)] == trial for trial in _TRIAL_FOLDERS for start in range(len(parts)))


def _without_program(words: Sequence[str]) -> Sequence[str]:
    """The words after nvcc, before which other launchers may stand."""
    names = [PurePosixPath(word).name for word in words]
    return words[names.index("nvcc") + 1 if "nvcc" in names else 1 :]


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()
