"""Names of libraries, with a version and with auditwheel's hash."""

from __future__ import annotations

import pytest

from orchestrator.wheel.names import is_shared_object, plain_name, without_hash


@pytest.mark.parametrize(
    ("name", "unhashed", "plain"),
    [
        ("libx.so", "libx.so", "libx.so"),
        ("libx.so.1.2", "libx.so.1.2", "libx.so"),
        ("libx-0a1b2c3d.so.1.2", "libx.so.1.2", "libx.so"),
        ("libx-0a1b2c3d.1.so", "libx.1.so", "libx.1.so"),
        ("libnvrtc-builtins.so.13", "libnvrtc-builtins.so.13", "libnvrtc-builtins.so"),
        ("libx-0a1b2c3.so", "libx-0a1b2c3.so", "libx-0a1b2c3.so"),
        ("libx.so.1a", "libx.so.1a", "libx.so.1a"),
    ],
)
def test_what_versions_and_hashes_add(name: str, unhashed: str, plain: str) -> None:
    assert (without_hash(name), plain_name(name)) == (unhashed, plain)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("libx.so", True), ("_C.cpython-311-x86_64-linux-gnu.so", True), ("libx.so.1.2", True), ("libx.so.1a", False),
     ("libx.so.debug", False), ("libx.a", False), ("so", False)],
)  # fmt: skip
def test_what_is_named_as_a_shared_library(name: str, is_one: bool) -> None:
    assert is_shared_object(name) is is_one
