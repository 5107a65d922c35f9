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
from orchestrator.verify.static.k6_cmake_layout import is_found
from orchestrator.verify.static.search import is_toolkit
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support import elf_edit
from tests.support.elves import MACHINES
from tests.support.judge import CONFIG, KERNELS, MODULE, RECIPE, RUNTIME, VERSION_FILE, Build, Judge, only

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


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (CONFIG, 'set(X "/home/me/build/demo")', "/home/me/build/demo"),
        (CONFIG, 'set(X "$<BUILD_INTERFACE:/project/build/include>")', "/project/build/include"),
        (CONFIG, "set(X -L/usr/local/cuda-12.6/lib64)", "/usr/local/cuda-12.6/lib64"),
        ("demo/lib/pkgconfig/demo.pc", "prefix=/tmp/tmp1x/install\n", "/tmp/tmp1x/install"),
        ("demo/bin/demo-config", "#!/bin/sh\nlibs='-I/work/build/include'\n", "/work/build/include"),
        ("demo/bin/demo-config", "#!/tmp/build-env-x1/bin/python\nprint()\n", "/tmp/build-env-x1/bin/python"),
        (CONFIG, "set(X /usr/src/app/build/include)", "/usr/src/app/build/include"),
        (
            CONFIG,
            'set(X "/usr/local/lib/python3.11/site-packages/torch/include")',
            "/usr/local/lib/python3.11/site-packages/torch/include",
        ),
        (CONFIG, 'message(STATUS "x")\nset(Y /home/me/build)', "/home/me/build"),
    ],
)
def test_k5_build_paths(judge: Judge, path: str, text: str, found: str) -> None:
    assert (
        only(judge.faults("K5", {path: text.encode()})) == f"{path}: names a path of the machine that built it: {found}"
    )
    assert judge.failing({path: text.encode()}) == {"K5"}


@pytest.mark.parametrize(
    "text",
    [
        "# /home/me/build/demo",
        'set(X "${CMAKE_CURRENT_LIST_DIR}/../lib/libdemo.so")',
        'find_library(M NAMES m HINTS /usr/lib/x86_64-linux-gnu "C:/Program Files/x")',
        'string(REGEX REPLACE "/[^/]*$" "" X "https://example.org/a/b")',
        "add_compile_options(/W4 /wd4996)",
        'message(FATAL_ERROR "Set demo_ROOT, as in /opt/demo/1.0")',
        'set(HELP "the folder, such as /path/to/demo/lib")',
        'string(REGEX REPLACE "/share/cmake/demo$" "" ROOT "${CMAKE_CURRENT_LIST_DIR}")',
        "set(X /usr/src/linux)",
        "#[==[.rst:\nsee /home/user/demo/build\n#]==]\nset(X 1)",
    ],
)
def test_k5_paths_that_are_none(judge: Judge, text: str) -> None:
    assert judge.faults("K5", {CONFIG: text.encode()}) == []


def test_k5_a_program_is_no_script(judge: Judge, sdk: dict[str, bytes]) -> None:
    program = sdk[RUNTIME] + b'\nset(X "/home/me/build/demo")\n'
    assert judge.faults("K5", {"demo/bin/demo-config": program}) == []


def test_k5_the_prefix_of_a_pkg_config_file(judge: Judge) -> None:
    path = "demo/lib/pkgconfig/demo.pc"
    here = {path: b"prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\n"}
    assert judge.faults("K5", here) == []
    system = {path: b"Name: demo\nprefix=/usr/local\nlibdir=${prefix}/lib\n"}
    text = "has the prefix /usr/local, where the wheel installs nothing"
    assert only(judge.faults("K5", system)) == f"{path}: {text}"
    assert judge.failing(system) == {"K5"}
    assert judge.failing(system, published=True) == set()
    _, notes = judge.results("K5", system, recipe=None)
    assert [(note.subject, note.text) for note in notes] == [(path, text)]


@pytest.mark.parametrize(
    "path",
    ["demo/share/Modules/Look.cmake", "demo/share/Modules/UsePkgConfig.cmake", "demo/lib/cmake/demo/FindThing.cmake"],
)
def test_k5_modules_may_look_for_things_but_not_where_builds_are_done(judge: Judge, path: str) -> None:
    hints = b"find_path(X NAMES x.h PATHS /sw/local/include /opt/thing/include)\n"
    assert judge.faults("K5", {path: hints}) == []
    fault = only(judge.faults("K5", {path: hints + b"#[[ /home/doc/x ]] set(Y 1)\nset(X /work/build/include)\n"}))
    assert fault == f"{path}: names a path of the machine that built it: /work/build/include"
    assert judge.results("K5", {path: hints.replace(b"/opt", b"/tmp")})[0][0].evidence == (
        "line 1: /tmp/thing/include",
    )
    assert judge.failing({CONFIG: b"set(X /opt/thing/include)"}) == {"K5"}


