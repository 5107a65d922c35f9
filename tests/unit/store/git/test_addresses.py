"""Addresses of repositories: which mean the same one, and what a report shows of them."""

from __future__ import annotations

import pytest

from orchestrator.store.git.addresses import resolve, same_repository, shown


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/owner/name",
        "https://example.org/owner/name.git",
        "http://Example.ORG/owner/name/",
        "https://me:secret@example.org:8443/owner/name.git",
        "ssh://git@example.org/owner/name.git",
        "git@example.org:owner/name.git",
        "example.org:owner/name",
    ],
)
def test_one_repository_has_many_addresses(url: str) -> None:
    assert same_repository(url) == "example.org/owner/name"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/owner/Name",
        "https://example.org/owner/name2",
        "https://example.com/owner/name",
        "/owner/name",
        "https://[bad/owner/name",
    ],
)
def test_others_are_others(url: str) -> None:
    assert same_repository(url) != "example.org/owner/name"


@pytest.mark.parametrize(
    ("base", "url", "whole"),
    [
        ("https://example.org/a/b.git", "../c.git", "https://example.org/a/c.git"),
        ("https://example.org/a/b/", "../../x/c", "https://example.org/x/c"),
        ("https://example.org/a/b", "https://example.com/c", "https://example.com/c"),
        ("git@example.org:a/b.git", "../c.git", "git@example.org:a/c.git"),
        ("git@example.org:/a/b.git", "../c.git", "git@example.org:/a/c.git"),
        ("/srv/a", "../b", "/srv/b"),
        ("/srv/a", "./b", "/srv/a/b"),
        ("file:///srv/a", "../b", "file:///srv/b"),
    ],
)
def test_an_address_may_be_relative_to_the_parents(base: str, url: str, whole: str) -> None:
    assert resolve(base, url) == whole


def test_a_report_shows_no_password() -> None:
    assert shown("https://me:secret@example.org:8443/a") == "https://example.org:8443/a"
    assert shown("git@example.org:a/b") == "git@example.org:a/b"
    assert shown("https://[bad@x") == "https://[bad@x"
