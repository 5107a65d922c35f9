from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.ground.sessions import ROOT
from orchestrator.store.locks import LockError, parse_lock, parse_lock_text

A, B = "a" * 64, "b" * 64


def test_a_lock_is_read_in_its_order() -> None:
    text = (
        f"# made\nZebra_x==1.0 \\\n    --hash=sha256:{A} \\\n    --hash=sha256:{B}\n\nant==2 --hash=sha256:{B}  # why\n"
    )
    zebra, ant = parse_lock_text(text, "x.lock")
    assert (zebra.name, zebra.version, zebra.hashes) == ("zebra-x", "1.0", (A, B))
    assert str(ant) == "ant==2"
    assert ant.line() == f"ant==2 --hash=sha256:{B}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ant==1", "'ant==1' has no hash"),
        (f"ant>=1 --hash=sha256:{A}", "'ant>=1' is not 'name==version'"),
        (f"ant==1.* --hash=sha256:{A}", "is not 'name==version'"),
        (f"ant==1; python_version<'3.12' --hash=sha256:{A}", "is not 'name==version'"),
        (f"ant @ file:///x.whl --hash=sha256:{A}", "is not 'name==version'"),
        (f"ant==1 --hash=md5:{A}", "is not --hash=sha256:"),
        ("ant==1 --hash=sha256:abc", "is not --hash=sha256:"),
        ("--index-url http://x", "a lock holds requirements only"),
        (f"ant==1 --hash=sha256:{A}\nAnt==2 --hash=sha256:{A}", "'ant' is pinned twice"),
        ("!!", "is not 'name==version'"),
    ],
)
def test_anything_else_is_refused(text: str, says: str) -> None:
    with pytest.raises(LockError) as caught:
        parse_lock_text(text, "x.lock")
    assert says in caught.value.message
    assert caught.value.message.startswith("x.lock: ")
    assert isinstance(caught.value, RecipeError)


def test_a_missing_lock_is_named(tmp_path: Path) -> None:
    with pytest.raises(LockError, match=r"absent\.lock' does not exist"):
        parse_lock(tmp_path / "absent.lock")


def test_a_lock_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    path.write_bytes("# Größe\n".encode())
    assert parse_lock(path) == ()
    path.write_bytes("# Größe\n".encode("latin-1"))
    with pytest.raises(LockError, match=r"some\.lock' cannot be read: 'utf-8' codec can't decode"):
        parse_lock(path)


@pytest.mark.parametrize("path", sorted(ROOT.glob("images/toolchains/*.lock")), ids=lambda path: path.name)
def test_our_own_locks_can_be_read_and_hold_no_addresses(path: Path) -> None:
    assert parse_lock(path)
    assert "://" not in path.read_text()
