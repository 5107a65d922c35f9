"""Git repositories made commit by commit, odd ones too, with nothing of the person's settings."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


def git(*arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> str:
    """Run git; what it says on standard output."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments], input=given, env={**kept, **_ENVIRONMENT, **(env or {})}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


class Repository:
    """A bare repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        git("init", "--quiet", "--bare", str(folder))

    def git(self, *arguments: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run git on it."""
        return git(f"--git-dir={self.folder}", *arguments, given=given, env=env)

    def object(self, data: bytes, kind: str = "blob") -> str:
        """Add an object, whatever it holds; its name."""
        return self.git("hash-object", "-w", "--literally", "-t", kind, "--stdin", given=data)

    def commit(
        self,
        files: Mapping[str, bytes],
        *,
        programs: Mapping[str, bytes] | None = None,
        links: Mapping[str, str] | None = None,
        modules: Mapping[str, str] | None = None,
        branch: str = "main",
    ) -> str:
        """Add a commit of exactly these files, links and submodules (by their commit); its name."""
        lines = [f"100644 {self.object(data)}\t{path}" for path, data in files.items()]
        lines += [f"100755 {self.object(data)}\t{path}" for path, data in (programs or {}).items()]
        lines += [f"120000 {self.object(target.encode())}\t{path}" for path, target in (links or {}).items()]
        lines += [f"160000 {commit}\t{path}" for path, commit in (modules or {}).items()]
        index = {"GIT_INDEX_FILE": str(self.folder / "index-of-test")}
        Path(index["GIT_INDEX_FILE"]).unlink(missing_ok=True)
        self.git("update-index", "--add", "--index-info", given="".join(f"{x}\n" for x in lines).encode(), env=index)
        return self.commit_tree(self.git("write-tree", env=index), branch=branch)

    def commit_tree(self, tree: str, *, branch: str = "main") -> str:
        """Add a commit of a tree; its name."""
        name = self.git("commit-tree", tree, given=b"a commit\n")
        self.git("update-ref", f"refs/heads/{branch}", name)
        return name

    def loose(self, name: str) -> Path:
        """The file of an object that is in no pack."""
        return self.folder / "objects" / name[:2] / name[2:]


def gitmodules(addresses: Mapping[str, str]) -> bytes:
    """The file that gives submodules' addresses by their paths."""
    parts = (f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n' for path, url in addresses.items())
    return "".join(parts).encode()
