"""B16: nothing is defined twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.report.model import Verdict
from tests.support.judge import (
    Build,
    Judge,
    only,
)


def test_b16_duplicates_that_no_component_names(judge: Judge, build: Build) -> None:
    source = 'extern "C" { int twice() { return 1; } int _edata_like() { return 1; } void* PyInit_x() { return 0; } }'
    changes: dict[str, Any] = {f"demo/lib/{name}": build(name, source) for name in ("libone.so", "libtwo.so")}
    fault = only(judge.faults("B16", changes))
    assert fault == "demo/lib/libone.so: 2 symbols are strongly defined here and in demo/lib/libtwo.so: _edata_like"
    _, notes = judge.results("B16", changes, recipe=None)
    assert notes == ()


def test_b16_leaves_programs_for_the_kernel_alone(judge: Judge, second_registry: bytes) -> None:
    kernel = bytearray(second_registry)
    kernel[18:20] = (247).to_bytes(2, "little")  # e_machine: EM_BPF
    assert judge.faults("B16", {"demo/data/filter.o": bytes(kernel)}) == []
    assert judge.faults("B16", {"demo/data/filter.o": second_registry}) != []


def test_b16_leaves_the_standard_library_alone(judge: Judge, build: Build) -> None:
    source = 'extern "C" { int _ZNSt3foo3barEv() { return 1; } int _ZTINSt3fooE = 1; int _ZZNSt1xEvE1y; }'
    changes: dict[str, Any] = {f"demo/lib/{name}": build(name, source) for name in ("libone.so", "libtwo.so")}
    assert judge.faults("B16", changes) == []
    more = source + 'extern "C" int _ZN4Stow3barEv() { return 1; }'
    changes = {f"demo/lib/{name}": build(name, more) for name in ("libone.so", "libtwo.so")}
    assert only(judge.faults("B16", changes)).endswith("demo/lib/libtwo.so: Stow::bar()")


def test_b16_the_runtime_of_cpp_that_is_linked_in_is_not_the_projects(judge: Judge, build: Build) -> None:
    source = """
    #include <stdexcept>
    #include <string>
    extern "C" { int %s() { return 1; } }
    void fail(int x) { throw std::runtime_error(std::to_string(x)); }
    """.replace("void fail", "static __attribute__((used)) void fail")
    flags = ("-static-libstdc++", "-static-libgcc")
    changes: dict[str, Any] = {f"demo/lib/lib{name}.so": build(f"lib{name}.so", source % name, *flags) for name in "ab"}
    assert judge.faults("B16", changes) == []
    own = "#include <new>\n#include <cstdlib>\nvoid* operator new(std::size_t size) { return std::malloc(size); }"
    changes = {f"demo/lib/lib{name}.so": build(f"lib{name}.so", own) for name in "ab"}
    assert only(judge.faults("B16", changes)).endswith("demo/lib/libb.so: operator new(unsigned long)")


@pytest.mark.parametrize(
    ("versions", "meets"),
    [(("DEMO_1", "DEMO_2"), False), (("DEMO_1", "DEMO_1"), True), (("DEMO_1", ""), True), (("", ""), True)],
)
def test_b16_definitions_of_different_versions_do_not_meet(
    judge: Judge, build: Build, tmp_path: Path, versions: tuple[str, str], meets: bool
) -> None:
    changes: dict[str, Any] = {}
    for name, version in zip("ab", versions, strict=True):
        flags = []
        if version:
            script = tmp_path / f"{name}.map"
            script.write_text(f"{version} {{ global: twice; local: *; }};")
            flags = [f"-Wl,--version-script={script}"]
        changes[f"demo/lib/lib{name}.so"] = build(f"lib{name}.so", 'extern "C" int twice() { return 1; }', *flags)
    found = judge.faults("B16", changes)
    wanted = ["demo/lib/liba.so: 1 symbol is strongly defined here and in demo/lib/libb.so: twice"]
    assert found == (wanted if meets else [])


def test_b16_a_version_is_no_symbol(judge: Judge, build: Build, tmp_path: Path) -> None:
    changes: dict[str, Any] = {}
    for name in "ab":
        script = tmp_path / f"{name}.map"
        script.write_text(f"DEMO_1 {{ global: only_{name}; local: *; }};")
        source = f'extern "C" int only_{name}() {{ return 1; }}'
        changes[f"demo/lib/lib{name}.so"] = build(f"lib{name}.so", source, f"-Wl,--version-script={script}")
    assert judge.faults("B16", changes) == []


def test_b16_functions_of_an_assembler_have_no_type(judge: Judge, build: Build) -> None:
    source = 'asm(".globl twice\\n.text\\ntwice: ret");'
    changes: dict[str, Any] = {f"demo/lib/lib{name}.so": build(f"lib{name}.so", source) for name in "ab"}
    assert only(judge.faults("B16", changes)).endswith(
        "1 symbol is strongly defined here and in demo/lib/libb.so: twice"
    )


def test_b16_inline_functions_that_became_strong_are_noted(judge: Judge, build: Build) -> None:
    strong = "namespace demo { int twice() { return 1; } }"
    weak = "namespace demo { inline int twice() { return 1; } } int use() { return demo::twice(); }"
    changes: dict[str, Any] = {f"demo/lib/lib{name}.so": build(f"lib{name}.so", strong) for name in "ab"}
    assert len(judge.faults("B16", changes)) == 1
    changes["demo/lib/libc.so"] = build("libc.so", weak, "-O0")
    records, notes = judge.results("B16", changes)
    assert [record.verdict for record in records] == [Verdict.PASS]
    assert only([f"{note.subject}: {note.text}" for note in notes]) == (
        "demo/lib/liba.so: 1 inline function, weak in other libraries, strongly defined here and in demo/lib/libb.so: "
        "demo::twice()"
    )
