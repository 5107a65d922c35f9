"""The composition of a wheel, as a report tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.elf.model import Elf
from orchestrator.report.model import LibraryFacts
from orchestrator.verify.static import library_facts as module
from orchestrator.verify.static.library_facts import device_code_names, library_facts
from tests.support import fatbin_edit
from tests.support.fatbin_edit import CUBIN
from tests.support.judge import KERNELS, MODULE, RUNTIME, Build, Judge

DATA = Path(__file__).parents[3] / "data" / "fatbin"
CUDA = "demo/lib/libdemo_cuda.so"
LIBRARY = (DATA / "own130-default.so").read_bytes()


def facts(judge: Judge, *args: object, **kwargs: object) -> dict[str, LibraryFacts]:
    found = library_facts(judge.subject(*args, **kwargs))  # type: ignore[arg-type]
    assert [one.path for one in found] == sorted(one.path for one in found)
    return {one.path: one for one in found}


def test_each_library_is_told_with_what_it_owns(judge: Judge, sdk: dict[str, bytes]) -> None:
    found = facts(judge)
    assert set(found) == {RUNTIME, KERNELS, MODULE}
    runtime, kernels, extension = found[RUNTIME], found[KERNELS], found[MODULE]
    assert (runtime.size, runtime.machine, runtime.soname) == (len(sdk[RUNTIME]), "x86_64", "libdemo.so")
    assert runtime.owns == ("demo::register_backend", "demo::count_backends", "pool_create")
    assert runtime.exports == 3
    assert kernels.owns == ("demo::kernels::add",)
    assert "libdemo.so" in kernels.needed
    assert (extension.search, extension.search_kind, extension.soname) == (("$ORIGIN/lib",), "RUNPATH", None)
    assert (extension.owns, extension.exports, extension.error) == ((), 1, "")


def test_who_defines_another_librarys_symbol_does_not_own_it(judge: Judge, build: Build) -> None:
    second = build("libsecond.so", "namespace demo { int count_backends() { return 3; } }", path=None)
    found = facts(judge, {"demo/lib/libsecond.so": second, RUNTIME: build("libdemo.so", "int nothing() { return 0; }")})
    assert found["demo/lib/libsecond.so"].owns == ()
    assert found[RUNTIME].owns == ()
    assert found["demo/lib/libsecond.so"].search_kind is None


def test_without_a_recipe_nothing_is_owned(judge: Judge) -> None:
    found = facts(judge, recipe=None)
    assert [one.owns for one in found.values()] == [(), (), ()]
    assert found[RUNTIME].exports == 3


def test_an_old_search_path_is_named_so(judge: Judge, build: Build) -> None:
    old = build("libold.so", "int old() { return 1; }", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/x:/opt/y", path=None)
    found = facts(judge, {"demo/libold.so": old})["demo/libold.so"]
    assert (found.search, found.search_kind) == (("$ORIGIN/x", "/opt/y"), "RPATH")


def test_what_cannot_be_read_says_why(judge: Judge) -> None:
    found = facts(judge, {"demo/lib/libempty.so": b"", "demo/lib/libcut.so": LIBRARY[:30000]})
    assert found["demo/lib/libempty.so"].error == "empty file"
    assert found["demo/lib/libempty.so"].machine == ""
    assert "reach beyond the file's 30000" in found["demo/lib/libcut.so"].error
    assert found[RUNTIME].error == ""


def test_device_code_by_kind_and_age(judge: Judge) -> None:
    cubins = ("sm_75", "sm_80", "sm_90", "sm_90a", "sm_100f", "sm_103a", "sm_110", "sm_120a", "sm_121")
    found = facts(
        judge,
        {
            CUDA: LIBRARY,
            "demo/lib/less.so": fatbin_edit.drop(LIBRARY, CUBIN, 80),
            "demo/lib/moved.so": fatbin_edit.relocatable(LIBRARY),
            "demo/lib/bare.so": fatbin_edit.no_sections(LIBRARY),
        },
    )
    assert found[CUDA].device_code == (*cubins, "compute_121")
    assert found["demo/lib/less.so"].device_code == (cubins[0], *cubins[2:], "compute_121")
    assert found["demo/lib/moved.so"].device_code == tuple(f"{one} (relocatable)" for one in found[CUDA].device_code)
    assert found["demo/lib/bare.so"].device_code == ("unreadable",)
    assert found[RUNTIME].device_code == ()


def test_a_program_for_a_device_hides_no_device_code() -> None:
    assert device_code_names(Elf(machine="cuda", bits=64, type="exec", device_code_readable=False)) == ()


def test_entries_without_end_are_cut_and_counted(judge: Judge, build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 2)
    long = build("liblong.so", "int one() { return 1; }", path="$ORIGIN:$ORIGIN/a:$ORIGIN/b:$ORIGIN/c")
    found = facts(judge, {"demo/liblong.so": long})["demo/liblong.so"]
    assert found.search == ("$ORIGIN", "$ORIGIN/a")
    assert "2 more search folders are left out" in found.error
