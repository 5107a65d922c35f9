from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, NotHereError
from orchestrator.store.debian.index import MIRROR_VARIABLE
from orchestrator.store.debian.lock import Package, format_lock
from orchestrator.store.store import Store
from orchestrator.store.target_python import CONSTANTS, TargetPython, known_pythons, target_python
from tests.support.damage import truncate
from tests.support.toolkit import debian_package

HEADERS = {
    "usr/include/python3.11/Python.h": b"python",
    "usr/include/python3.11/cpython/object.h": b"object",
    "usr/include/python3.11/pyconfig.h": b"leads to the processor's own",
    "usr/include/aarch64-linux-gnu/python3.11/pyconfig.h": b"sizes",
    "usr/lib/python3.11/config-3.11-aarch64-linux-gnu/python.o": b"no header",
}
CONFIGURATION = {
    "usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py": b"build_time_vars = {}",
    "usr/lib/python3.11/sysconfig.py": b"no constants",
}


def locked(folder: Path, *packages: dict[str, bytes]) -> tuple[Store, Path]:
    """A store with these packages, and the folder of the lock that names them."""
    store, lines = Store(folder / "store"), []
    for number, files in enumerate(packages):
        path = debian_package(folder, files)
        size = path.stat().st_size
        lines.append(Package(f"part{number}", "3.11.2-6", store.add_file(path), size, f"pool/part{number}_arm64.deb"))
    (folder / "python-3.11.arm64.lock").write_text(format_lock(lines))
    (folder / "python-3.11.toml").write_text('suite = "bookworm"\ncomponent = "main"\npackages = ["part0"]\n')
    return store, folder


def files(python: TargetPython) -> dict[str, bytes]:
    with tarfile.open(fileobj=python.tar(), mode="r|") as archive:
        return {member.name: content.read() for member in archive if (content := archive.extractfile(member))}


def test_the_tree_has_the_headers_with_the_processors_sizes_and_the_constants(tmp_path: Path) -> None:
    store, locks = locked(tmp_path, HEADERS, CONFIGURATION)
    python = target_python(store, "3.11", "aarch64", locks=locks)
    assert (python.name, [part.filename for part in python.parts]) == (
        "python-3.11-aarch64",
        ["part0_arm64.deb", "part1_arm64.deb"],
    )
    assert files(python) == {
        "include/python3.11/Python.h": b"python",
        "include/python3.11/cpython/object.h": b"object",
        "include/python3.11/pyconfig.h": b"sizes",
        CONSTANTS: b"build_time_vars = {}",
    }


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("usr/include/aarch64-linux-gnu/python3.11/pyconfig.h", "do not hold include/python3.11/pyconfig.h"),
        ("usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py", f"do not hold {CONSTANTS}"),
    ],
)
def test_packages_of_another_layout_are_refused(tmp_path: Path, lost: str, said: str) -> None:
    parts = [{path: data for path, data in part.items() if path != lost} for part in (HEADERS, CONFIGURATION)]
    store, locks = locked(tmp_path, *parts)
    with pytest.raises(FetchError, match=said) as caught:
        files(target_python(store, "3.11", "aarch64", locks=locks))
    assert "target_python.py" in caught.value.advice


def test_a_python_without_a_lock_is_not_here(tmp_path: Path) -> None:
    store, locks = locked(tmp_path, HEADERS, CONFIGURATION)
    assert known_pythons("aarch64", locks) == ("3.11",)
    assert known_pythons("x86_64", locks) == ()
    with pytest.raises(NotHereError, match=r"headers of Python 3\.14 for aarch64 are not locked; those of 3\.11 are"):
        target_python(store, "3.14", "aarch64", locks=locks)


def test_a_damaged_package_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, locks = locked(tmp_path, HEADERS, CONFIGURATION)
    python = target_python(store, "3.11", "aarch64", locks=locks)
    monkeypatch.setenv(MIRROR_VARIABLE, "http://127.0.0.1:9")
    truncate(store, python.parts[1].sha256)
    with pytest.raises(FetchError, match="Cannot download part1"):
        python.tar()


def test_the_builders_pythons_have_locks_for_the_other_processor() -> None:
    assert {"3.11", "3.13"} <= set(known_pythons("aarch64"))
