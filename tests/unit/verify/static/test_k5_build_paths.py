"""K5: no file names a path of the machine that built it."""

from __future__ import annotations

import pytest

from orchestrator.verify.static.search import is_toolkit
from tests.support.judge import CONFIG, RUNTIME, Judge, only


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (CONFIG, 'set(X "/home/me/build/demo")', "/home/me/build/demo"),
        (CONFIG, 'set(X "$<BUILD_INTERFACE:/project/build/include>")', "/project/build/include"),
        (CONFIG, "set(X -L/usr/local/cuda-12.6/lib64)", "/usr/local/cuda-12.6/lib64"),
        ("demo/lib/pkgconfig/demo.pc", "prefix=/tmp/tmp1x/install\n", "/tmp/tmp1x/install"),
        ("demo/bin/demo-config", "#!/bin/sh\nlibs='-I/work/build/include'\n", "/work/build/include"),
        ("demo/bin/demo-config", "#!/tmp/build-env-x1/bin/python\nprint()\n", "/tmp/build-env-x1/bin/python"),
        (CONFIG, "set(X /share/home/me/build/include)", "/share/home/me/build/include"),
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
