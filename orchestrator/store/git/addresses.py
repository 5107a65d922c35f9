"""Addresses of git repositories (git-fetch(1), GIT URLS): which mean the same one, and how they are shown."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

_SCP = re.compile(r"(?:[^@/:]+@)?(?P<host>[^/:]+):(?!//)(?P<path>.*)")
"""The form of scp(1): `user@host:path`, in which no slash comes before the first colon."""


def same_repository(url: str) -> str:
    """What all addresses of a repository have in common: host and path, without scheme, user and `.git`.

    Other content cannot come of two that are taken for one: what is read is held against its commit.
    """
    short, parts = _SCP.fullmatch(url), _parts(url)
    host, path = (short["host"], short["path"]) if short else (parts.hostname or "", parts.path)
    return f"{host.lower()}/{path.strip('/').removesuffix('.git').rstrip('/')}"


def resolve(base: str, url: str) -> str:
    """The address of a submodule; one that starts with `./` or `../` is relative to the parent's (gitmodules(5))."""
    if not url.startswith(("./", "../")):
        return url
    head, path = _split(base)
    return head + posixpath.normpath(posixpath.join(path.rstrip("/") or "/", url))


def shown(url: str) -> str:
    """The address without user and password, which belong in no report."""
    parts = _parts(url)
    if not parts.scheme or "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _parts(url: str) -> SplitResult:
    """The address in its parts; one that is malformed is all path."""
    try:
        parts = urlsplit("" if _SCP.fullmatch(url) else url)
        parts.hostname  # noqa: B018 - raises for what is no host
    except ValueError:
        return SplitResult("", "", url, "", "")
    return parts


def _split(url: str) -> tuple[str, str]:
    """An address as what stands before its path, and the path."""
    short = _SCP.fullmatch(url)
    if short:
        return url[: short.start("path")], short["path"]
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/") if mark else ("", "", rest)
    return f"{scheme}{mark}{host}", f"{slash}{path}"
