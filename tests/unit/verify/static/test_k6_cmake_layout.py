"""K6: find_package finds each CMake package on systems of both families."""

from __future__ import annotations

import pytest

from orchestrator.verify.static.k6_cmake_layout import is_found
from tests.support.judge import CONFIG, RECIPE, VERSION_FILE, Judge, only


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
