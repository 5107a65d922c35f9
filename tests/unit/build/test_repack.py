"""Rewriting wheels: equal bytes, a right RECORD, nothing half-written."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from orchestrator.build.repack import retagged_name, rewrite_wheel
from orchestrator.errors import WheelError

NAME = "demo-1.0-cp311-cp311-linux_x86_64.whl"
INFO = "demo-1.0.dist-info"
WHEEL_FILE = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\nBuild: 1\n\n"


def make(folder: Path, *, extra: tuple[tuple[str, bytes], ...] = (), reverse: bool = False, year: int = 2020) -> Path:
    """A wheel; `reverse` and `year` change the archive and not its contents."""
    files = [
        ("demo/__init__.py", b"x = 1\n"),
        ("demo/lib.so", b"\x7fELF" + b"\0" * 3_000_000),
        ("demo/tool, odd.sh", b"#!/bin/sh\n"),
        (f"{INFO}/METADATA", b"Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"),
        (f"{INFO}/RECORD", b"demo/gone.py,,\n"),
        (f"{INFO}/RECORD.jws", b"{}"),
        (f"{INFO}/WHEEL", WHEEL_FILE.encode()),
        *extra,
    ]
    path = folder / NAME
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if reverse else zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("demo/")
        for name, data in reversed(files) if reverse else files:
            entry = zipfile.ZipInfo(name, (year, 2, 3, 4, 5, 6))
            entry.external_attr = (stat.S_IFREG | (0o775 if name.endswith(".sh") else 0o600)) << 16
            archive.writestr(entry, data)
    return path


def test_equal_contents_give_equal_bytes(tmp_path: Path) -> None:
    one = rewrite_wheel(make(tmp_path / "a"), tmp_path / "x", platform_tag="manylinux_2_28_x86_64")
    two = rewrite_wheel(
        make(tmp_path / "b", reverse=True, year=2024), tmp_path / "y", platform_tag="manylinux_2_28_x86_64"
    )
    assert one.name == "demo-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    assert one.read_bytes() == two.read_bytes()
    again = rewrite_wheel(one, tmp_path / "z")
    assert (again.name, again.read_bytes()) == (one.name, one.read_bytes())
    other_time = rewrite_wheel(one, tmp_path / "z", source_date_epoch=1_700_000_000)
    assert other_time.read_bytes() != one.read_bytes()


def test_order_times_modes_and_tags(tmp_path: Path) -> None:
    path = rewrite_wheel(make(tmp_path), tmp_path / "out", platform_tag="manylinux_2_17_x86_64.manylinux2014_x86_64")
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        assert [entry.filename for entry in entries] == [
            "demo/__init__.py",
            "demo/lib.so",
            "demo/tool, odd.sh",
            f"{INFO}/METADATA",
            f"{INFO}/WHEEL",
            f"{INFO}/RECORD",
        ]
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        modes = {entry.filename: stat.S_IMODE(entry.external_attr >> 16) for entry in entries}
        assert modes.pop("demo/tool, odd.sh") == 0o755
        assert set(modes.values()) == {0o644}
        assert archive.read(f"{INFO}/WHEEL").decode() == (
            "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: false\nBuild: 1\n"
            "Tag: cp311-cp311-manylinux2014_x86_64\nTag: cp311-cp311-manylinux_2_17_x86_64\n"
        )


def test_record_lists_every_member_with_its_hash(tmp_path: Path) -> None:
    path = rewrite_wheel(make(tmp_path), tmp_path / "out")
    with zipfile.ZipFile(path) as archive:
        expected = []
        for name in archive.namelist()[:-1]:
            data = archive.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            quoted = f'"{name}"' if "," in name else name
            expected.append(f"{quoted},sha256={digest},{len(data)}")
        assert archive.read(f"{INFO}/RECORD").decode().splitlines() == [*expected, f"{INFO}/RECORD,,"]


def test_a_wheel_may_be_rewritten_in_its_own_place(tmp_path: Path) -> None:
    path = make(tmp_path)
    before = path.read_bytes()
    assert rewrite_wheel(path, tmp_path) == path
    assert path.read_bytes() != before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("../evil.py", "unsafe member name: '../evil.py'"),
        ("/etc/evil", "unsafe member name: '/etc/evil'"),
        ("demo//x.py", "unsafe member name: 'demo//x.py'"),
        ("demo\\..\\x.py", "unsafe member name"),
        ("other-1.0.dist-info/WHEEL", "has 2 .dist-info folders"),
    ],
)
def test_unsafe_names_are_refused(tmp_path: Path, member: str, said: str) -> None:
    path = make(tmp_path / "in", extra=((member, b"x"),))
    with pytest.raises(WheelError) as caught:
        rewrite_wheel(path, tmp_path / "out")
    assert said in str(caught.value)
    assert not list((tmp_path / "out").iterdir())


def test_repeated_names_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "in")
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("demo/__init__.py", b"y = 2\n")
    with pytest.raises(WheelError, match=r"two members named 'demo/__init__\.py'"):
        rewrite_wheel(path, tmp_path / "out")


def test_symbolic_links_are_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "in")
    with zipfile.ZipFile(path, "a") as archive:
        entry = zipfile.ZipInfo("demo/link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, b"/etc/passwd")
    with pytest.raises(WheelError, match="symbolic link"):
        rewrite_wheel(path, tmp_path / "out")


def test_damage_is_a_wheel_error_and_leaves_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "in")
    data = bytearray(path.read_bytes())
    at = data.index(b"x = 1") if b"x = 1" in data else data.index(b"demo/__init__.py") + 20
    data[at] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(WheelError, match="not a readable zip archive"):
        rewrite_wheel(path, tmp_path / "out")
    path.write_bytes(b"not a zip")
    with pytest.raises(WheelError, match="not a readable zip archive"):
        rewrite_wheel(path, tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


def test_not_a_wheels_name() -> None:
    with pytest.raises(WheelError, match=r"demo\.whl: is not a wheel's file name"):
        retagged_name("demo.whl", "any")


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """The kernel refuses writes behind the file size limit just as a full disk refuses them."""
    path = make(tmp_path / "in", extra=(("demo/noise.bin", os.urandom(400_000)),))
    program = textwrap.dedent(
        """
        import resource, signal, sys
        from pathlib import Path
        from orchestrator.build.repack import rewrite_wheel
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        try:
            rewrite_wheel(Path(sys.argv[1]), Path(sys.argv[2]))
        except OSError as error:
            sys.exit(f"refused: {error.strerror}")
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), str(tmp_path / "out")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (1, "refused: File too large")
    assert not list((tmp_path / "out").iterdir())
