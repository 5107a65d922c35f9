"""J7: RECORD lists every file with its hash and size, and WHEEL carries the file name's tags."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from packaging.tags import Tag, parse_tag
from packaging.utils import canonicalize_name

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.problems import Owner, problems_of
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel import members
from orchestrator.wheel.model import Member, RecordLine, Wheel

MOST_TAGS = 10_000
"""A file name has room for fewer; compressed sets of more are no tags but an attack on memory."""
_LONGER = ("sha384", "sha512")
"""Hashes that RECORD may use beside SHA-256, which nearly all wheels have."""
_REQUIRED = ("Metadata-Version", "Name", "Version")
"""Fields without which METADATA is none (core metadata specification)."""
Digests = Mapping[tuple[str, str], bytes]
"""By algorithm and member."""


def check(subject: StaticSubject) -> Outcome:
    """Installers verify against RECORD and uninstall by it (PyPA, recording installed projects).

    What else they refuse is here too: METADATA without a name or with another one, an unknown format.
    """
    wheel = subject.wheel
    faults = [Fault(where, reason) for where, reason in problems_of(wheel, Owner.RECORDS)]
    if wheel.record:
        faults += _record_faults(wheel)
    elif wheel.dist_info and f"{wheel.dist_info}/RECORD" in wheel.texts:
        faults.append(Fault(f"{wheel.dist_info}/RECORD", "lists nothing"))
    faults += _metadata_faults(wheel)
    faults += _format_faults(wheel)
    faults += _tag_faults(wheel)
    return Outcome(len(wheel.record), "lines of RECORD", tuple(faults))


def _record_faults(wheel: Wheel) -> Iterator[Fault]:
    record = f"{wheel.dist_info}/RECORD"
    unhashed = {record, f"{wheel.dist_info}/RECORD.jws", f"{wheel.dist_info}/RECORD.p7s"}
    files = {member.name: member for member in wheel.members if not member.is_dir}
    for path, count in Counter(line.path for line in wheel.record).items():
        if count > 1:
            yield Fault(path, f"listed {count} times in RECORD")
    longer = _longer_digests(wheel, files)
    for line in wheel.record:
        if line.path not in files:
            yield Fault(line.path, "listed in RECORD and not in the archive")
        elif line.path not in unhashed and (reason := _line_fault(line, files[line.path], longer)):
            yield reason
    listed = {line.path for line in wheel.record}
    for name in files:
        if name not in listed and name not in unhashed - {record}:
            yield Fault(name, "in the archive and not listed in RECORD")


def _line_fault(line: RecordLine, member: Member, longer: Digests) -> Fault | None:
    if not line.hash:
        return Fault(line.path, "has no hash in RECORD")
    algorithm, _, expected = line.hash.partition("=")
    if member.sha256 is None:
        return None  # the reader's problem says why it has no hash
    if algorithm not in {"sha256", *_LONGER}:
        return Fault(line.path, f"RECORD uses the hash {algorithm}, which the specification does not allow")
    digest = bytes.fromhex(member.sha256) if algorithm == "sha256" else longer[algorithm, line.path]
    found = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if found != expected.rstrip("="):
        return Fault(
            line.path, "its content has another hash than RECORD says", (f"RECORD {expected}", f"found {found}")
        )
    if line.size is not None and line.size != member.size:
        return Fault(line.path, f"has {member.size} bytes, RECORD says {line.size}")
    return None


def _longer_digests(wheel: Wheel, files: Mapping[str, Member]) -> Digests:
    """What RECORD asks for and the reader did not take, of members that it could inflate."""
    readable = {name for name, member in files.items() if member.sha256 is not None}
    asked = {(line.hash.partition("=")[0], line.path) for line in wheel.record if line.path in readable}
    digests = {(algorithm, name): hashlib.new(algorithm) for algorithm, name in asked if algorithm in _LONGER}
    if digests:
        with zipfile.ZipFile(wheel.path) as archive:
            for (_, name), digest in digests.items():
                for chunk in members.chunks(archive, archive.getinfo(name)):
                    digest.update(chunk)
    return {key: digest.digest() for key, digest in digests.items()}


def _metadata_faults(wheel: Wheel) -> Iterator[Fault]:
    """What installers refuse in METADATA; its version is J6's."""
    if wheel.metadata is None:
        return
    where = f"{wheel.dist_info}/METADATA"
    for key in _REQUIRED:
        if not str(wheel.metadata.get(key, "")).strip():
            yield Fault(where, f"has no {key}")
    name = str(wheel.metadata.get("Name", "")).strip()
    if name and wheel.distribution and canonicalize_name(name) != wheel.distribution:
        yield Fault(where, f"says Name {name}, the file name says {wheel.distribution}")


def _format_faults(wheel: Wheel) -> Iterator[Fault]:
    """Installers refuse a wheel of a format version that they do not know (PyPA, binary distribution format)."""
    if wheel.wheel_file is None:
        return
    where = f"{wheel.dist_info}/WHEEL"
    version = str(wheel.wheel_file.get("Wheel-Version", "")).strip()
    if not version:
        yield Fault(where, "has no Wheel-Version")
    elif version.partition(".")[0] != "1":
        yield Fault(where, f"says Wheel-Version {version}, installers know version 1")


def _expanded(lines: Sequence[str]) -> set[Tag]:
    if sum(prod(part.count(".") + 1 for part in line.split("-")) for line in lines) > MOST_TAGS:
        raise ValueError(f"it stands for more than {MOST_TAGS} tags")
    return {tag for line in lines for tag in parse_tag(line)}


def _tag_faults(wheel: Wheel) -> Iterator[Fault]:
    if wheel.wheel_file is None or not wheel.tags:
        return
    where = f"{wheel.dist_info}/WHEEL"
    lines = [str(value).strip() for value in wheel.wheel_file.get_all("Tag", [])]
    try:
        claimed = _expanded(lines)
    except ValueError as error:
        yield Fault(where, f"has a Tag that cannot be read: {error}", tuple(line[:200] for line in lines[:10]))
        return
    if claimed != wheel.tags:
        only_file = sorted(map(str, wheel.tags - claimed))
        only_wheel = sorted(map(str, claimed - wheel.tags))
        evidence = (
            *(f"only in the file name: {tag}" for tag in only_file),
            *(f"only in WHEEL: {tag}" for tag in only_wheel),
        )
        yield Fault(where, "its Tag lines are not the file name's tags", evidence[:100])