@pytest.mark.parametrize(
    ("path", "toolkit"),
    [
        ("/usr/local/cuda", True), ("/opt/cuda/lib64", True), ("/usr/local/cuda-13.0/targets/x86_64-linux/lib", True),
        ("/x/nvidia/cuda_runtime/lib", True), ("/home/me/cuda-demo/lib", False), ("/home/cuda", False),
        ("/x/nvidia/drivers/lib", False), ("/opt/cudalike/lib", False), ("/usr/local/cuda-stuff", False),
    ],
)  # fmt: skip
def test_toolkit_paths_by_component(path: str, toolkit: bool) -> None:
    assert is_toolkit(path) is toolkit


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("other/lib64/cmake/other/other-config.cmake", "a RHEL-like one"),
        ("other/lib64/other-2.1/OtherConfig.cmake", "a RHEL-like one"),
        ("other/lib/x86_64-linux-gnu/cmake/other/other-config.cmake", "a Debian-like one"),
    ],
)
def test_k6_package_of_one_family(judge: Judge, path: str, family: str) -> None:
    assert only(judge.faults("K6", {path: b""})) == f"{path}: the CMake package other is found only by {family}"
    assert judge.failing({path: b"", "other/share/cmake/other/other-config.cmake": b""}) == set()


@pytest.mark.parametrize("path", ["other/lib/cmake/other/OtherConfig.cmake", "other/cmake/OtherConfig.cmake"])
def test_k6_package_of_both_families(judge: Judge, path: str) -> None:
    assert judge.failing({path: b""}) == set()


def test_k6_prefix_that_the_recipe_promises(judge: Judge, sdk: dict[str, bytes]) -> None:
    changes = {CONFIG: None, "demo/data/demo-config.cmake": sdk[CONFIG]}
    fault = only(judge.faults("K6", changes))
    assert fault == "demo: with the prefix demo, find_package(demo) does not find the package"


@pytest.mark.parametrize(
    ("config", "prefix", "found"),
    [
        ("a/lib/cmake/demo/demo-config.cmake", "a", True),
        ("a/lib/cmake/Demo-1.2/demo-config.cmake", "a", True),
        ("a/share/demo/cmake/demo-config.cmake", "a", True),
        ("a/demo-config.cmake", "a", True),
        ("a/cmake/demo-config.cmake", "a", True),
        ("site/demo/share/cmake/demo/demo-config.cmake", "site", True),
        ("a/lib/cmake/demo/demo-config.cmake", "a/lib/cmake", True),
        ("a/lib64/cmake/demo/demo-config.cmake", "a", False),
        ("a/share/cmake/demo-config.cmake", "a", False),
        ("a/lib/cmake/other/demo-config.cmake", "a", False),
        ("ab/lib/cmake/demo/demo-config.cmake", "a", False),
        ("a/demo/CMake/demo-config.cmake", "a", True),
        ("a/lib/DEMO/CMake/demo-config.cmake", "a", True),
        ("a/Lib/cmake/demo/demo-config.cmake", "a", False),
        ("a/Share/demo/demo-config.cmake", "a", False),
        ("a/lib/CMake/demo/demo-config.cmake", "a", False),
        ("a/demo/cmake/demo-1/demo-config.cmake", "a", True),
    ],
)
def test_search_of_find_package(config: str, prefix: str, found: bool) -> None:
    """As 3.24.3 and 4.4.5 themselves answered for these and some thousand more."""
    assert is_found(config, prefix, "demo") is found


def test_search_of_an_older_find_package() -> None:
    assert not is_found("a/demo/cmake/demo-1/demo-config.cmake", "a", "demo", "3.24")
    assert is_found("a/demo/cmake/demo-config.cmake", "a", "demo", "3.24")


def test_k6_a_promised_prefix_may_lie_below_lib64(judge: Judge, sdk: dict[str, bytes]) -> None:
    place = "demo/lib64/cmake/demo/demo-config.cmake"
    changes = {CONFIG: None, VERSION_FILE: None, place: sdk[CONFIG], place[:-6] + "-version.cmake": sdk[VERSION_FILE]}
    promised = {**RECIPE, "cmake": {**RECIPE["cmake"], "prefixes": ["demo/lib64/cmake"]}}
    assert judge.faults("K6", changes, recipe=promised) == []
    assert only(judge.faults("K6", changes)) == (
        "demo: with the prefix demo, find_package(demo) does not find the package; a RHEL-like one may"
    )
    assert only(judge.faults("K6", changes, recipe=None)).endswith("is found only by a RHEL-like one")


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
