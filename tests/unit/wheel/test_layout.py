"""Search path entries, resolved by path components."""

from __future__ import annotations

import pytest

from orchestrator.wheel.layout import Entry, EntryKind, installed_path, resolve_entry


@pytest.mark.parametrize(
    ("entry", "folder", "path", "outside"),
    [
        ("$ORIGIN", "pkg/lib", "pkg/lib", False),
        ("${ORIGIN}", "pkg/lib", "pkg/lib", False),
        ("$ORIGIN/", "pkg/lib", "pkg/lib", False),
        ("$ORIGIN/.", "pkg", "pkg", False),
        ("$ORIGIN/../lib", "pkg/bin", "pkg/lib", False),
        ("$ORIGIN/../../nvidia/cu13/lib", "pkg/lib", "nvidia/cu13/lib", False),
        ("$ORIGIN.libs", "pkg", "pkg.libs", False),
        ("$ORIGIN//x///y", "pkg", "pkg/x/y", False),
        ("$ORIGIN/../..", "pkg/lib", "", False),
        ("$ORIGIN", "", "", False),
        ("$ORIGIN/libs", "", "libs", False),
        ("$ORIGIN/..", "", "..", True),
        ("$ORIGIN/../../../x", "pkg/lib", "../x", True),
        ("$ORIGIN/..x", "", "..x", False),
        ("$ORIGIN/../../../..", "pkg", "../../..", True),
        ("$ORIGIN/../lib/python3.11/site-packages/pkg/lib", "../../../bin", "pkg/lib", False),
        ("$ORIGIN/../lib/python3.11/site-packages", "../../../bin", "", False),
        ("$ORIGIN/../lib", "../../../bin", "../../../lib", True),
        ("$ORIGIN/../../..", "pkg", "../../../lib", True),
        ("$ORIGIN/../../../x", "pkg", "../../../lib/x", True),
        ("$ORIGIN/../../../../lib", "pkg", "../../../lib", True),
        ("$ORIGIN/../../../..x", "pkg", "../../../lib/..x", True),
    ],
)
def test_relative(entry: str, folder: str, path: str, outside: bool) -> None:
    assert resolve_entry(entry, folder) == Entry(entry, EntryKind.RELATIVE, path, outside)


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("", EntryKind.EMPTY),
        ("/usr/lib", EntryKind.ABSOLUTE),
        ("lib", EntryKind.CURRENT_FOLDER),
        ("../lib", EntryKind.CURRENT_FOLDER),
        (".", EntryKind.CURRENT_FOLDER),
        ("$LIB", EntryKind.OTHER_TOKEN),
        ("$ORIGIN/$PLATFORM", EntryKind.OTHER_TOKEN),
        ("$ORIGINAL/lib", EntryKind.OTHER_TOKEN),
        ("/opt/$LIB", EntryKind.OTHER_TOKEN),
        ("${ORIGIN/lib", EntryKind.OTHER_TOKEN),
        ("lib/$ORIGIN", EntryKind.OTHER_TOKEN),
    ],
)
def test_other_kinds_have_no_path(entry: str, kind: EntryKind) -> None:
    assert resolve_entry(entry, "pkg/lib") == Entry(entry, kind, None, False)


@pytest.mark.parametrize(
    ("member", "path"),
    [
        ("pkg/lib/libx.so", "pkg/lib/libx.so"),
        ("pkg-1.data/platlib/pkg/libx.so", "pkg/libx.so"),
        ("pkg-1.data/purelib/x.py", "x.py"),
        ("pkg-1.data/scripts/tool", "../../../bin/tool"),
        ("pkg-1.data/data/lib/libx.so", "../../../lib/libx.so"),
        ("pkg-1.data/data/lib/python3.11/site-packages/x.so", "../../../lib/python3.11/site-packages/x.so"),
        ("pkg.data/unknown/x", "pkg.data/unknown/x"),
        ("module.py", "module.py"),
    ],
)
def test_installed_paths(member: str, path: str) -> None:
    assert installed_path(member) == path
