"""Version requests that a package must accept or refuse (CMake manual, find_package, config mode)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """A version request as it is written in find_package, and what must come of it."""

    text: str
    accepted: bool
    why: str


def requests(release: tuple[int, ...]) -> tuple[Request, ...]:
    """What must be accepted and refused by a package of that release (three parts or more).

    Before 1.0.0 another minor version may be another interface (Semantic Versioning 2.0.0, 4): a package is free to
    take older ones, as CMake's SameMajorVersion does, or to refuse them, as SameMinorVersion does.
    """
    major, minor, patch = release[:3]
    full = ".".join(map(str, release))
    oldest, above = (f"{major}.0", f"{major + 1}") if major else (f"0.{minor}.0", f"0.{minor + 1}")
    found = [
        Request(f"{major}.{minor}", True, "the installed minor version"),
        Request(full, True, "the installed version"),
        Request(f"{full} EXACT", True, "exactly the installed version"),
        Request(f"{oldest}...<{above}", True, "a range that holds it"),
        Request(f"{oldest}...{full}", True, "a range that ends with it, inclusively"),
        Request(f"{full}...<{major}.{minor + 1}", True, "a range that begins with it"),
        Request(f"{major + 1}", False, "the next major version"),
        Request(f"{major}.{minor}.{patch + 1}", False, "a newer patch version"),
        Request(f"{major}.{minor + 1}", False, "a newer minor version"),
        Request(f"{major}.{minor}.{patch + 1} EXACT", False, "exactly another version"),
        Request(f"{major}.{minor}.{patch + 1}...<{major + 1}", False, "a range above it"),
    ]
    if major:
        found.append(Request(f"{major - 1}.{minor}", False, "the major version before"))
        found.append(Request(f"{major}", True, "the installed major version"))
    if release > (major, 0 if major else minor, 0):
        found.append(Request(f"{oldest}...<{full}", False, "a range that ends with it, exclusively"))
    if patch:
        found.append(Request(f"{major}.{minor}.{patch - 1}", True, "an older patch version"))
        found.append(Request(f"{major}.{minor} EXACT", False, "exactly the version without its last part"))
    if minor and major:
        found.append(Request(f"{major}.{minor - 1}", True, "an older minor version"))
    if minor:
        found.append(Request(f"{major}.0...{major}.{minor - 1}", False, "a range below it"))
        found.append(Request(f"{major}.0...<{major}.{minor}", False, "a range that ends below it, exclusively"))
    return tuple(found)


def required(release: tuple[int, ...]) -> tuple[Request, ...]:
    """Those of the refused that are tried as REQUIRED too: each must end the configure, by its version."""
    major, minor, patch = release[:3]
    texts = (f"{major + 1}", f"{major}.{minor}.{patch + 1} EXACT", f"{major}.{minor}.{patch + 1}...<{major + 1}")
    return tuple(request for request in requests(release) if request.text in texts)
