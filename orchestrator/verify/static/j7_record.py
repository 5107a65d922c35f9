"""J7: RECORD lists every file with its hash and size, and WHEEL carries the file name's tags."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator

from packaging.tags import parse_tag

from orchestrator.verify.outcome import Fault, Outcome
from orchestrator.verify.static.problems import Owner, problems_of
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Member, RecordLine, Wheel


def check(subject: StaticSubject) -> Outcome:
    """Installers verify against RECORD and uninstall by it (PyPA, recording installed projects)."""
    wheel = subject.wheel
    faults = [Fault(where, reason) for where, reason in problems_of(wheel, Owner.RECORDS)]
    if wheel.record:
        faults += _record_faults(wheel)
    elif wheel.dist_info and f"{wheel.dist_info}/RECORD" in wheel.texts:
        faults.append(Fault(f"{wheel.dist_info}/RECORD", "lists nothing"))
    faults += _tag_faults(wheel)
    return Outcome(len(wheel.record), "lines of RECORD", tuple(faults))


def _record_faults(wheel: Wheel) -> Iterator[Fault]:
    record = f"{wheel.dist_info}/RECORD"
    unhashed = {record, f"{wheel.dist_info}/RECORD.jws", f"{wheel.dist_info}/RECORD.p7s"}
    files = {member.name: member for member in wheel.members if not member.is_dir}
    for path, count in Counter(line.path for line in wheel.record).items():
        if count > 1:
            yield Fault(path, f"listed {count} times in RECORD")
    for line in wheel.record:
        if line.path not in files:
            yield Fault(line.path, "listed in RECORD and not in the archive")
        elif line.path not in unhashed and (reason := _line_fault(wheel, line, files[line.path])):
            yield reason
    listed = {line.path for line in wheel.record}
    for name in files:
        if name not in listed and name not in unhashed - {record}:
            yield Fault(name, "in the archive and not listed in RECORD")


def _line_fault(wheel: Wheel, line: RecordLine, member: Member) -> Fault | None:
    if not line.hash:
        return Fault(line.path, "has no hash in RECORD")
    algorithm, _, expected = line.hash.partition("=")
    if member.sha256 is None:
        return None  # the reader's problem says why it has no hash
    if algorithm == "sha256":
        found = base64.urlsafe_b64encode(bytes.fromhex(member.sha256)).rstrip(b"=").decode()
    elif algorithm in {"sha384", "sha512"} and line.path in wheel.texts:
        found = base64.urlsafe_b64encode(hashlib.new(algorithm, wheel.texts[line.path]).digest()).rstrip(b"=").decode()
    elif algorithm in {"sha384", "sha512"}:
        return None  # allowed by the specification, but only SHA-256 is computed while inflating
    else:
        return Fault(line.path, f"RECORD uses the hash {algorithm}, which the specification does not allow")
    if found != expected.rstrip("="):
        return Fault(
            line.path, "its content has another hash than RECORD says", (f"RECORD {expected}", f"found {found}")
        )
    if line.size is not None and line.size != member.size:
        return Fault(line.path, f"has {member.size} bytes, RECORD says {line.size}")
    return None


def _tag_faults(wheel: Wheel) -> Iterator[Fault]:
    if wheel.wheel_file is None or not wheel.tags:
        return
    where = f"{wheel.dist_info}/WHEEL"
    lines = [str(value) for value in wheel.wheel_file.get_all("Tag", [])]
    try:
        claimed = {tag for line in lines for tag in parse_tag(line.strip())}
    except ValueError as error:
        yield Fault(where, f"has a Tag that cannot be read: {error}", tuple(lines))
        return
    if claimed != wheel.tags:
        only_file = sorted(map(str, wheel.tags - claimed))
        only_wheel = sorted(map(str, claimed - wheel.tags))
        evidence = (
            *(f"only in the file name: {tag}" for tag in only_file),
            *(f"only in WHEEL: {tag}" for tag in only_wheel),
        )
        yield Fault(where, "its Tag lines are not the file name's tags", evidence)
