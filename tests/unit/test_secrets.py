"""What counts as secret, and that it is found however it is written."""

from __future__ import annotations

import base64
import json
import re
import shlex
from urllib.parse import quote, quote_plus

import pytest

from orchestrator import secrets as module
from orchestrator.secrets import HIDDEN, Secrets, has_credentials, learn, secrets

VALUE = 'p/q+\'r "s" & ü'
KNOWN = Secrets.of({"MY_TOKEN": VALUE, "HOME": "/home/somebody"})


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "my_secret",
        "DB_PASSWORD",
        "PASSWD",
        "GPG_PASSPHRASE",
        "X_API_KEY",
        "APIKEY",
        "AWS_ACCESS_KEY_ID",
        "SSH_PRIVATE_KEY",
    ],
)
def test_variables_are_secret_by_their_names(name: str) -> None:
    assert Secrets.of({name: "value-of-it"}).values == ((name, "value-of-it"),)


def test_other_variables_and_short_words_are_not() -> None:
    assert (
        Secrets.of({"HOME": "/home/somebody", "USE_TOKEN": "true", "WHEEL_ORCHESTRATOR_SECRETS": "WHEEL_*"}).values
        == ()
    )


def test_patterns_can_be_added() -> None:
    environ = {"LICENCE_FILE": "abcdefgh", "OTHER": "abcdefghi", "WHEEL_ORCHESTRATOR_SECRETS": "licence_*, nothing"}
    assert Secrets.of(environ).values == (("LICENCE_FILE", "abcdefgh"),)
    assert Secrets.of(environ | {"WHEEL_ORCHESTRATOR_SECRETS": ", "}).values == ()


def test_each_line_of_a_key_is_one_and_its_armour_is_none() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nZXktdjEAAAAA\nAA==\n-----END OPENSSH PRIVATE KEY-----\n"
    known = Secrets.of({"DEPLOY_PRIVATE_KEY": key})
    assert {value for _, value in known.values} == {"b3BlbnNzaC1r", "ZXktdjEAAAAA"}
    assert known.hide("line ZXktdjEAAAAA") == f"line {HIDDEN}"


@pytest.mark.parametrize(
    "written",
    [
        VALUE,
        quote(VALUE, safe=""),
        quote(VALUE),
        quote_plus(VALUE),
        re.sub("%..", lambda code: code[0].lower(), quote(VALUE, safe="")),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        shlex.quote(VALUE)[1:-1],
        base64.b64encode(VALUE.encode()).decode(),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
    ],
)
def test_a_value_is_found_in_each_spelling(written: str) -> None:
    text = f"before {written} after"
    shown = KNOWN.hide(text)
    # Base64's last character may hold bits of what follows, and its padding is none of the value's.
    assert shown.startswith(f"before {HIDDEN}")
    assert shown.removeprefix(f"before {HIDDEN}").split(" ")[0].strip("=") in ("", written.rstrip("=")[-1])
    assert shown.endswith(" after")
    assert KNOWN.hide_bytes(text.encode()) == shown.encode()
    assert KNOWN.held_by(text.encode()) == "MY_TOKEN"


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "x-token:"])
@pytest.mark.parametrize("behind", ["", "z", "zz", "zzz"])
def test_a_value_is_found_within_longer_base64(before: str, behind: str) -> None:
    value = "s3cr3t-of-some-length"
    header = base64.b64encode(f"{before}{value}{behind}".encode()).decode()
    assert HIDDEN in Secrets.of({"A_TOKEN": value}).hide(f"Authorization: Basic {header}")
    other = base64.b64encode(f"{before}s3cr3t-of-same-length{behind}".encode()).decode()
    assert HIDDEN not in Secrets.of({"A_TOKEN": value}).hide(f"Authorization: Basic {other}")


def test_a_longer_value_goes_before_a_part_of_it() -> None:
    assert Secrets.of({"A_TOKEN": "abcdef", "B_TOKEN": "abcdefgh"}).hide("abcdefgh abcdef") == f"{HIDDEN} {HIDDEN}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:pass@host/x", f"https://{HIDDEN}@host/x"),
        ("git+https://t0k3n@host/x", f"git+https://{HIDDEN}@host/x"),
        ("ssh://me:pass@host/x", f"ssh://{HIDDEN}@host/x"),
        ("http://user:p@ss@host", f"http://{HIDDEN}@host"),
        ("(http://:pw@host)", f"(http://{HIDDEN}@host)"),
    ],
)
def test_credentials_of_an_address_are_hidden(text: str, shown: str) -> None:
    assert Secrets().hide(text) == shown
    assert Secrets().hide_bytes(text.encode()) == shown.encode()
    assert Secrets().held_by(text.encode()) == "credentials"
    assert has_credentials(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://host/x@1",
        "ssh://me@board",
        "git+ssh://git@host/x",
        "git@host:x",
        "https://host?a=b@c",
        "https://host:8080/a@b",
        "pkg @ file:///x",
        "docker.io/library/debian@sha256:00",
    ],
)
def test_other_addresses_stay(text: str) -> None:
    assert Secrets().hide(text) == text
    assert Secrets().held_by(text.encode()) is None
    assert not has_credentials(text)


def test_a_password_in_any_variable_or_on_the_command_line_is_secret_alone_too() -> None:
    known = Secrets.of({"HTTPS_PROXY": "http://me:hunter%2F22@proxy:3128"}, ["--mirror", "https://t0k3n-x@host/a=../a"])
    assert known.values == (
        ("HTTPS_PROXY", "hunter%2F22"),
        ("HTTPS_PROXY", "hunter/22"),
        ("the command line", "t0k3n-x"),
    )
    assert known.hide("refused: me, hunter/22; t0k3n-x") == f"refused: me, {HIDDEN}; {HIDDEN}"


def test_bytes_that_are_no_text_are_kept() -> None:
    assert KNOWN.hide_bytes(b"\xff\x00" + VALUE.encode() + b"\xfe") == b"\xff\x00" + HIDDEN.encode() + b"\xfe"
    assert Secrets.of({"A_TOKEN": "caf\udce9-value"}).held_by(b"caf\xe9-value") == "A_TOKEN"


def test_plain_values_keep_their_form() -> None:
    known = Secrets.of({"A_TOKEN": "123456"})
    value = {"size": 123456, "text": "123456", "123456": [("x123456", None, True)]}
    assert known.hide_within(value) == {"size": 123456, "text": HIDDEN, HIDDEN: [(f"x{HIDDEN}", None, True)]}


def test_a_process_learns_of_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._process, "known", Secrets.of({"A_TOKEN": "aaaaaaaa"}))
    learn({"B_TOKEN": "bbbbbbbb", "PLAIN": "cccccccc"})
    assert secrets().values == (("A_TOKEN", "aaaaaaaa"), ("B_TOKEN", "bbbbbbbb"))
