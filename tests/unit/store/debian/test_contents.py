from pathlib import Path

import pytest

from orchestrator.errors import EngineError, FetchError
from orchestrator.store.debian.contents import package_files, package_members
from tests.support.toolkit import debian_package

FILES = {"usr/bin/tool": b"t" * 200_000, "usr/share/data": b"data", "etc/last": b"last"}


def read(package: Path, *wanted: str) -> dict[str, bytes]:
    return {name: content.read() for name, _, content in package_files(package, wanted)}


def test_files_are_read_without_installing(tmp_path: Path) -> None:
    package = debian_package(tmp_path, FILES)
    assert read(package, "usr/share/data", "usr/bin/tool") == {
        "usr/share/data": b"data",
        "usr/bin/tool": FILES["usr/bin/tool"],
    }


def test_all_that_a_package_installs_is_told_in_its_order(tmp_path: Path) -> None:
    package = debian_package(tmp_path, FILES)
    members = [
        (name, member.isdir(), content and len(content.read())) for name, member, content in package_members(package)
    ]
    assert ("usr/bin/", True, None) in members or ("usr/bin", True, None) in members
    assert [size for _, _, size in members if size] == [4, 200_000, 4]


def test_reading_may_stop_early(tmp_path: Path) -> None:
    package = debian_package(tmp_path, FILES)
    files = package_files(package, FILES)
    assert next(files)[0] == "etc/last"
    files.close()  # type: ignore[attr-defined]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    package = debian_package(tmp_path, FILES)
    with pytest.raises(FetchError, match="does not hold usr/bin, usr/bin/other"):
        read(package, "usr/bin", "usr/bin/other", "usr/bin/tool")


def test_a_damaged_package_says_so(tmp_path: Path) -> None:
    package = debian_package(tmp_path, FILES)
    package.write_bytes(package.read_bytes()[:200])
    with pytest.raises(FetchError, match="cannot be read as a Debian package") as caught:
        read(package, "usr/bin/tool")
    assert "dpkg-deb" in caught.value.detail


def test_without_the_tool_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = debian_package(tmp_path, FILES)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="dpkg-deb, which is not installed"):
        read(package, "usr/bin/tool")
