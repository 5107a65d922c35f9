"""Where a commit is had: a mirror, the store, or the repository itself, which is asked once and not for long."""

from __future__ import annotations

import re
import subprocess
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from orchestrator.console import get_console
from orchestrator.errors import FetchError
from orchestrator.store.git.addresses import same_repository, shown
from orchestrator.store.git.command import fetching, run_git
from orchestrator.store.git.mirrors import Mirrors
from orchestrator.store.git.objects import Objects
from orchestrator.store.store import Store

_ASK_SECONDS = 10.0
"""How long a repository may take to say what its HEAD is."""
_FETCH_SECONDS = 3600.0
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
"""A person's hooks, and those that their templates put into each new repository, are for repositories of theirs."""
_NAMES = "--object-format=sha1"
"""What recipes give, whatever a person's new repositories have."""
_SLOW = {"GIT_HTTP_LOW_SPEED_LIMIT": "1000", "GIT_HTTP_LOW_SPEED_TIME": "60"}
"""A transfer of less than so many bytes a second, for so many seconds, has ended (git-config(1))."""

_NO_HOST = re.compile(
    r"Could not resolve|Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset)|timed? ?out|"
    r"[Uu]nreachable|No route to host|name resolution"
)
_HAS_NOT = re.compile(r"not our ref|couldn't find remote ref")


class AbsentError(Exception):
    """A commit cannot be had; the text says where it was looked for, and why in vain."""


class Repositories:
    """Repositories by address, each opened once; close it."""

    def __init__(self, store: Store, mirrors: Mirrors) -> None:
        self._store, self._mirrors = store, mirrors
        self._open: dict[Path, Objects] = {}
        self._silent: dict[str, str] = {}
        """Hosts that did not answer, and what git said."""
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stack.close()

    def having(self, url: str, commit: str) -> Objects:
        """The objects of a repository that has the commit; a mirror stands for the repository, lacking or not.

        Raises:
            AbsentError: it cannot be had.
            FetchError: there is no git, or a repository is damaged.
        """
        mirror = self._mirrors.of(url)
        if mirror is not None:
            objects = self._objects(mirror)
            if not objects.has(commit):
                raise AbsentError(f"the mirror {mirror} lacks it")
            return objects
        kept = self._store.root / "git" / f"{commit}.git"
        with self._store.lock(f"git-{commit}"):
            if not kept.is_dir():
                self._fetch(url, commit, kept)
        return self._objects(kept)

    def _objects(self, folder: Path) -> Objects:
        if folder not in self._open:
            self._open[folder] = self._stack.enter_context(Objects(folder))
        return self._open[folder]

    def _fetch(self, url: str, commit: str, kept: Path) -> None:
        """Fetch a commit without its history, or, from a server that gives none alone, all that it has."""
        self._ask(url)
        with (
            self._store.temporary(f"fetching {shown(url)}") as folder,
            get_console().step(f"fetch {shown(url)} {commit[:12]}"),
        ):
            aside = folder / "new.git"
            _run(url, ["init", "--quiet", "--bare", _NAMES, str(aside)])
            fetch = [*_NO_HOOKS, f"--git-dir={aside}", "fetch", "--quiet", "--no-tags", "--no-auto-maintenance"]
            try:
                _run(url, [*fetch, "--depth=1", "--", url, f"+{commit}:refs/heads/{commit}"])
            except AbsentError as error:
                if _HAS_NOT.search(str(error)) or _NO_HOST.search(str(error)):
                    raise
                _run(url, [*fetch, "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"])
            with Objects(aside) as objects:
                if not objects.has(commit):
                    raise AbsentError("the repository has it on no branch and under no tag")
            kept.parent.mkdir(parents=True, exist_ok=True)
            aside.replace(kept)

    def _ask(self, url: str) -> None:
        """Refuse a repository that does not answer; of a host that did not, no second one is asked."""
        host = urlsplit(f"//{same_repository(url)}").netloc
        if host and host in self._silent:
            raise AbsentError(self._silent[host])
        try:
            _run(url, ["ls-remote", "--quiet", "--", url, "HEAD"], seconds=_ASK_SECONDS)
        except AbsentError as error:
            if _NO_HOST.search(str(error)):
                self._silent[host] = str(error)
            raise


def _run(url: str, arguments: list[str], *, seconds: float = _FETCH_SECONDS) -> None:
    """Run git, which may ask the repository.

    Raises:
        AbsentError: it fails, or takes longer than it may; the text is git's.
    """
    try:
        done = run_git(arguments, environment=fetching() | _SLOW, seconds=seconds)
    except subprocess.TimeoutExpired:
        raise AbsentError(f"the repository cannot be reached: timed out after {seconds:.0f} s") from None
    if done.returncode == 0:
        return
    lines = done.stderr.decode("utf-8", "replace").replace(url, shown(url)).strip().splitlines() or ["git failed"]
    said = next((line for line in lines if line.startswith("fatal:")), lines[-1])
    said = re.sub(r"^fatal: (?:unable to access '[^']*': )?", "", said)
    if re.search("No space left on device|Disk quota exceeded", said):
        raise FetchError(f"Fetching {shown(url)}: {said}.", advice="Free some space, or set WHEEL_ORCHESTRATOR_STORE.")
    raise AbsentError(f"the repository cannot be reached: {said}")
