"""What goes into volumes: owners, names, kinds."""

import io
import tarfile

import pytest

from orchestrator.containers.transfer import folders, owned
from orchestrator.tarstream import end_mark, tar_of


def archive(*members: tarfile.TarInfo, data: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member in members:
            member.size = len(data) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def info(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.uid, member.gid, member.uname = kind, link, 4242, 4243, "somebody"
    return member


def unpacked(data: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name: member for member in tar}


def through(source: bytes) -> bytes:
    return b"".join(owned(source, prefix="top/in", user=7, group=8)) + end_mark()


def test_members_get_owner_and_prefix_and_keep_mode_time_and_content() -> None:
    member = info("./a/b")
    member.mode, member.mtime = 0o751, 1234567890
    out = through(archive(info("a", tarfile.DIRTYPE), member, data=b"x" * 700))
    found = unpacked(out)
    assert list(found) == ["top/in/a", "top/in/a/b"]
    assert {(one.uid, one.gid, one.uname) for one in found.values()} == {(7, 8, "")}
    assert (found["top/in/a/b"].mode, found["top/in/a/b"].mtime) == (0o751, 1234567890)
    with tarfile.open(fileobj=io.BytesIO(out)) as tar:
        content = tar.extractfile("top/in/a/b")
        assert content is not None
        assert content.read() == b"x" * 700


def test_folders_that_the_archive_only_implies_are_added_once() -> None:
    found = unpacked(through(tar_of({"a/b/c": b"1", "a/b/d": b"2"})))
    assert list(found) == ["top/in/a", "top/in/a/b", "top/in/a/b/c", "top/in/a/b/d"]
    assert found["top/in/a/b"].isdir()
    assert found["top/in/a"].uid == 7


def test_links_keep_their_meaning() -> None:
    found = unpacked(
        through(archive(info("a"), info("hard", tarfile.LNKTYPE, "a"), info("s", tarfile.SYMTYPE, "../x")))
    )
    assert found["top/in/hard"].linkname == "top/in/a"
    assert found["top/in/s"].linkname == "../x"


def test_long_names_and_compression_pass() -> None:
    name = "/".join(["d" * 90] * 4)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.addfile(info(name), io.BytesIO())
    assert f"top/in/{name}" in unpacked(through(buffer.getvalue()))


@pytest.mark.parametrize(
    ("member", "text"),
    [
        (info("../evil"), "'../evil' leads outside"),
        (info("/evil"), "'/evil' leads outside"),
        (info("a", tarfile.LNKTYPE, "../../etc/shadow"), "hard link '../../etc/shadow' leads outside"),
        (info("dev", tarfile.CHRTYPE), "'dev' is neither file, folder nor link"),
        (info("pipe", tarfile.FIFOTYPE), "'pipe' is neither file, folder nor link"),
    ],
)
def test_unsafe_members_are_refused(member: tarfile.TarInfo, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        through(archive(member))


def test_an_archive_that_ends_early_is_noticed() -> None:
    whole = archive(info("a"), data=b"x" * 5000)
    with pytest.raises(tarfile.ReadError, match=r"ends early|unexpected end"):
        through(whole[:2000])


def test_folders_belong_to_the_user_at_every_level() -> None:
    found = unpacked(folders("volume/in/deep", user=3, group=4) + end_mark())
    assert list(found) == ["volume", "volume/in", "volume/in/deep"]
    assert {(one.uid, one.gid, one.isdir()) for one in found.values()} == {(3, 4, True)}
