from __future__ import annotations

import io
import tarfile

import pytest

from orchestrator.store import TarMember, TarStream


def _members() -> list[TarMember]:
    return [
        TarMember(name="bin/", mode=0o755),
        TarMember(name="bin/tool", size=1500, mode=0o755, open=lambda: io.BytesIO(b"x" * 1500)),
        TarMember(name="n" * 150, size=0, open=lambda: io.BytesIO(b"")),
    ]


def test_the_stream_is_an_archive() -> None:
    data = TarStream(_members(), owner=7).read()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == ["bin", "bin/tool", "n" * 150]
        tool = archive.getmember("bin/tool")
        assert (tool.mode, tool.uid, tool.gid, tool.mtime) == (0o755, 7, 7, 0)
        content = archive.extractfile(tool)
        assert content is not None
        assert content.read() == b"x" * 1500


def test_small_reads_give_the_same_bytes() -> None:
    stream = TarStream(_members())
    assert b"".join(iter(lambda: stream.read(7), b"")) == TarStream(_members()).read()


def test_a_file_of_another_size_is_refused() -> None:
    stream = TarStream([TarMember(name="a", size=3, open=lambda: io.BytesIO(b"four"))])
    with pytest.raises(ValueError, match="a: 4 bytes read where 3 were announced"):
        stream.read()
