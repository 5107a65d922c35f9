"""Reading wheels."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from orchestrator.errors import WheelError
from orchestrator.wheel import members
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel
from tests.support.elves import tiny_elf
from tests.support.wheels import make_wheel, record_hash, write_zip


def problems_of(wheel: Wheel, subject: str) -> str:
    return "\n".join(text for name, text in wheel.problems if name == subject)


def test_a_correct_wheel(tmp_path: Path) -> None:
    files = {
        "example/__init__.py": b"",
        "example/version.py": b'version = "1.0"\n',
        "example/lib/libtiny.so": tiny_elf(),
        "example/share/example-config.cmake": b"# cmake\n",
        "example/lib/pkgconfig/example.pc": b"Name: example\n",
        "example/bin/example-config": b"#!/bin/sh\n",
        "example/bin/tool": tiny_elf(),
        "example/data.bin": bytes(3 << 20),
    }
    path = make_wheel(
        tmp_path,
        files,
        version="1.0+cpu",
        requires=["numpy>=1.2", "torch; extra == 'x'"],
        executables=["example/bin/tool"],
    )
    wheel = read_wheel(path)
    assert wheel.problems == ()
    assert (wheel.distribution, str(wheel.version), wheel.dist_info) == (
        "example",
        "1.0+cpu",
        "example-1.0+cpu.dist-info",
    )
    assert {str(tag) for tag in wheel.tags} == {"cp311-cp311-manylinux_2_28_x86_64"}
    assert [str(requirement) for requirement in wheel.requirements] == ["numpy>=1.2", 'torch; extra == "x"']
    assert wheel.metadata is not None
    assert wheel.metadata["Name"] == "example"
    assert wheel.wheel_file is not None
    assert wheel.wheel_file.get_all("Tag") == ["cp311-cp311-manylinux_2_28_x86_64"]
    assert [library.path for library in wheel.libraries] == ["example/lib/libtiny.so", "example/bin/tool"]
    assert [elf.soname for _, elf in wheel.readable()] == ["libtiny.so"] * 2
    assert set(wheel.texts) == {
        "example/version.py",
        "example/share/example-config.cmake",
        "example/lib/pkgconfig/example.pc",
        "example/bin/example-config",
        *(f"{wheel.dist_info}/{name}" for name in ("METADATA", "WHEEL", "RECORD")),
    }
    assert wheel.texts["example/version.py"] == files["example/version.py"]
    by_name = {member.name: member for member in wheel.members}
    assert by_name["example/data.bin"].sha256 == hashlib.sha256(files["example/data.bin"]).hexdigest()
    assert by_name["example/bin/tool"].mode == 0o755
    lines = {line.path: line for line in wheel.record}
    assert set(lines) == set(by_name) == wheel.names
    assert lines["example/data.bin"].hash == record_hash(files["example/data.bin"])
    assert lines["example/data.bin"].size == 3 << 20
    assert wheel.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert wheel.size == path.stat().st_size


def test_what_is_named_like_a_library(tmp_path: Path) -> None:
    files = {
        "a/empty.so": b"",
        "a/zeros.so.1": bytes(4096),
        "a/cut.so": tiny_elf()[:40],
        "a/script.so": b"/* GNU ld script */ INPUT(-lx)\n",
        "a/mach.so": b"\xcf\xfa\xed\xfe" + bytes(60),
        "a/notes.so.txt": bytes(64),
        "a/hollow.so": tiny_elf()[:16] + bytes(4096),
    }
    wheel = read_wheel(make_wheel(tmp_path, files))
    errors = {library.path: library.error for library in wheel.libraries}
    assert list(errors) == ["a/empty.so", "a/zeros.so.1", "a/cut.so", "a/hollow.so"]
    assert errors["a/empty.so"] == "empty file"
    assert "magic number" in (errors["a/zeros.so.1"] or "")
    assert "header is damaged" in (errors["a/cut.so"] or "")
    assert "zeroed" in (errors["a/hollow.so"] or "")
    assert wheel.readable() == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("../outside.py", "climbs out"),
        ("a/../../outside.py", "climbs out"),
        ("/etc/outside", "absolute"),
        ("a\\b.py", "backslash"),
        ("C:/outside.py", "drive"),
        ("a//b.py", "not normalised"),
        ("./a.py", "not normalised"),
        ("a\nb.py", "control character"),
    ],
)
def test_names_that_no_installer_should_follow(tmp_path: Path, name: str, text: str) -> None:
    wheel = read_wheel(make_wheel(tmp_path, {name: b"x", "fine/module.py": b""}))
    assert text in problems_of(wheel, name)
    assert [subject for subject, _ in wheel.problems] == [name]
    assert sorted(tmp_path.iterdir()) == [wheel.path]


def test_a_name_with_a_nul(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"a/bXc.py": b"x"})
    path.write_bytes(path.read_bytes().replace(b"a/bXc.py", b"a/b\0c.py"))
    wheel = read_wheel(path)
    assert "NUL" in problems_of(wheel, "a/b")


def test_repeated_names_and_symbolic_links(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, {"a.py": b"1"})
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a.py", b"2")
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("liba.so")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, b"liba.so.1")
    wheel = read_wheel(path)
    assert problems_of(wheel, "a.py") == "2 members have this name"
    assert "symbolic link" in problems_of(wheel, "liba.so")
    assert wheel.libraries == ()


@pytest.mark.parametrize(
    ("filename", "text"),
    [
        ("example.whl", "not the file name of a wheel"),
        ("example-x.y-py3-none-any.whl", "not the file name of a wheel"),
        ("example-1.0-py3-none-any.zip", "not the file name of a wheel"),
    ],
)
def test_file_names(tmp_path: Path, filename: str, text: str) -> None:
    wheel = read_wheel(make_wheel(tmp_path, {"a.py": b""}, filename=filename))
    assert text in problems_of(wheel, filename)
    assert wheel.distribution is None
    assert wheel.dist_info == "example-1.0.dist-info"


def test_broken_info_files(tmp_path: Path) -> None:
    def spoil(files: dict[str, bytes]) -> None:
        del files["example-1.0.dist-info/WHEEL"]

    metadata = "Name: example\nRequires-Dist: numpy >> 3\nRequires-Dist: fine\n"
    wheel = read_wheel(make_wheel(tmp_path, {"a.py": b""}, metadata=metadata, edit=spoil))
    assert "'numpy >> 3' cannot be parsed" in problems_of(wheel, "example-1.0.dist-info/METADATA")
    assert [requirement.name for requirement in wheel.requirements] == ["fine"]
    assert "missing" in problems_of(wheel, "example-1.0.dist-info/WHEEL")
    assert wheel.wheel_file is None


@pytest.mark.parametrize("text", ["numpy>={}", "numpy>=1,<{}", "numpy; python_version < '{}'"])
def test_numbers_that_python_does_not_read(tmp_path: Path, text: str) -> None:
    requirement = text.format("9" * 5000)  # more digits than it takes from a text (sys.set_int_max_str_digits)
    wheel = read_wheel(make_wheel(tmp_path, {"a.py": b""}, requires=[requirement, "fine"]))
    found = problems_of(wheel, "example-1.0.dist-info/METADATA")
    assert "Exceeds the limit" in found
    assert [requirement.name for requirement in wheel.requirements] == ["fine"]


def test_broken_record(tmp_path: Path) -> None:
    record = b'a.py,sha256=x,1\nshort\nb.py,,many\n"c,d.py",,\n\n\xff.py,,\n'
    path = make_wheel(tmp_path, {"a.py": b""}, after_record={"example-1.0.dist-info/RECORD": record})
    wheel = read_wheel(path)
    found = problems_of(wheel, "example-1.0.dist-info/RECORD")
    assert "line 2 is not 'path,hash,size': short" in found
    assert "line 3" in found
    assert "not UTF-8 at byte" in found
    assert [line.path for line in wheel.record] == ["a.py", "c,d.py", "\ufffd.py"]


def test_no_or_two_info_folders(tmp_path: Path) -> None:
    bare = tmp_path / "example-1.0-py3-none-any.whl"
    write_zip(bare, [("a.py", b"")])
    wheel = read_wheel(bare)
    assert (wheel.dist_info, wheel.metadata, wheel.record) == (None, None, ())
    assert "found: none" in problems_of(wheel, bare.name)
    other = make_wheel(tmp_path, {"another-2.dist-info/METADATA": b"Name: another\n"})
    wheel = read_wheel(other)
    assert wheel.dist_info == "example-1.0.dist-info"
    assert "another-2.dist-info, example-1.0.dist-info" in problems_of(wheel, other.name)


@pytest.mark.parametrize("content", [b"", b"not a zip at all", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "example-1.0-py3-none-any.whl"
    path.write_bytes(content)
    with pytest.raises(WheelError, match=f"no zip archive.*{len(content)} bytes") as caught:
        read_wheel(path)
    assert "cut-off download" in caught.value.advice


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WheelError, match="No such file"):
        read_wheel(tmp_path / "none.whl")
    with pytest.raises(WheelError, match="Is a directory"):
        read_wheel(tmp_path)


def test_limits_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_wheel(tmp_path, {"big.bin": bytes(2 << 20), "small.bin": b"x", "long.cmake": bytes(3 << 20)})
    assert "too large to be looked at" in problems_of(read_wheel(path), "long.cmake")
    with monkeypatch.context() as patch:
        patch.setattr(members, "BOMB_SIZE", 1 << 20)
        wheel = read_wheel(path)
        assert "a zip bomb" in problems_of(wheel, "big.bin")
        assert {m.name: m.sha256 for m in wheel.members}["big.bin"] is None
    with monkeypatch.context() as patch:
        patch.setattr(members, "TOTAL_LIMIT", 1 << 20)
        wheel = read_wheel(path)
        assert "exceed the limit" in problems_of(wheel, "big.bin")
        assert problems_of(wheel, "small.bin") == ""
    with monkeypatch.context() as patch:
        patch.setattr(members, "MEMBER_LIMIT", 1 << 20)
        assert "more than the limit" in problems_of(read_wheel(path), "big.bin")


def test_large_libraries_are_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "IN_MEMORY", 16)
    wheel = read_wheel(make_wheel(tmp_path, {"a/libtiny.so": tiny_elf()}))
    assert wheel.problems == ()
    assert [elf.soname for _, elf in wheel.readable()] == ["libtiny.so"]


def test_what_follows_the_headers_of_metadata_is_text(tmp_path: Path) -> None:
    """Messages within messages of MIME exhausted the stack."""
    metadata = "Metadata-Version: 2.1\nName: example\nVersion: 1.0\nContent-Type: message/rfc822\n\n"
    nested = "Content-Type: message/rfc822\nRequires-Dist: inner\n\n" * 3000
    wheel = read_wheel(make_wheel(tmp_path, {}, metadata=metadata + nested))
    assert wheel.problems == ()
    assert wheel.requirements == ()
    assert wheel.metadata is not None
    assert wheel.metadata["Name"] == "example"
    assert wheel.metadata.get_payload() == nested
