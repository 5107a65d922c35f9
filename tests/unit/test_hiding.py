"""Streams without secrets, however they are cut."""

from __future__ import annotations

import io
import random

import pytest

from orchestrator import secrets as module
from orchestrator.hiding import _HELD, HidingStream, HidingText
from orchestrator.secrets import Secrets

VALUE = "s3cr3t-of-some-length"
ADDRESS = "https://user:another-word@host/x"


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._process, "known", Secrets.of({"A_TOKEN": VALUE}))


def pieces(data: bytes, size: int) -> bytes:
    stream = HidingStream()
    return b"".join(stream.feed(data[at : at + size]) for at in range(0, len(data), size)) + stream.end()


@pytest.mark.parametrize("size", [1, 2, 7, 20, 21, 22, 1000])
def test_a_secret_is_hidden_wherever_the_stream_is_cut(size: int) -> None:
    data = f"a\n{VALUE}\rb {VALUE}{VALUE}\n{ADDRESS} no end {VALUE}".encode()
    assert pieces(data, size) == b"a\n[hidden]\rb [hidden][hidden]\nhttps://[hidden]@host/x no end [hidden]"


def test_what_has_an_end_is_handed_on_at_once_and_the_rest_at_the_end() -> None:
    stream = HidingStream()
    assert stream.feed(b"one\ntwo") == b"one\n"
    assert stream.feed(b"\r") == b"two\r"
    assert stream.feed(b"three") == b""
    assert stream.end() == b"three"
    assert stream.end() == b""


@pytest.mark.parametrize("what", [VALUE, ADDRESS])
@pytest.mark.parametrize("seed", range(3))
def test_a_secret_within_a_line_of_any_length_is_hidden(what: str, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(10):
        before = draw.randrange(_HELD - 200, _HELD + 200)
        data = b" " + b"x" * before + b"," + what.encode() + b"y" * _HELD
        shown = pieces(data, draw.choice([100, 4096, 16384]))
        assert what.encode() not in shown
        assert b"another-word" not in shown
        assert shown.replace(b"https://[hidden]@host/x", b"").replace(b"[hidden]", b"") == data.replace(
            what.encode(), b""
        )


def test_a_long_line_is_held_in_bounded_memory() -> None:
    stream = HidingStream()
    for _ in range(100):
        stream.feed(b"x" * 10_000)
        assert len(stream._held) <= _HELD + 10_000


def test_text_without_secrets_is_the_streams_own() -> None:
    inner = io.StringIO()
    shown = HidingText(inner)
    assert shown.write(f"a {VALUE}\n") == len(f"a {VALUE}\n")
    assert shown.isatty() is False  # type: ignore[operator]
    assert inner.getvalue() == "a [hidden]\n"
