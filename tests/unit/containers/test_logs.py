"""Output: frames, lines, tail, capture."""

import io
import struct

import pytest

from orchestrator import secrets as module
from orchestrator.containers import logs
from orchestrator.containers.logs import STDERR, STDOUT, FrameReader, LogSink
from orchestrator.secrets import Secrets


def frame(stream: int, payload: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(payload)) + payload


def test_frames_are_found_however_they_are_cut() -> None:
    data = frame(STDOUT, b"one") + frame(STDERR, b"") + frame(STDERR, b"three")
    for size in (1, 2, 7, 9, len(data)):
        reader = FrameReader()
        found = [pair for at in range(0, len(data), size) for pair in reader.feed(data[at : at + size])]
        assert found == [(STDOUT, b"one"), (STDERR, b""), (STDERR, b"three")]


def test_lines_come_whole_and_streams_do_not_mix() -> None:
    lines: list[str] = []
    file = io.BytesIO()
    sink = LogSink(file=file, on_line=lines.append, capture=True)
    sink.write(STDOUT, b"hel")
    sink.write(STDERR, b"warning\r\n")
    sink.write(STDOUT, b"lo\nend")
    assert lines == ["warning", "hello"]
    sink.finish()
    assert lines == ["warning", "hello", "end"]
    assert sink.tail == "warning\nhello\nend"
    assert sink.captured == b"hello\nend"
    assert file.getvalue() == b"warning\r\nhello\nend"


def test_bytes_that_are_not_utf8_are_shown_as_such_and_logged_unchanged() -> None:
    file = io.BytesIO()
    sink = LogSink(file=file, on_line=None, capture=False)
    sink.write(STDOUT, b"caf\xe9\n")
    assert sink.tail == "caf\ufffd"
    assert file.getvalue() == b"caf\xe9\n"
    assert sink.captured == b""


def test_no_log_line_or_tail_holds_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._process, "known", Secrets.of({"A_TOKEN": "s3cr3t-value"}))
    lines: list[str] = []
    file = io.BytesIO()
    sink = LogSink(file=file, on_line=lines.append, capture=True)
    for piece in (b"a s3cr3t", b"-value\nhttps://me:pass", b"word@host/x s3cr3t-value"):
        sink.write(STDOUT, piece)
    sink.write(STDERR, b"s3cr3t-other\n")
    sink.finish()
    assert file.getvalue() == b"a [hidden]\ns3cr3t-other\nhttps://[hidden]@host/x [hidden]"
    assert lines == ["a [hidden]", "s3cr3t-other", "https://[hidden]@host/x [hidden]"]
    assert sink.tail == "\n".join(lines)
    assert b"s3cr3t-value\n" in sink.captured


def test_the_tail_is_bounded_in_lines_and_in_their_length() -> None:
    sink = LogSink(file=None, on_line=None, capture=False)
    sink.write(STDOUT, b"".join(b"%d\n" % number for number in range(1000)))
    assert sink.tail.splitlines() == [str(number) for number in range(1000 - logs.TAIL_LINES, 1000)]
    sink.write(STDOUT, b"x" * 1_000_000)
    assert max(len(line) for line in sink.tail.splitlines()) <= 8192


def test_capture_says_that_it_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "CAPTURE_BYTES", 10)
    sink = LogSink(file=None, on_line=None, capture=True)
    sink.write(STDOUT, b"0123456789")
    assert (sink.captured, sink.captured_cut) == (b"0123456789", False)
    sink.write(STDOUT, b"x")
    assert (sink.captured, sink.captured_cut) == (b"0123456789", True)
