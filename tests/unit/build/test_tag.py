"""The tag of a built wheel is what its symbols need."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from orchestrator.build.tag import claimed_tag, tag_wheel
from orchestrator.errors import WheelError
from tests.support.elves import build_library
from tests.support.wheels import make_wheel


def library_needing(folder: Path, version: str) -> bytes:
    """A library that needs `GLIBC_<version>` of a C library, whatever this machine's is."""
    script = folder / "versions.map"
    folder.mkdir(exist_ok=True)
    script.write_text(f"GLIBC_{version} {{ global: wanted; }};\n")
    flags = ["-nostdlib", "-Wl,-soname,libc.so.6", f"-Wl,--version-script={script}"]
    stand_in = build_library(folder, "libc-stand-in.so", 'extern "C" int wanted() { return 1; }', flags)
    source = 'extern "C" int wanted(); extern "C" int demo() { return wanted(); }'
    return build_library(folder, "libdemo.so", source, ["-nostdlib", f"-Wl,{stand_in}"]).read_bytes()


@pytest.mark.parametrize(
    ("version", "claimed", "measured"),
    [
        ("2.17", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64"),
        ("2.28", "manylinux_2_28_x86_64", "manylinux_2_28_x86_64"),
        ("2.34", "manylinux_2_34_x86_64", "manylinux_2_34_x86_64"),
        ("2.99", "linux_x86_64", "linux_x86_64"),
    ],
)
def test_claims_the_rows_tag_unless_symbols_need_more(
    tmp_path: Path, version: str, claimed: str, measured: str
) -> None:
    wheel = make_wheel(
        tmp_path, {"demo/libdemo.so": library_needing(tmp_path / "c", version)}, tag="cp311-cp311-linux_x86_64"
    )
    tagged = tag_wheel(wheel, tmp_path / "out", arch="x86_64")
    assert (tagged.claimed, tagged.measured) == (claimed, measured)
    assert tagged.path == tmp_path / "out" / f"example-1.0-cp311-cp311-{claimed}.whl"
    with zipfile.ZipFile(tagged.path) as archive:
        assert f"Tag: cp311-cp311-{claimed}\n" in archive.read("example-1.0.dist-info/WHEEL").decode()


def test_a_pure_wheel_keeps_any(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, {"demo/__init__.py": b""}, tag="py3-none-any")
    tagged = tag_wheel(wheel, tmp_path / "out", arch="x86_64")
    assert (tagged.path.name, tagged.claimed, tagged.measured) == ("example-1.0-py3-none-any.whl", "any", None)


def test_a_ceiling_that_is_no_policy() -> None:
    with pytest.raises(ValueError, match="'musllinux_1_2' is neither linux nor a manylinux policy"):
        claimed_tag("linux_x86_64", "x86_64", "musllinux_1_2")


@pytest.mark.parametrize("measured", ["linux_x86_64", "manylinux_2_17_x86_64"])
def test_linux_is_claimed_where_the_recipe_says_so(measured: str) -> None:
    assert claimed_tag(measured, "x86_64", "linux") == "linux_x86_64"


def test_damage_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "example-1.0-py3-none-any.whl"
    broken.write_bytes(b"PK")
    with pytest.raises(WheelError, match="no zip archive"):
        tag_wheel(broken, tmp_path / "out", arch="x86_64")
