import io
import re
import tarfile
from pathlib import Path

import pytest

from orchestrator.build.source import EPOCH, link_fault, pack_source
from orchestrator.errors import RecipeError


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
    with tarfile.open(fileobj=io.BytesIO(b"".join(packed.pieces()))) as archive:
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


@pytest.mark.parametrize(
    ("link", "target", "why"),
    [
        ("out", "../elsewhere", "which leaves it"),
        ("src/out", "../../elsewhere", "which leaves it"),
        ("passwd", "/etc/passwd", "which is absolute"),
        ("inside", "{source}/run.sh", "which is absolute"),
        ("me", "me", "which leads in a circle"),
        ("one", "two", "which leads in a circle"),
    ],
)
def test_refuses_links_that_a_container_cannot_follow(tmp_path: Path, link: str, target: str, why: str) -> None:
    source = tree(tmp_path / "source")
    (source / "two").symlink_to("src/../one")
    (source / "folder").symlink_to("src")
    pack_source(source)  # what is named need not be there, and may be a folder
    (source / link).symlink_to(target.format(source=source))
    with pytest.raises(RecipeError) as caught:
        pack_source(source)
    assert re.match(f"The source folder {source} has the link '{link}' to ", caught.value.message)
    assert why in caught.value.message
    assert caught.value.advice.startswith("Make it a relative link that stays inside the folder")


def test_refuses_absent_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no source folder"):
        pack_source(tmp_path / "absent")
    with pytest.raises(RecipeError, match="is empty"):
        pack_source(tmp_path)


def test_a_link_that_a_tar_would_cut_short_is_refused() -> None:
    assert link_fault({"l": "a\0b"}, "l") == "holds a zero byte"
    assert link_fault({"l": "a"}, "l") is None
