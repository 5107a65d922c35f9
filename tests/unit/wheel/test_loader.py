"""The loader's search inside a wheel: ld.so's own answer is the reference."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.wheel.loader import Loader
from orchestrator.wheel.model import Library, Wheel
from orchestrator.wheel.read import read_wheel
from tests.support.elves import build_library, tiny_elf
from tests.support.wheels import make_wheel

RPATH = "-Wl,--disable-new-dtags,-rpath,"
RUNPATH = "-Wl,--enable-new-dtags,-rpath,"

Build = Callable[..., Path]


class Site:
    """A folder of compiled libraries that is packed into a wheel, and that the real loader can look at."""

    def __init__(self, root: Path) -> None:
        self.root = root / "site"
        self.folder = root

    def build(self, path: str, *flags: str, needs: tuple[str, ...] = (), soname: str | None = None) -> None:
        target = self.root / path
        names = [f"-Wl,-soname,{soname or target.name}", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"]
        build_library(target.parent, target.name, "", [*names, *(str(self.root / need) for need in needs), *flags])

    def wheel(self) -> Wheel:
        files = {str(p.relative_to(self.root)): p.read_bytes() for p in sorted(self.root.rglob("*")) if p.is_file()}
        return read_wheel(make_wheel(self.folder, files))

    def really_missing(self, path: str) -> set[str]:
        """Names that the machine's own loader does not find when it loads the library by itself."""
        done = subprocess.run(["ldd", str(self.root / path)], capture_output=True, text=True, check=True)
        return {line.split(" =>")[0].strip() for line in done.stdout.splitlines() if "not found" in line}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def at(wheel: Wheel, path: str) -> Library:
    (library,) = (library for library in wheel.libraries if library.path == path)
    return library


def missing(wheel: Wheel, path: str) -> set[str]:
    """Names of the wheel's own libraries that the simulated loader does not find, from this root."""
    names = {library.name for library in wheel.libraries}
    loads = Loader(wheel).loads(at(wheel, path))
    return {name for load in loads for name, found in load.found if found is None and name in names}


def test_found_by_its_own_entry_and_not_without(site: Site) -> None:
    site.build("pkg/lib/liba.so")
    site.build("pkg/good.so", f"{RUNPATH}$ORIGIN/lib", needs=("pkg/lib/liba.so",))
    site.build("pkg/bad.so", f"{RUNPATH}$ORIGIN/../pkg.libs", needs=("pkg/lib/liba.so",))
    wheel = site.wheel()
    assert Loader(wheel).finds(at(wheel, "pkg/good.so"), "liba.so") == "pkg/lib/liba.so"
    assert Loader(wheel).finds(at(wheel, "pkg/bad.so"), "liba.so") is None
    assert Loader(wheel).finds(at(wheel, "pkg/good.so"), "libc.so.6") is None
    for path in ("pkg/good.so", "pkg/bad.so"):
        assert missing(wheel, path) == site.really_missing(path)


@pytest.mark.parametrize(("flag", "inherited"), [(RPATH, True), (RUNPATH, False)])
def test_only_rpath_is_inherited(site: Site, flag: str, inherited: bool) -> None:
    site.build("pkg/lib/libdeep.so")
    site.build("pkg/lib/libmid.so", needs=("pkg/lib/libdeep.so",))
    site.build("pkg/top.so", f"{flag}$ORIGIN/lib", needs=("pkg/lib/libmid.so",))
    wheel = site.wheel()
    found = Loader(wheel).finds(at(wheel, "pkg/lib/libmid.so"), "libdeep.so")
    assert found == ("pkg/lib/libdeep.so" if inherited else None)
    assert missing(wheel, "pkg/top.so") == site.really_missing("pkg/top.so") == (set() if inherited else {"libdeep.so"})


def test_runpath_of_the_middle_shuts_out_the_rpath_of_the_top(site: Site) -> None:
    site.build("pkg/lib/libdeep.so")
    site.build("pkg/lib/libmid.so", f"{RUNPATH}$ORIGIN/nowhere", needs=("pkg/lib/libdeep.so",))
    site.build("pkg/top.so", f"{RPATH}$ORIGIN/lib", needs=("pkg/lib/libmid.so",))
    wheel = site.wheel()
    assert missing(wheel, "pkg/top.so") == site.really_missing("pkg/top.so") == {"libdeep.so"}


def test_what_is_loaded_already_is_not_searched_for(site: Site) -> None:
    site.build("pkg/lib/libdeep.so")
    site.build("pkg/lib/libmid.so", needs=("pkg/lib/libdeep.so",))
    site.build("pkg/top.so", f"{RUNPATH}$ORIGIN/lib", needs=("pkg/lib/libdeep.so", "pkg/lib/libmid.so"))
    wheel = site.wheel()
    assert missing(wheel, "pkg/top.so") == site.really_missing("pkg/top.so") == set()
    assert Loader(wheel).finds(at(wheel, "pkg/lib/libmid.so"), "libdeep.so") == "pkg/lib/libdeep.so"


def test_what_a_file_is_called_is_no_name_of_what_is_loaded(site: Site) -> None:
    site.build("pkg/top.so", soname="libtop.so.1")
    site.build("pkg/lib/libback.so", needs=("pkg/top.so",))
    (site.root / "pkg/top.so").rename(site.root / "pkg/libtop.so.1")
    site.build("pkg/libtop.so.1", f"{RUNPATH}$ORIGIN/lib", needs=("pkg/lib/libback.so",), soname="libother.so")
    wheel = site.wheel()
    assert missing(wheel, "pkg/libtop.so.1") == site.really_missing("pkg/libtop.so.1") == {"libtop.so.1"}


def test_libraries_of_another_processor_are_passed_over(site: Site) -> None:
    (site.root / "other").mkdir(parents=True)
    site.build("lib/libtiny.so")
    site.build("top.so", f"{RUNPATH}$ORIGIN/other:$ORIGIN/lib", needs=("lib/libtiny.so",))
    (site.root / "other/libtiny.so").write_bytes(tiny_elf(machine="aarch64"))
    wheel = site.wheel()
    assert Loader(wheel).finds(at(wheel, "top.so"), "libtiny.so") == "lib/libtiny.so"


def test_a_program_in_the_scripts_folder(site: Site) -> None:
    site.build("pkg/lib/liba.so")
    search = f"{RUNPATH}$ORIGIN/../lib/python3.11/site-packages/pkg/lib"
    site.build("example-1.0.data/scripts/tool", search, needs=("pkg/lib/liba.so",))
    wheel = site.wheel()
    assert Loader(wheel).finds(at(wheel, "example-1.0.data/scripts/tool"), "liba.so") == "pkg/lib/liba.so"


def test_two_that_need_each_other_end(site: Site) -> None:
    site.build("lib/liba.so")
    site.build("lib/libb.so", f"{RUNPATH}$ORIGIN", needs=("lib/liba.so",))
    site.build("lib/liba.so", needs=("lib/libb.so",))
    wheel = site.wheel()
    assert Loader(wheel).finds(at(wheel, "lib/liba.so"), "libb.so") == "lib/libb.so"
    assert Loader(wheel).finds(at(wheel, "lib/libb.so"), "liba.so") == "lib/liba.so"
