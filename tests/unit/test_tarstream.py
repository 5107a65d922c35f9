from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from orchestrator.tarstream import TIME, PieceReader, TarMember, TarStream, tar_of


def _members() -> list[TarMember]:
    return [
        TarMember.folder("bin/"),
        TarMember.of_bytes("bin/tool", b"x" * 1500, mode=0o755),
        TarMember.of_bytes("n" * 150, b""),
    ]


def test_the_stream_is_an_archive() -> None:
    data = TarStream(_members()).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == ["bin", "bin/tool", "n" * 150]
        tool = archive.getmember("bin/tool")
        assert (tool.mode, tool.uid, tool.gid, tool.mtime) == (0o755, 0, 0, TIME)
        content = archive.extractfile(tool)
        assert content is not None
        assert content.read() == b"x" * 1500


def test_a_link_stays_a_link() -> None:
    data = TarStream([TarMember.folder("lib/"), TarMember.link("lib64", "lib")]).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        link = archive.getmember("lib64")
        assert (link.issym(), link.linkname, link.size, link.mode) == (True, "lib", 0, 0o777)
        assert archive.getmember("lib").isdir()


def test_small_reads_give_the_same_bytes() -> None:
    stream = TarStream(_members())
    assert b"".join(iter(lambda: stream.read(7), b"")) == TarStream(_members()).read()


def test_a_file_of_another_size_is_refused() -> None:
    stream = TarStream([TarMember(name="a", size=3, open=lambda: io.BytesIO(b"four"))])
    with pytest.raises(ValueError, match="a: 4 bytes read where 3 were announced"):
        stream.read()


def test_a_small_archive_is_the_stream_of_the_same_members(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"2")
    members = [TarMember.of_bytes("a", b"1"), TarMember.of_file("b", tmp_path / "b")]
    assert tar_of({"a": b"1", "b": b"2"}) == TarStream(members).read()


def test_a_reader_over_pieces_reads_them_all_and_closes_once() -> None:
    closed: list[bool] = []
    reader = io.BufferedReader(PieceReader([b"ab", b"", b"cde"], lambda: closed.append(True)))
    assert reader.read(3) == b"abc"
    assert reader.read() == b"de"
    reader.close()
    reader.close()
    assert closed == [True]
