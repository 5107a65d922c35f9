from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.store.debian.lock import Package, format_lock, read_lock

MAKE = Package("make", "4.3-4.1", "a" * 64, 396000, "pool/main/m/make-dfsg/make_4.3-4.1_amd64.deb")
GXX = Package("g++", "4:12.2.0-3", "b" * 64, 1356, "pool/main/g/gcc-defaults/g++_12.2.0-3_amd64.deb")


def test_a_lock_is_read_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    path.write_text(format_lock([MAKE, GXX]))
    assert read_lock(path) == (GXX, MAKE)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("make 4.3-4.1", r"some\.lock:1: expected 'name version sha256 size path', found 2 fields"),
        (str(MAKE).replace("aaa", "AAA"), r"some\.lock:1: '.*' is not a SHA-256 in lower-case hexadecimal"),
        (str(MAKE).replace("396000", "-1"), r"some\.lock:1: '-1' is not a size in bytes"),
        (str(MAKE).replace("pool", "https://example.org"), "is not a path inside a mirror"),
        (str(MAKE).replace("pool", "../pool"), "is not a path inside a mirror"),
        (f"{MAKE}\n{MAKE}", r"some\.lock:2: 'make' is locked twice"),
        ("# nothing", "the lock holds no package"),
    ],
)
def test_malformed_locks_are_refused(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "some.lock"
    path.write_text(line)
    with pytest.raises(RecipeError, match=said):
        read_lock(path)


def test_a_missing_lock_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="does not exist") as caught:
        read_lock(tmp_path / "some.lock")
    assert "nox -s locks" in caught.value.advice


def test_a_lock_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    path.write_bytes(f"# Größe\n{MAKE}\n".encode())
    assert read_lock(path) == (MAKE,)
    path.write_bytes(f"# Größe\n{MAKE}\n".encode("latin-1"))
    with pytest.raises(RecipeError, match=r"some\.lock' cannot be read: 'utf-8' codec can't decode") as caught:
        read_lock(path)
    assert "nox -s locks -- --debian" in caught.value.advice
    with pytest.raises(RecipeError, match=r"cannot be read: .*Is a directory"):
        read_lock(tmp_path)
