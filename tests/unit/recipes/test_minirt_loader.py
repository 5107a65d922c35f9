"""minirt's loader refuses damaged program files and says why; compiled here with the machine's compiler."""

from __future__ import annotations

import runpy
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.elves import compiler

FOLDER = Path(__file__).parents[3] / "recipes" / "minirt"
SOURCE = FOLDER / "source"

WRITER: Any = runpy.run_path(str(FOLDER / "models" / "make_models.py"))["ProgramWriter"]
GOOD = (FOLDER / "models" / "mlp.mrt").read_bytes()


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that loads files."""
    program = tmp_path_factory.mktemp("loader") / "load"
    sources = [*sorted((SOURCE / "src" / "runtime").glob("*.cpp")), Path(__file__).with_name("load_program.cpp")]
    flags = ["-std=c++17", "-fsanitize=undefined", "-fno-sanitize-recover=all", f"-I{SOURCE / 'include'}", "-pthread"]
    subprocess.run([compiler(), *flags, *map(str, sources), "-o", str(program)], check=True, timeout=120)
    return program


def load(loader: Path, folder: Path, *contents: bytes) -> list[str]:
    files = [folder / f"{number}.mrt" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    done = subprocess.run([loader, *files], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def one_value(
    kind: int = 0, dtype: int = 0, dimensions: tuple[int, ...] = (2,), outputs: tuple[int, ...] = (0,)
) -> bytes:
    writer = WRITER()
    writer.value(kind, dtype, dimensions)
    return bytes(writer.file(outputs))


def two_calls(first_input: int, second_output: int) -> bytes:
    """Value 0 goes in; one instruction reads `first_input` and writes 1, one reads 1 and writes `second_output`."""
    writer = WRITER()
    for kind in (0, 2, 2):
        writer.value(kind, 0, (2,))
    for source, target in ((first_input, 1), (1, second_output)):
        called = b"\0\4relu" + struct.pack("<4I", 1, source, 1, target)
        writer.instructions.append(called + struct.pack("<I", 0))
    return bytes(writer.file((1,)))


def delegate(backend: bytes, index: int) -> bytes:
    writer = WRITER()
    writer.value(0, 0, (2,))
    writer.value(2, 0, (2,))
    writer.delegates.append(bytes([len(backend)]) + backend + struct.pack("<I", 0))
    writer.instructions.append(struct.pack("<BI5I", 1, index, 1, 0, 1, 1, 0))
    return bytes(writer.file((1,)))


def test_models_load(loader: Path, tmp_path: Path) -> None:
    models = [path.read_bytes() for path in sorted((FOLDER / "models").glob("*.mrt"))]
    assert load(loader, tmp_path, *models, two_calls(0, 2), delegate(b"Any", 0)) == ["loaded"] * 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "ends where 4 more bytes should be"),
        (b"MRTQ" + GOOD[4:], "does not begin with MRTP"),
        (GOOD[:4] + b"\2" + GOOD[5:], "format is version 2, this library reads 1"),
        (GOOD + b"\0", "1 bytes follow its end"),
        (GOOD[:8] + b"\xff\xff\xff\xff" + GOOD[12:], "announces 4294967295 entries, more than it can hold"),
        (one_value(kind=3), "unknown kind 3"),
        (one_value(dtype=2), "unknown type 2"),
        (one_value(dimensions=(1,) * 9), "9 dimensions"),
        (one_value(dimensions=(1 << 20, 1 << 20)), "more than 1073741824 bytes"),
        (one_value(dimensions=((1 << 32) - 1,) * 3), "more elements than memory can hold"),
        (one_value(outputs=(1,)), "names value 1 of 1"),
        (one_value(kind=2), "value 0 is read before it is written"),
        (two_calls(2, 2), "value 2 is read before it is written"),
        (two_calls(0, 1), "value 1 is written a second time"),
        (two_calls(0, 0), "value 0 is written a second time"),
        (delegate(b"Any", 1), "names a delegate that is not there"),
        (delegate(b"", 0), "a name is empty"),
        (delegate(b"two words", 0), "not printable"),
    ],
)
def test_damaged_program_is_refused(loader: Path, tmp_path: Path, content: bytes, message: str) -> None:
    (line,) = load(loader, tmp_path, content)
    assert message in line


def test_every_truncation_is_refused(loader: Path, tmp_path: Path) -> None:
    lines = load(loader, tmp_path, *(GOOD[:length] for length in range(0, len(GOOD), 7)))
    assert len(lines) == len(range(0, len(GOOD), 7))
    assert [line for line in lines if "is damaged at byte" not in line] == []
