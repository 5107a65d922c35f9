"""Source distributions: what is taken, and that whatever else a file may hold is one error."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
from pathlib import Path

import pytest

from orchestrator.build.source import EPOCH, SourceTree, pack_source
from orchestrator.build.unpack import unpack_sdist
from orchestrator.errors import FetchError
from tests.support.sdists import TOP, file, sdist, special


def pax(key: str, value: str) -> tuple[tarfile.TarInfo, bytes]:
    """A member with a record of its own in its extended header."""
    info, data = file(f"{TOP}/odd", b"")
    info.pax_headers = {key: value}
    return info, data


def unpacked(data: bytes, folder: Path) -> SourceTree:
    path = folder / "ant-1.0.tar.gz"
    path.write_bytes(data)
    return unpack_sdist(path, "ant==1.0")


def test_an_sdist_is_the_tree_that_its_unpacked_folder_is(tmp_path: Path) -> None:
    data = sdist(
        file(f"{TOP}/run.sh", b"#!/bin/sh\n", mode=0o755),
        special(f"{TOP}/src/link", tarfile.SYMTYPE, "../run.sh"),
        special(f"{TOP}/again.cpp", tarfile.LNKTYPE, f"{TOP}/src/ant.cpp"),
        special(f"{TOP}/empty", tarfile.DIRTYPE),
    )
    tree_ = unpacked(data, tmp_path)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(tmp_path / "by_hand", filter="data")
    assert pack_source(tmp_path / "by_hand" / TOP) == tree_
    with tarfile.open(fileobj=io.BytesIO(b"".join(tree_.pieces()))) as archive:
        assert archive.getnames() == ["again.cpp", "pyproject.toml", "run.sh", "src/ant.cpp", "src/link"]
        assert {member.mtime for member in archive} == {EPOCH}
        again = archive.extractfile("again.cpp")
        assert again is not None
        assert again.read() == b"int ant;\n"


@pytest.mark.parametrize(
    ("member", "why"),
    [
        (file("/etc/passwd", b""), "has the member '/etc/passwd', which lies outside it"),
        (file(f"{TOP}/../../x", b""), "has the member 'ant-1.0/../../x', which lies outside it"),
        (file("other/x", b""), "holds ant-1.0, other where PEP 625 wants one folder"),
        (file("x", b""), "holds ant-1.0, x where PEP 625 wants one folder"),
        (special(f"{TOP}/tty", tarfile.CHRTYPE), "has the member 'ant-1.0/tty', which is neither file, folder nor"),
        (special(f"{TOP}/pipe", tarfile.FIFOTYPE), "has the member 'ant-1.0/pipe', which is neither file, folder nor"),
        (special(f"{TOP}/out", tarfile.SYMTYPE, "/etc"), "has the link 'out' to '/etc', which is absolute"),
        (
            special(f"{TOP}/src/out", tarfile.SYMTYPE, "../../x"),
            "has the link 'src/out' to '../../x', which leaves it",
        ),
        (special(f"{TOP}/me", tarfile.SYMTYPE, "me"), "has the link 'me' to 'me', which leads in a circle"),
        (special(f"{TOP}/hard", tarfile.LNKTYPE, "/etc/passwd"), "has the link 'ant-1.0/hard' to '/etc/passwd', which"),
        (special(f"{TOP}/hard", tarfile.LNKTYPE, f"{TOP}/x"), "has the link 'ant-1.0/hard' to 'ant-1.0/x', which it"),
        (special(f"{TOP}/hard", tarfile.LNKTYPE, "other/pyproject.toml"), "has the link 'ant-1.0/hard' to 'other/pypr"),
        (
            special(f"{TOP}/none", tarfile.SYMTYPE, ""),
            "has the member 'ant-1.0/none', which is neither file, folder nor",
        ),
        (file(f"{TOP}/{'a' * 256}", b""), "has the member 'ant-1.0/aaa"),
        (file(f"{TOP}/{'a/' * 2500}b", b""), "has the member 'ant-1.0/a/a"),
        (pax("path", f"{TOP}/a\0b"), "has the member 'ant-1.0/a\0b…', whose name no file system takes"),
        (file(f"{TOP}/pyproject.toml/x", b""), "has the member 'pyproject.toml/x' below 'pyproject.toml', which is no"),
    ],
)
def test_unsafe_members_are_refused(tmp_path: Path, member: tuple[tarfile.TarInfo, bytes], why: str) -> None:
    with pytest.raises(FetchError) as caught:
        unpacked(sdist(member), tmp_path)
    assert caught.value.message.startswith(f"The source distribution ant==1.0 {why}")
    assert "--source DIR" in caught.value.advice


def test_a_link_that_leaves_through_another_is_refused(tmp_path: Path) -> None:
    here = special(f"{TOP}/here", tarfile.SYMTYPE, ".")
    unpacked(sdist(here, special(f"{TOP}/in", tarfile.SYMTYPE, "here/src/..")), tmp_path)
    # By its letters it ends in the tree.
    with pytest.raises(FetchError, match=r"the link 'out' to '.*', which leaves it"):
        unpacked(sdist(here, special(f"{TOP}/out", tarfile.SYMTYPE, "here/here/../../ant-1.0")), tmp_path)


def test_an_archive_that_is_no_sdist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="is not a gzipped tar archive"):
        unpacked(b"PK\x03\x04 a zip", tmp_path)
    with pytest.raises(FetchError, match="is not a gzipped tar archive"):
        unpacked(sdist()[:100], tmp_path)
    with pytest.raises(FetchError, match=r"has neither pyproject.toml nor setup.py"):
        unpacked(sdist(files={"README": b""}), tmp_path)


def test_a_hard_link_to_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    circle = special(f"{TOP}/me", tarfile.SYMTYPE, "me")
    with pytest.raises(FetchError, match=r"has the link 'ant-1.0/hard' to 'ant-1.0/me', which it does not hold"):
        unpacked(sdist(circle, special(f"{TOP}/hard", tarfile.LNKTYPE, f"{TOP}/me")), tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("size", "-5"), ("size", "99999999999999"), ("GNU.sparse.map", "a,b"), ("GNU.sparse.major", "1")],
)
def test_headers_that_are_wrong_in_themselves_are_damage(tmp_path: Path, key: str, value: str) -> None:
    odd, data = pax(key, value)
    if key == "GNU.sparse.major":
        odd.pax_headers = {key: value, "GNU.sparse.minor": "0", "GNU.sparse.name": f"{TOP}/sparse"}
    with pytest.raises(FetchError, match="is not a gzipped tar archive, or is damaged: ") as caught:
        unpacked(sdist((odd, data)), tmp_path)
    assert "--source DIR" in caught.value.advice


def test_headers_without_an_end_are_damage(tmp_path: Path) -> None:
    names = b"".join(special(f"{TOP}/x", tarfile.GNUTYPE_LONGNAME)[0].tobuf() for _ in range(5000))
    with pytest.raises(FetchError, match="or is damaged: maximum recursion depth exceeded"):
        unpacked(gzip.compress(names), tmp_path)


def test_a_size_that_leads_back_to_its_own_header_ends(tmp_path: Path) -> None:
    raw = bytearray(gzip.decompress(sdist(file(f"{TOP}/a", b""))))
    place = raw.index(f"{TOP}/a".encode())
    raw[place : place + 512] = with_size(bytes(raw[place : place + 512]), -1024)
    with pytest.raises(FetchError, match=r"or is damaged: 0 bytes of 'ant-1.0/a' where its header says -1024"):
        unpacked(gzip.compress(raw), tmp_path)


def with_size(header: bytes, size: int) -> bytes:
    """A header with another size, as base 256 writes it, and its checksum."""
    mark = b"\xff" if size < 0 else b"\x80"
    header = header[:124] + mark + size.to_bytes(11, "big", signed=True) + header[136:]
    total = sum(header[:148]) + sum(header[156:]) + 8 * ord(" ")
    return header[:148] + f"{total:06o}\0 ".encode() + header[156:]


@pytest.mark.parametrize("place", [-6, -2, 2000])
def test_a_bit_that_flipped_is_damage(tmp_path: Path, place: int) -> None:
    # Random bytes are stored as they are: only the checksum tells.
    whole = sdist(file(f"{TOP}/data", random.Random(1).randbytes(9000)))
    unpacked(whole, tmp_path)
    data = bytearray(whole)
    data[place] ^= 1
    with pytest.raises(FetchError, match=r"or is damaged: (CRC check failed|Incorrect length of data)"):
        unpacked(bytes(data), tmp_path)


def test_a_damaged_header_is_no_end_of_the_archive(tmp_path: Path) -> None:
    raw = bytearray(gzip.decompress(sdist(file(f"{TOP}/data", b"x"))))
    raw[raw.index(f"{TOP}/data".encode())] ^= 1
    with pytest.raises(FetchError, match="or is damaged: a damaged header after its last member"):
        unpacked(gzip.compress(raw), tmp_path)


@pytest.mark.parametrize("where", ["member", "header", "end"])
def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, where: str) -> None:
    raw = bytearray(gzip.decompress(sdist(file(f"{TOP}/data", bytes(3 << 20)))))
    if where == "header":
        raw[:512] = with_size(special(f"{TOP}/x", tarfile.GNUTYPE_LONGNAME)[0].tobuf(), 3 << 20)
    elif where == "end":
        raw = bytearray(gzip.decompress(sdist())) + bytes(3 << 20)
    path = tmp_path / "ant-1.0.tar.gz"
    path.write_bytes(gzip.compress(raw))
    with pytest.raises(FetchError) as caught:
        unpack_sdist(path, "ant==1.0", most=2 << 20)
    assert caught.value.message == "The source distribution ant==1.0 unpacks to more than 2 MiB."
    assert "--source DIR" in caught.value.advice
    if where == "member":
        assert unpack_sdist(path, "ant==1.0", most=4 << 20).sha256
