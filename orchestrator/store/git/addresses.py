"""Addresses of git repositories (git-fetch(1), GIT URLS): which mean the same one, and how they are shown."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urlsplit, urlunsplit

_SCP = re.compile(r"(?:[^@/:]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.*)")
"""The form of scp(1): `user@host:path`, in which no slash comes before the first colon."""


def same_repository(url: str) -> str:
    """What all addresses of a repository have in common: host and path, without scheme, user and `.git`.

    Other content cannot come of two that are taken for one: what is read is held against its commit.
    """
    short = _SCP.fullmatch(url)
    parts = urlsplit("" if short else url)
    host, path = (short["host"], short["path"]) if short else (parts.hostname or "", parts.path)
    return f"{host.lower()}/{path.strip('/').removesuffix('.git').rstrip('/')}"


def resolve(base: str, url: str) -> str:
    """The address of a submodule; one that starts with `./` or `../` is relative to the parent's (gitmodules(5))."""
    if not url.startswith(("./", "../")):
        return url
    head, slash, path = _split(base)
    return f"{head}{slash}{posixpath.normpath(posixpath.join(path.rstrip('/'), url)).lstrip('/')}"


def shown(url: str) -> str:
    """The address without user and password, which belong in no report."""
    parts = urlsplit(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _split(url: str) -> tuple[str, str, str]:
    """An address as what stands before its path, what divides both, and the path."""
    short = _SCP.fullmatch(url)
    if short:
        return url[: short.start("path") - 1], ":", short["path"]
    head, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/") if mark else ("", "/" if url.startswith("/") else "", url.lstrip("/"))
    return f"{head}{mark}{host}", slash, path
