"""CMake's reply, in the shapes that CMake 3.24 and 4.4 write."""

import json

import pytest

from orchestrator.verify.dynamic.fileapi import compile_flags, link_line

GROUP: dict[str, object] = {
    "language": "CXX",
    "includes": [{"path": "/w/site/demo/include"}, {"path": "/w/site/demo/c10", "isSystem": True}],
    "defines": [{"define": "DEMO=1"}],
}


def reply(group: dict[str, object]) -> dict[str, bytes]:
    target = {"name": "app", "type": "EXECUTABLE", "compileGroups": [group]}
    return {
        "build/.cmake/api/v1/reply/index-2026.json": b"{}",
        "build/.cmake/api/v1/reply/target-app-Release-0a1b.json": json.dumps(target).encode(),
    }


@pytest.mark.parametrize(
    "how",
    [{"languageStandard": {"standard": "17"}}, {"compileCommandFragments": [{"fragment": "-O3 -std=gnu++17"}]}],
)
def test_flags_become_arguments(how: dict[str, object]) -> None:
    flags = compile_flags(reply(GROUP | how), "app")
    assert flags is not None
    assert flags.arguments == ("-std=c++17", "-DDEMO=1", "-I/w/site/demo/include", "-I/w/site/demo/c10")


def test_another_target_or_language_is_not_taken() -> None:
    assert compile_flags(reply(GROUP), "other") is None
    assert compile_flags(reply(GROUP | {"language": "C"}), "app") is None


def test_the_link_line_is_given_as_it_is() -> None:
    target = {
        "name": "app",
        "link": {"commandFragments": [{"fragment": "-O3", "role": "flags"}, {"fragment": "/w/a.so"}]},
    }
    collected = {"build/.cmake/api/v1/reply/target-app-Release-0a1b.json": json.dumps(target).encode()}
    assert link_line(collected, "app") == ("-O3", "/w/a.so")
    assert link_line(collected, "other") is None
    assert link_line(reply(GROUP), "app") == ()
