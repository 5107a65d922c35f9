"""A17: placeholders, and versions that are no numbers."""

from __future__ import annotations

import pytest

from tests.support.judge import CONFIG, VERSION_FILE, Judge, only

PKG_CONFIG = "demo/lib/pkgconfig/demo.pc"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CONFIG, b"@PACKAGE_INIT@\n"),
        (VERSION_FILE, b'set(PACKAGE_VERSION "@DEMO_VERSION@")\n'),
        (PKG_CONFIG, b"prefix=${pcfiledir}/../..\nVersion: @DEMO_VERSION@\n"),
    ],
)
def test_a_placeholder_that_was_left(judge: Judge, path: str, text: bytes) -> None:
    name = "@PACKAGE_INIT@" if path == CONFIG else "@DEMO_VERSION@"
    assert only(judge.faults("A17", {path: text})) == f"{path}: the placeholder {name} was not filled in"
    line = 2 if path == PKG_CONFIG else 1
    assert judge.results("A17", {path: text})[0][0].evidence == (f"line {line}: {name}",)
    assert judge.failing({path: text}) == {"A17"}


@pytest.mark.parametrize("value", ["0", "0.0.0", '""', "unknown", '"v1.0"'])
def test_a_version_that_is_no_number(judge: Judge, value: str) -> None:
    changes = {VERSION_FILE: f"set(PACKAGE_VERSION {value})\n".encode()}
    told = value.strip('"')
    assert only(judge.faults("A17", changes)) == (
        f"{VERSION_FILE}: sets PACKAGE_VERSION to '{told}', which CMake takes for 0"
    )
    assert judge.failing(changes) == {"A17"}


@pytest.mark.parametrize("name", ["PROJECT_VERSION", "PACKAGE_FIND_VERSION"])
def test_a_version_of_the_consumer(judge: Judge, name: str) -> None:
    text = f'# {name} is set\nif(PACKAGE_FIND_VERSION)\nendif()\nset(PACKAGE_VERSION "${{{name}}}")\n'
    assert only(judge.faults("A17", {VERSION_FILE: text.encode()})) == (
        f"{VERSION_FILE}: sets PACKAGE_VERSION to '${{{name}}}', and nothing in it sets {name}: "
        "CMake takes the variable of the project that looks for the package"
    )
    assert judge.failing({VERSION_FILE: text.encode()}) == {"A17"}


def test_what_is_no_placeholder(judge: Judge) -> None:
    config = (
        b"# made of @DEMO@\n#[[ and of\n@MORE@ ]]\n"
        b'string(CONFIGURE "@DEMO_ROOT@" where @ONLY)\n'
        b'set(MAIL "a@example.org")\nset(ADDRESSES "me@home and you@work")\n'
    )
    assert judge.faults("A17", {CONFIG: config}) == []
    # A module is no package file: it may hold a template.
    assert judge.faults("A17", {"demo/lib/cmake/demo/templates.cmake": b"set(TEMPLATE [[@NAME@]])\n"}) == []


@pytest.mark.parametrize(
    "text",
    [
        b"include(told.cmake)\nset(PACKAGE_VERSION ${DEMO_VERSION})\n",
        b'file(STRINGS version.txt DEMO_VERSION)\nset(PACKAGE_VERSION "${DEMO_VERSION}")\n',
        b'set(DEMO_VERSION 1.0)\nset(PACKAGE_VERSION "${DEMO_VERSION}")\n',
        b'set(PACKAGE_VERSION "1.0.dev1")\n',
    ],
)
def test_versions_that_others_judge(judge: Judge, text: bytes) -> None:
    assert judge.faults("A17", {VERSION_FILE: text}) == []


def test_a_wheel_of_version_0_says_so(judge: Judge) -> None:
    changes = {VERSION_FILE: b'set(PACKAGE_VERSION "0.0")\n'}
    assert judge.faults("A17", changes, version="0.0+cpu") == []
    assert only(judge.faults("A17", changes)).startswith(VERSION_FILE)


def test_wheels_without_such_files(judge: Judge) -> None:
    assert not judge.applies("A17", {CONFIG: None, VERSION_FILE: None})
    assert judge.applies("A17", recipe=None)
