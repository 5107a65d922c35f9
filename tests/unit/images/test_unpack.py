import io
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.errors import FetchError, RecipeError
from orchestrator.images.definition import Overlay, StandIn
from orchestrator.images.layers import LayerWriter
from orchestrator.images.unpack import write_overlay, write_system
from orchestrator.store.debian.lock import Package
from orchestrator.store.debian.mmdebstrap import EPOCH
from orchestrator.store.store import Store

BASE = {
    "lib/libc.so.6": "a library",
    "usr/bin/mawk": "a program",
    "usr/bin/g++": "a compiler",
    "usr/share/base-passwd/passwd.master": "root:*:0:0::/root:/bin/bash\n",
    "usr/share/doc/base/copyright": "text",
    "usr/bin/link": "-> mawk",
}
CROSS = {
    "lib64/ld.so.2": "-> /lib/x86_64-linux-gnu/ld.so",
    "lib/x86_64-linux-gnu/ld.so": "a loader",
    "usr/bin/aarch64-linux-gnu-g++": "-> aarch64-linux-gnu-g++-12",
    "usr/bin/aarch64-linux-gnu-g++-12": "a cross compiler",
    "usr/bin/make": "a program",
}
OVERLAY = Overlay(packages=("g++-aarch64-linux-gnu",), bare="aarch64-linux-gnu")


def stand_in(suite: str) -> StandIn:
    return StandIn(suite=suite, packages=("base",))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def package(store: Store, folder: Path, name: str, files: Mapping[str, str]) -> Package:
    """A package in the store; what begins with an arrow is a symbolic link."""
    tree = folder / name
    for path, text in files.items():
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            target.symlink_to(text[3:])
        else:
            target.write_text(text)
            target.chmod(0o755)
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        f"Package: {name}\nVersion: 1\nArchitecture: arm64\nMaintainer: N <n@example.org>\nDescription: small\n"
    )
    file = folder / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, file], check=True, capture_output=True)
    shutil.rmtree(tree)
    return Package(name, "1", store.add_file(file), file.stat().st_size, f"pool/{name}.deb")


class Written:
    """A layer that was written: its members, and the SHA-256 of its tar."""

    def __init__(self, path: Path, digest: str) -> None:
        self.digest = digest
        with tarfile.open(path) as archive:
            self.members = {member.name: member for member in archive}
            self.texts = {
                name: (archive.extractfile(member) or io.BytesIO()).read().decode()
                for name, member in self.members.items()
                if member.isreg()
            }

    def link(self, name: str) -> str:
        return self.members[name].linkname


def system(store: Store, folder: Path, *packages: Package, suite: str = "bookworm") -> Written:
    writer = LayerWriter(folder / "layer")
    said: list[str] = []
    write_system(store, stand_in(suite), packages, writer, on_line=said.append, cancelled=threading.Event())
    assert said == [f"unpacking {one.name} 1" for one in packages]
    return Written(folder / "layer", writer.finish()[0])


def overlay(store: Store, folder: Path, *packages: Package, suite: str = "bookworm") -> Written:
    writer = LayerWriter(folder / "layer")
    write_overlay(
        store, stand_in(suite), OVERLAY, packages, writer, on_line=lambda _: None, cancelled=threading.Event()
    )
    return Written(folder / "layer", writer.finish()[0])


def test_a_system_has_what_scripts_of_packages_would_have_made(store: Store, tmp_path: Path) -> None:
    made = system(store, tmp_path, package(store, tmp_path, "base", BASE))
    assert [made.link(name) for name in ("bin", "lib", "lib64", "sbin")] == [
        f"usr/{name}" for name in ("bin", "lib", "lib64", "sbin")
    ]
    assert made.texts["usr/lib/libc.so.6"] == "a library"
    assert made.texts["etc/passwd"] == BASE["usr/share/base-passwd/passwd.master"]
    assert (made.link("usr/bin/awk"), made.link("usr/bin/c++"), made.link("usr/bin/link")) == ("mawk", "g++", "mawk")
    assert "usr/bin/cc" not in made.members, "there is no gcc"
    assert made.members["tmp"].mode == 0o1777
    assert not any(name.startswith(("lib/", "usr/share/doc/base")) for name in made.members)
    assert {member.mtime for member in made.members.values()} == {EPOCH}
    assert {member.uid for member in made.members.values()} == {0}


def test_the_same_packages_give_the_same_bytes(store: Store, tmp_path: Path) -> None:
    base = package(store, tmp_path, "base", BASE)
    digest = system(store, tmp_path, base).digest
    assert system(store, tmp_path, base).digest == digest
    assert system(store, tmp_path, package(store, tmp_path, "more", BASE)).digest == digest, "its name is no content"
    assert system(store, tmp_path, package(store, tmp_path, "new", {**BASE, "etc/x": "x"})).digest != digest


def test_folders_of_a_suite_that_are_not_merged_stay(store: Store, tmp_path: Path) -> None:
    made = system(store, tmp_path, package(store, tmp_path, "base", BASE), suite="bullseye")
    assert made.texts["lib/libc.so.6"] == "a library"
    assert made.members["lib"].isdir()
    assert "bin" not in made.members


def test_an_overlay_has_compilers_under_the_names_of_native_ones(store: Store, tmp_path: Path) -> None:
    made = overlay(store, tmp_path, package(store, tmp_path, "cross", CROSS))
    assert made.link("usr/bin/g++") == "aarch64-linux-gnu-g++"
    assert made.link("usr/bin/g++-12") == "aarch64-linux-gnu-g++-12"
    assert (made.link("usr/bin/c++"), made.link("usr/bin/cc")) == ("g++", "gcc")
    # Folders that are links in the image below must stay links there.
    assert not made.members.keys() & {"lib", "bin", "etc/passwd"}
    assert made.link("lib64") == "usr/lib64"
    assert made.link("usr/lib64/ld.so.2") == "/lib/x86_64-linux-gnu/ld.so"
    assert made.texts["usr/lib/x86_64-linux-gnu/ld.so"] == "a loader"


def test_two_packages_with_one_file_are_refused(store: Store, tmp_path: Path) -> None:
    packages = [package(store, tmp_path, name, {"lib/x.so": name}) for name in ("one", "two")]
    with pytest.raises(RecipeError, match=r"two and one both have /usr/lib/x\.so") as caught:
        system(store, tmp_path, *packages)
    assert "path-excludes" in caught.value.advice
    assert system(store, tmp_path, packages[0]).texts["usr/lib/x.so"] == "one"


def test_unpacking_ends_when_it_is_cancelled(store: Store, tmp_path: Path) -> None:
    cancelled = threading.Event()
    base, writer = package(store, tmp_path, "base", BASE), LayerWriter(tmp_path / "layer")
    cancelled.set()
    with pytest.raises(FetchError, match="Unpacking base was cancelled"):
        write_system(store, stand_in("bookworm"), [base], writer, on_line=print, cancelled=cancelled)
