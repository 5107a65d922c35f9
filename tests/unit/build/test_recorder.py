"""The recorder, run by the shells that this machine has, and reading what it wrote."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from orchestrator.build.nvcc import NvccCommand
from orchestrator.build.recorder import is_trial, parse_records, read_records, recorder_tar, script

SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    folder = tmp_path / "the records"
    folder.mkdir()
    return folder


@pytest.fixture
def nvcc(tmp_path: Path) -> Path:
    """A compiler that prints what it is given, one word a line, and ends with 3."""
    program = tmp_path / "cuda" / "nvcc"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "<%s>\\n" "$@"\nexit 3\n')
    program.chmod(0o755)
    return program


def run(
    shell: str, text: str, words: list[str], folder: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [shell, "-c", text, "recorder", *words],
        cwd=folder, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def recorded(records: Path) -> list[NvccCommand]:
    return [command for path in records.iterdir() for command in parse_records(path.read_bytes())]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_given_is_recorded_and_run_unchanged(shell: str, records: Path, nvcc: Path, tmp_path: Path) -> None:
    words = ["-c", "a file.cu", "", "new\nline", "quo'te\"", "-DX=$HOME `id`", "*", "ü"]
    done = run(shell, script(str(records)), [str(nvcc), *words], tmp_path)
    assert (done.returncode, done.stdout) == (3, "".join(f"<{word}>\n" for word in words))
    assert recorded(records) == [NvccCommand(PurePosixPath(tmp_path), tuple(words))]


@pytest.mark.parametrize("shell", SHELLS)
def test_in_nvccs_place_it_runs_that_one(shell: str, records: Path, nvcc: Path, tmp_path: Path) -> None:
    done = run(shell, script(str(records), program=str(nvcc)), ["-c", "k.cu"], tmp_path)
    assert (done.returncode, done.stdout) == (3, "<-c>\n<k.cu>\n")
    assert recorded(records) == [NvccCommand(PurePosixPath(tmp_path), ("-c", "k.cu"))]


@pytest.mark.parametrize("shell", SHELLS)
def test_variables_and_files_of_options_count(shell: str, records: Path, nvcc: Path, tmp_path: Path) -> None:
    (tmp_path / "one.rsp").write_text('-I"in c"\n-arch=sm_86\n')
    (tmp_path / "two.rsp").write_text("-gencode arch=compute_90,code=sm_90")
    env = {"NVCC_PREPEND_FLAGS": "-arch=sm_75", "NVCC_APPEND_FLAGS": "-lineinfo"}
    run(shell, script(str(records)), [str(nvcc), "-c", "k.cu", "-optf", "one.rsp", "--options-file=two.rsp"],
        tmp_path, env)  # fmt: skip
    (command,) = recorded(records)
    assert command.words == (
        "-arch=sm_75", "-c", "k.cu", "-optf", "one.rsp", "--options-file=two.rsp",
        "-Iin c", "-arch=sm_86", "-gencode", "arch=compute_90,code=sm_90", "-lineinfo",
    )  # fmt: skip
    assert set(command.targets.real) == {"86", "90"}


@pytest.mark.parametrize("shell", SHELLS)
def test_what_cannot_be_recorded_does_not_run(shell: str, nvcc: Path, tmp_path: Path) -> None:
    done = run(shell, script(str(tmp_path / "nowhere")), [str(nvcc), "-c", "k.cu"], tmp_path)
    assert (done.returncode, done.stdout) == (125, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_many_at_once_with_long_lines_do_not_mix(shell: str, records: Path, tmp_path: Path) -> None:
    compiler = ["true", "nvcc"]
    lines = [[*compiler, "-c", f"{number}.cu", f"-I{number}" * 4000] for number in range(24)]
    text = script(str(records))
    running = [subprocess.Popen([shell, "-c", text, "recorder", *line], cwd=tmp_path) for line in lines]
    assert [process.wait() for process in running] == [0] * 24
    assert sorted(command.words for command in recorded(records)) == sorted(tuple(line[2:]) for line in lines)


def test_launchers_before_nvcc_are_no_words_of_it() -> None:
    data = b"4\0/w\0\0\0\0ccache\0/cuda/bin/nvcc\0-c\0k.cu\0"
    assert parse_records(data)[0].words == ("-c", "k.cu")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"1\0/w\0\0\0\0nv", "cut off"), (b"7\0/w\0\0\0\0nvcc\0", "announces"), (b"x\0/w\0\0\0\0nvcc\0", "announces")],
)
def test_damaged_records_are_named(data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_records(data)


@pytest.mark.parametrize(
    ("folder", "trial"),
    [
        ("/w/build/CMakeFiles/CMakeTmp", True),
        ("/w/build/CMakeFiles/CMakeScratch/TryCompile-V7mK7s", True),
        ("/w/build/CMakeFiles/4.4.5/CompilerIdCUDA", True),
        ("/w/build/meson-private/tmpx", True),
        ("/w/build", False),
        ("/w/build/src/CMakeTmp", False),
        ("/w/CMakeScratch.d/CMakeFiles/k.dir", False),
        ("/w/my-CMakeFiles/CMakeScratch", False),
    ],
)
def test_trials_are_told_by_their_folder(folder: str, trial: bool) -> None:
    assert is_trial(PurePosixPath(folder)) is trial


def test_records_of_trials_are_left_out() -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, folder in (("1", "/w/CMakeFiles/CMakeTmp"), ("2", "/w/build")):
            data = f"2\0{folder}\0\0\0\0nvcc\0{name}.cu\0".encode()
            info = tarfile.TarInfo(f"records/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    stream.seek(0)
    assert [command.words for command in read_records(stream)] == [("2.cu",)]


def test_its_files_are_programs() -> None:
    with tarfile.open(fileobj=io.BytesIO(recorder_tar("/usr/local/cuda/bin/nvcc").read())) as archive:
        modes = {member.name: member.mode for member in archive if member.isfile()}
        stand_in = archive.extractfile("bin/nvcc")
        assert stand_in
        assert b"set -- /usr/local/cuda/bin/nvcc" in stand_in.read()
    assert modes == {"launch": 0o755, "bin/nvcc": 0o755}
