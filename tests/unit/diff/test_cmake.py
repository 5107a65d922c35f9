"""CMake packages and the targets that their files name."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.diff.cmake import LONGEST, cmake_packages, target_names
from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel

FUNCTION = """
function(_define suffix library)  # demo::comment
  if(EXISTS "lib${library}.so")
    add_library(demo::${suffix} SHARED IMPORTED)
  endif()
endfunction()
_define(pool demo_pool)
_define(
  kernels demo_kernels OPT_IN
)
_define(${computed} x)
"""
LOOP = """
foreach(part IN ITEMS runtime delegate)
  add_library(demo::${part} SHARED IMPORTED)
endforeach()
foreach(part IN LISTS parts)
  add_library(demo::${part} SHARED IMPORTED)
endforeach()
"""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("add_library(demo::runtime SHARED IMPORTED)", {"demo::runtime"}),
        (
            "ADD_LIBRARY( _portable_lib STATIC IMPORTED )\nadd_executable(demo::tool IMPORTED)",
            {"_portable_lib", "demo::tool"},
        ),
        ("if(NOT TARGET Demo::runtime)", {"Demo::runtime"}),
        ("# target_link_libraries(app demo::old)\nset(X demo::new)", {"demo::new"}),
        ("add_library(Other::a ALIAS b)\nset(X Other::c std::move torch::x)", {"Other::a", "Other::c"}),
        ("set(X ${demo}::a $<TARGET_FILE:demo::b>)", {"demo::b"}),
        (FUNCTION, {"demo::pool", "demo::kernels"}),
        (LOOP, {"demo::runtime", "demo::delegate"}),
        ("function(open a)\nadd_library(demo::${a} SHARED IMPORTED)\nopen(x)", set()),
        ("", set()),
    ],
)
def test_names(text: str, names: set[str]) -> None:
    assert target_names("demo", text) == names


@pytest.mark.parametrize(
    "part", ["function(f a b", "function(f a)", "foreach(a b c)\n", "f(", "a.", "#", "x::", "add_library( ("]
)
def test_endless_text_ends(part: str) -> None:
    assert target_names("demo", part * (2 * LONGEST // len(part)) + "demo::late") == set()


def test_packages_that_came_went_and_changed(tmp_path: Path) -> None:
    def wheel(word: str, files: dict[str, bytes]) -> Path:
        (tmp_path / word).mkdir()
        return make_wheel(tmp_path / word, files, name="demo")

    same = {"demo/lib/cmake/same/same-config.cmake": b"add_library(same::x SHARED IMPORTED)"}
    before = wheel(
        "old",
        {
            "demo/share/cmake/demo/demo-config.cmake": b"add_library(_portable SHARED IMPORTED)",
            "demo/lib/cmake/gone/GoneConfig.cmake": b"",
            **same,
        },
    )
    after = wheel(
        "new",
        {
            "demo/share/cmake/demo/demo-config.cmake": b"include(demo-targets.cmake)",
            "demo/share/cmake/demo/demo-targets.cmake": b"add_library(demo::pool SHARED IMPORTED)",
            "demo/lib/cmake/came/came-config.cmake": b"add_library(came::x SHARED IMPORTED)",
            **same,
        },
    )
    old, new = read_wheel(before), read_wheel(after)
    found = {one.package: one for one in cmake_packages(old, new)}
    assert {name: one.how for name, one in found.items()} == {"came": "added", "demo": "changed", "Gone": "removed"}
    assert (found["demo"].names.removed, found["demo"].names.added) == (("_portable",), ("demo::pool",))
    assert not found["demo"].configs
    assert found["came"].configs.added == ("demo/lib/cmake/came/came-config.cmake",)
    assert cmake_packages(new, new) == ()
