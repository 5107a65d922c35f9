"""Local repositories in place of others: how they are named, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import UsageError
from orchestrator.store.git.mirrors import git_folder, read_mirrors
from tests.support.gits import Repository, git

URL = "https://example.org/a/b"


def bare(folder: Path) -> Path:
    return Repository(folder).folder


def test_a_word_names_a_repository_and_comes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = bare(tmp_path / "one"), bare(tmp_path / "mirrors" / "two=2")
    file = tmp_path / "mirrors" / "list"
    file.write_text(f"# ours\n\n {URL}.git = two=2\nhttps://example.org/c=two=2\n")
    monkeypatch.chdir(tmp_path)
    mirrors = read_mirrors([f"{URL}=one"], str(file))
    assert mirrors.of("git@example.org:a/b.git") == one
    assert mirrors.of("https://example.org/c") == two
    assert mirrors.of("https://example.org/d") is None
    assert read_mirrors([], str(file)).of(URL) == two


def test_checkouts_and_what_belongs_to_one_are_repositories(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "bare")
    commit = repository.commit({"a": b""})
    checkout, worktree = tmp_path / "checkout", tmp_path / "worktree"
    git("clone", "--quiet", str(repository.folder), str(checkout))
    git("-C", str(checkout), "worktree", "add", "--quiet", "--detach", str(worktree), commit)
    assert git_folder(repository.folder) == repository.folder
    assert git_folder(checkout) == checkout / ".git"
    assert git_folder(worktree) == checkout / ".git" / "worktrees" / "worktree"
    assert git_folder(tmp_path) is None


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("one", "--mirror: 'one' is not URL=DIR."),
        ("=one", "--mirror: '=one' is not URL=DIR."),
        (f"{URL}= ", f"--mirror: '{URL}= ' is not URL=DIR."),
        (f"{URL}=absent", "/absent' is no folder."),
        (f"{URL}=.", "' is no git repository."),
        (f"{URL}=~nosuchuser/x", "--mirror: '~nosuchuser/x' cannot be read: "),
        (f"{URL}=a\0b", "--mirror: 'a\0b' cannot be read: "),
        (f"{URL}={'n' * 5000}", "' cannot be read: "),
    ],
)
def test_a_word_that_names_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        read_mirrors([word], None)
    assert said in caught.value.message
    assert caught.value.message.startswith("--mirror: ")


def test_a_file_is_refused_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "list"
    file.write_text("# one\nnothing\n")
    with pytest.raises(UsageError, match=r"list, line 2: 'nothing' is not URL=DIR\."):
        read_mirrors([], str(file))
    with pytest.raises(UsageError, match=r"--mirrors \S+/absent: cannot be read: No such file"):
        read_mirrors([], str(tmp_path / "absent"))
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"cannot be read: 'utf-8' codec"):
        read_mirrors([], str(file))
