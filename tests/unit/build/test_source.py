import io
import tarfile
from pathlib import Path

import pytest

from orchestrator.build.source import EPOCH, SourceTree, pack_source, unpack_sdist
from orchestrator.errors import FetchError, RecipeError
from tests.support.sdists import TOP, file, sdist, special


def tree(folder: Path) -> Path:
    (folder / "src" / "__pycache__").mkdir(parents=True)
    (folder / "src" / "a.cpp").write_text("int a;\n")
    (folder / "src" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("src/a.cpp")
    return folder


def test_pack_leaves_caches_out_and_fixes_times_and_modes(tmp_path: Path) -> None:
    packed = pack_source(tree(tmp_path))
    with tarfile.open(fileobj=io.BytesIO(packed.tar)) as archive:
        members = {member.name: member for member in archive}
    assert sorted(members) == ["link", "run.sh", "src/a.cpp"]
    assert {member.mtime for member in members.values()} == {EPOCH}
    assert members["run.sh"].mode == 0o755
    assert members["src/a.cpp"].mode == 0o644
    assert members["link"].linkname == "src/a.cpp"


def test_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert pack_source(tree(one)).sha256 == pack_source(tree(two)).sha256
    (two / "src" / "a.cpp").write_text("int b;\n")
    assert pack_source(one).sha256 != pack_source(two).sha256


def test_refuses_links_that_leave_the_folder(tmp_path: Path) -> None:
    source = tree(tmp_path / "source")
    (source / "out").symlink_to("../../elsewhere")
    with pytest.raises(RecipeError, match="out is a link that leaves the source folder"):
        pack_source(source)


def test_refuses_absent_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no source folder"):
        pack_source(tmp_path / "absent")
    with pytest.raises(RecipeError, match="is empty"):
        pack_source(tmp_path)


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
    with tarfile.open(fileobj=io.BytesIO(tree_.tar)) as archive:
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
        (special(f"{TOP}/out", tarfile.SYMTYPE, "/etc"), "has the link 'out', which leaves it for '/etc'"),
        (
            special(f"{TOP}/src/out", tarfile.SYMTYPE, "../../x"),
            "has the link 'src/out', which leaves it for",
        ),
        (special(f"{TOP}/me", tarfile.SYMTYPE, "me"), "has the link 'me', which leaves it for 'me'"),
        (special(f"{TOP}/hard", tarfile.LNKTYPE, "/etc/passwd"), "has the link 'ant-1.0/hard' to '/etc/passwd', which"),
        (special(f"{TOP}/hard", tarfile.LNKTYPE, f"{TOP}/x"), "has the link 'ant-1.0/hard' to 'ant-1.0/x', which it"),
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
    with pytest.raises(FetchError, match="the link 'out', which leaves it for"):
        unpacked(sdist(here, special(f"{TOP}/out", tarfile.SYMTYPE, "here/here/../../ant-1.0")), tmp_path)


def test_an_archive_that_is_no_sdist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="is not a gzipped tar archive"):
        unpacked(b"PK\x03\x04 a zip", tmp_path)
    with pytest.raises(FetchError, match="is not a gzipped tar archive"):
        unpacked(sdist()[:100], tmp_path)
    with pytest.raises(FetchError, match=r"has neither pyproject.toml nor setup.py"):
        unpacked(sdist(files={"README": b""}), tmp_path)
