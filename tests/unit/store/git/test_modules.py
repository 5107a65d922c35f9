"""What `.gitmodules` says, as git itself reads it."""

from __future__ import annotations

from orchestrator.store.git.modules import module_addresses
from tests.support.gits import gitmodules

BASE = "https://example.org/owner/name.git"


def test_addresses_are_by_path_and_may_be_relative() -> None:
    text = gitmodules({"a": "https://example.com/a", "b/c d": "../b.git"})
    assert module_addresses(text, BASE) == {
        "a": "https://example.com/a",
        "b/c d": "https://example.org/owner/b.git",
    }


def test_the_path_counts_and_not_the_name() -> None:
    text = b'[submodule "old.name"]\n\tpath = "new # name"\n\turl = x ; why\n\tbranch = main\n[core]\n\tpath = y\n'
    assert module_addresses(text, BASE) == {"new # name": "x"}


def test_what_would_be_an_option_or_is_no_address_is_none() -> None:
    assert module_addresses(gitmodules({"a": "--upload-pack=x"}), BASE) == {}
    assert module_addresses(b'[submodule "a"]\n\tpath = a\n', BASE) == {}
    assert module_addresses(b"[submodule", BASE) == {}
    assert module_addresses(b"", BASE) == {}


def test_nothing_is_included(tmp_path: object) -> None:
    text = f"[include]\n\tpath = {tmp_path}/other\n".encode() + gitmodules({"a": "x"})
    assert module_addresses(text, BASE) == {"a": "x"}
