"""The `.dist-info` files of a wheel, parsed (PyPA: binary distribution format, core metadata, RECORD)."""

from __future__ import annotations

import csv
import io
from email.message import Message
from email.parser import Parser
from email.policy import compat32

from packaging.markers import Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import Requirement

from orchestrator.wheel.model import RecordLine

Problems = list[tuple[str, str]]


def decode(data: bytes, name: str, problems: Problems) -> str:
    """UTF-8 text; bytes that are none are replaced and noted."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.append((name, f"not UTF-8 at byte {error.start}"))
        return data.decode("utf-8", "replace")


def parse_message(data: bytes, name: str, problems: Problems) -> Message:
    """A file of headers, as METADATA and WHEEL are."""
    # compat32 gives header values as they are written; the newer policies rewrap and can fail on damaged ones.
    # What follows the headers is text: taken for MIME, messages within messages would exhaust the stack.
    message = Parser(policy=compat32).parsestr(decode(data, name, problems), headersonly=True)
    for defect in message.defects:
        problems.append((name, f"malformed headers: {type(defect).__name__}"))
    return message


def parse_requirements(metadata: Message, name: str, problems: Problems) -> tuple[Requirement, ...]:
    """Every Requires-Dist that can be parsed, and whose marker can be evaluated (PEP 508)."""
    found: list[Requirement] = []
    for text in metadata.get_all("Requires-Dist", []):
        try:
            requirement = Requirement(str(text))
            for one in requirement.specifier:
                one.contains("0")  # its version is read only now, and a number of thousands of digits is none
        except (ValueError, RecursionError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            problems.append((name, f"Requires-Dist '{str(text)[:200]}' cannot be parsed: {reason}"))
            continue
        if requirement.marker is not None and (trouble := _marker_trouble(requirement.marker)):
            problems.append((name, f"Requires-Dist '{str(text)[:200]}': its marker cannot be evaluated: {trouble}"))
        else:
            found.append(requirement)
    return tuple(found)


def _marker_trouble(marker: Marker) -> str | None:
    # What can be parsed can still compare what has no order; installers then stop.
    try:
        marker.evaluate({"extra": ""})
    except (UndefinedComparison, UndefinedEnvironmentName, ValueError, RecursionError) as error:
        return (str(error).splitlines() or [type(error).__name__])[0][:200]
    return None


def parse_record(data: bytes, name: str, problems: Problems) -> tuple[RecordLine, ...]:
    """Lines of RECORD: path, hash, size; a line that is not so is noted and left out."""
    found: list[RecordLine] = []
    rows = csv.reader(io.StringIO(decode(data, name, problems), newline=""))
    try:
        for row in rows:
            if not row:
                continue
            if len(row) != 3 or not row[0] or (row[2] and not (row[2].isascii() and row[2].isdigit())):
                problems.append((name, f"line {rows.line_num} is not 'path,hash,size': {','.join(row)[:200]}"))
                continue
            found.append(RecordLine(row[0], row[1], int(row[2]) if row[2] else None))
    except (csv.Error, ValueError) as error:
        problems.append((name, f"line {rows.line_num} cannot be read: {error}"))
    return tuple(found)
