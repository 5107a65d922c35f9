"""K1 to K12: what is asked of any wheel."""

from __future__ import annotations

import struct
import warnings
import zipfile
from typing import Any

import pytest

from orchestrator.report.model import Verdict
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.run_static import run_check
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support import elf_edit
from tests.support.elves import MACHINES
from tests.support.judge import KERNELS, MODULE, RECIPE, RUNTIME, Build, Judge, only

PLUGIN = "demo/lib/libplugin.so"


def test_k1_executable_stack(judge: Judge, build: Build) -> None:
    changes = {PLUGIN: build("libplugin.so", "int x;", "-Wl,-z,execstack")}
    assert only(judge.faults("K1", changes)) == f"{PLUGIN}: requests an executable stack"
    assert judge.failing(changes) == {"K1"}


@pytest.mark.parametrize(
    ("machine", "executable"), [("x86_64", True), ("i686", True), ("s390x", True), ("aarch64", False)]
)
def test_k1_an_absent_header_is_what_the_processor_makes_of_it(
    judge: Judge, sdk: dict[str, bytes], machine: str, executable: bool
) -> None:
    data = bytearray(sdk[KERNELS])
    struct.pack_into("<H", data, 18, MACHINES[machine])
    start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        if struct.unpack_from("<I", data, start + index * size)[0] == 0x6474E551:
            struct.pack_into("<I", data, start + index * size, 0)
    reason = f"{KERNELS}: gets an executable stack: it has no PT_GNU_STACK"
    assert judge.faults("K1", {KERNELS: bytes(data)}) == ([reason] if executable else [])


def test_k2_copies_are_a_note_unless_forbidden(judge: Judge, sdk: dict[str, bytes]) -> None:
    changes = {"demo/lib/libdemo_copy.so": sdk[KERNELS]}
    assert judge.faults("K2", changes, recipe=None) == []
    _, notes = judge.results("K2", changes, recipe=None)
    assert notes[0].text == f"identical copies: demo/lib/libdemo_copy.so, {KERNELS}"
    fault = only(judge.faults("K2", changes, recipe={**RECIPE, "forbid-copies": True}))
    assert fault == "demo/lib/libdemo_copy.so: ships 2 times, byte by byte the same"


def test_k2_names_some_of_many_copies(judge: Judge, sdk: dict[str, bytes]) -> None:
    _, notes = judge.results("K2", {f"demo/copies/{number}": sdk[KERNELS] for number in range(20)})
    assert notes[0].text.endswith(" and 11 more")


def test_k3_soname_that_names_no_file(judge: Judge, build: Build) -> None:
    library = build("libplugin.so", "int x;", soname="libplugin.so.2")
    assert (
        only(judge.faults("K3", {PLUGIN: library})) == f"{PLUGIN}: its SONAME libplugin.so.2 names no file of the wheel"
    )
    assert judge.failing({PLUGIN: library}) == {"K3"}
    assert judge.failing({PLUGIN: library, f"{PLUGIN}.2": library}, recipe=None) == set()


def test_k3_leaves_extension_modules_alone(judge: Judge, build: Build) -> None:
    module = build("libmodule.so", 'extern "C" void* PyInit_libmodule() { return 0; }', soname="libother.so")
    assert judge.failing({"demo/libmodule.so": module}) == set()


def test_k4_elf_in_a_pure_wheel(judge: Judge) -> None:
    faults = judge.faults("K4", tag="py3-none-any")
    assert faults == [f"{path}: an ELF file in a wheel tagged 'any'" for path in (RUNTIME, KERNELS, MODULE)]
    assert judge.failing(tag="py3-none-any") == {"K4"}
    files = dict.fromkeys(judge.subject().wheel.names)
    pure: dict[str, Any] = {**files, "demo/__init__.py": b""}
    assert judge.failing(pure, tag="py3-none-any", recipe=None) == set()


def test_k4_what_runs_on_no_processor_of_a_machine_is_data(judge: Judge, sdk: dict[str, bytes]) -> None:
    kernel = bytearray(sdk[KERNELS])
    struct.pack_into("<H", kernel, 18, 247)  # EM_BPF
    files: dict[str, Any] = dict.fromkeys(judge.subject().wheel.names)
    data: dict[str, Any] = {**files, "demo/filter.o": bytes(kernel), "demo/empty.so": b""}
    assert judge.failing(data, tag="py3-none-any", recipe=None) == {"B6"}
    host: dict[str, Any] = {**data, "demo/filter.o": sdk[KERNELS]}
    assert only(judge.faults("K4", host, tag="py3-none-any", recipe=None)) == (
        "demo/filter.o: an ELF file in a wheel tagged 'any'"
    )


def test_k9_text_relocations(judge: Judge, sdk: dict[str, bytes]) -> None:
    changes = {KERNELS: elf_edit.text_relocations(sdk[KERNELS])}
    assert only(judge.faults("K9", changes)) == f"{KERNELS}: has text relocations"
    assert judge.failing(changes) == {"K9"}


def test_k9_writable_code(judge: Judge, sdk: dict[str, bytes]) -> None:
    changes = {KERNELS: elf_edit.segment_flags(sdk[KERNELS], "PT_LOAD", lambda _: 7)}
    assert only(judge.faults("K9", changes)) == f"{KERNELS}: has a segment that is writable and executable"
    assert judge.failing(changes) == {"K9"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"changes": {"demo/__INIT__.py": b""}}, "demo/__INIT__.py: differs from another name only in case"),
        ({"changes": {"demo/a/b": b"", "demo/a/b/c/d": b""}}, "demo/a/b: is a file, and the folder of other members"),
        ({"changes": {"demo/" + "x" * 256: b""}}, f"demo/{'x' * 256}: the name is longer than file systems allow"),
        ({"changes": {"../evil.py": b""}}, "../evil.py: the name climbs out of its folder with '..'"),
        ({"after_record": {"demo-1.0+cpu.dist-info/licenses/": b""}},
         "demo-1.0+cpu.dist-info/licenses/: a folder entry in .dist-info"),
    ],
)  # fmt: skip
def test_k11_names(judge: Judge, options: dict[str, Any], text: str) -> None:
    assert only(judge.faults("K11", **options)) == text
    assert judge.failing(**options) == {"K11"}


def test_k11_folder_entries_of_published_wheels_are_a_note(judge: Judge) -> None:
    # Without a recipe, and with one that could build it too.
    folder: dict[str, Any] = {"after_record": {"demo-1.0+cpu.dist-info/licenses/": b""}}
    for given in ({"recipe": None}, {"published": True}):
        records, notes = judge.results("K11", **folder, **given)
        assert [record.verdict for record in records] == [Verdict.PASS]
        assert [note.text for note in notes] == ["folder entries in .dist-info: 1"]


def test_k11_name_twice(judge: Judge) -> None:
    subject = judge.subject()
    with zipfile.ZipFile(subject.wheel.path, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("demo/__init__.py", b"")
    doubled = StaticSubject(read_wheel(subject.wheel.path), subject.row, subject.recipe)
    failed = [
        f"{record.id} {record.subject}: {record.reason}"
        for check in STATIC_CHECKS
        for record in run_check(check, doubled)[0]
        if record.verdict is Verdict.FAIL
    ]
    assert failed == ["K11 demo/__init__.py: 2 members have this name"]


def test_k12_debug_information_is_a_note(judge: Judge, build: Build) -> None:
    changes = {PLUGIN: build("libplugin.so", "int x;\n" * 1 + "#include <vector>\nstd::vector<int> v;", "-g")}
    assert judge.faults("K12", changes) == []
    _, notes = judge.results("K12", changes)
    assert only([note.text for note in notes]).startswith("debug information: 0.")


def test_k3_library_renamed_to_be_private(judge: Judge, build: Build) -> None:
    renamed = build("libjpeg.d33e.so.8", "int jpeg() { return 1; }", soname="libjpeg.d33e.so.8")
    user = build("libplugin.so", "int jpeg(); int x() { return jpeg(); }", needs={"libjpeg.d33e.so.8": renamed})
    private = build("libjpeg.d33e.so.8", "int jpeg() { return 1; }", soname="libjpeg.so.8")
    assert judge.failing({"demo/lib/libjpeg.d33e.so.8": private, PLUGIN: user}) == set()
    assert judge.failing({"demo/lib/libjpeg.d33e.so.8": private}) == {"K3"}
