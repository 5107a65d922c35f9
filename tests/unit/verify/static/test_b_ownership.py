"""B1 to B13: who defines what."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge import (
    KERNELS,
    KERNELS_SOURCE,
    MODULE,
    MODULE_SOURCE,
    RECIPE,
    RUNTIME,
    RUNTIME_SOURCE,
    Build,
    Judge,
    only,
)

COMPONENTS: list[dict[str, Any]] = RECIPE["component"]


@pytest.fixture(scope="session")
def fused_module(build: Build) -> bytes:
    """An extension module that contains the runtime instead of needing it."""
    return build("_C.so", RUNTIME_SOURCE + KERNELS_SOURCE + MODULE_SOURCE, soname=None, path="$ORIGIN/lib")


def test_b1_second_definer(judge: Judge, second_registry: bytes) -> None:
    fault = only(judge.faults("B1", {"demo/lib/libdemo_old.so": second_registry}))
    assert fault == "demo::count_backends: defined outside its owner libdemo.so too: demo/lib/libdemo_old.so"
    records, _ = judge.results("B1", {"demo/lib/libdemo_old.so": second_registry})
    assert records[0].evidence == (
        "demo/lib/libdemo.so defines demo::count_backends()",
        "demo/lib/libdemo_old.so defines demo::count_backends()",
    )


def test_b1_says_where_a_link_became_a_copy(judge: Judge, build: Build) -> None:
    runtime = build("libdemo.so", RUNTIME_SOURCE)
    faults = judge.faults("B1", {RUNTIME: runtime, "demo/lib/libdemo.so.1": runtime})
    said = "defined outside its owner libdemo.so too: demo/lib/libdemo.so.1, byte by byte the same"
    assert faults
    assert all(fault.endswith(f": {said}") for fault in faults)


def test_b1_one_definer_who_is_not_the_owner(judge: Judge, second_registry: bytes, build: Build) -> None:
    runtime = build("libdemo.so", "namespace demo { int register_backend(int x) { return x; } }")
    changes = {RUNTIME: runtime, "demo/lib/libdemo_old.so": second_registry}
    assert only(judge.faults("B1", changes)).startswith(
        "demo::count_backends: not defined by its owner libdemo.so, but by"
    )
    assert judge.faults("B4", changes) == []


def test_b1_tolerates_what_the_recipe_lists(judge: Judge, second_registry: bytes) -> None:
    leave = {"library": "demo/lib/libdemo_old.so", "symbols": ["demo::*", "pool_*"], "reason": "kept for old programs"}
    recipe = {**RECIPE, "tolerate": [leave]}
    for check in ("B1", "B13", "B16"):
        assert judge.faults(check, {"demo/lib/libdemo_old.so": second_registry}, recipe=recipe) == []
        assert judge.faults(check, {"demo/lib/libdemo_other.so": second_registry}, recipe=recipe) != []


def test_b1_longer_name_is_another_symbol(judge: Judge, build: Build) -> None:
    other = build("libother.so", "namespace demo { int count_backends_v2() { return 3; } }")
    assert judge.faults("B1", {"demo/lib/libother.so": other}) == []


def test_b1_b7_weak_copy_of_what_the_owner_defines(judge: Judge, build: Build) -> None:
    weak = "namespace demo { __attribute__((weak)) int count_backends() { return 3; } }"
    other = {"demo/lib/libother.so": build("libother.so", weak)}
    assert only(judge.faults("B1", other)).endswith("defined outside its owner libdemo.so too: demo/lib/libother.so")
    records, _ = judge.results("B1", other)
    assert records[0].evidence[-1] == "demo/lib/libother.so defines demo::count_backends(), weakly"
    module = {MODULE: build("_C.so", weak + MODULE_SOURCE, soname=None, path="$ORIGIN/lib")}
    assert only(judge.faults("B7", module)).endswith(
        "the extension module defines 1 symbol of the SDK: demo::count_backends, owned by libdemo.so"
    )
    inline = "namespace demo { inline int other() { return 3; } } int use() { return demo::other(); }"
    assert judge.faults("B1", {"demo/lib/libother.so": build("libother.so", inline)}) == []


def test_b1_inline_members_of_an_owned_class_are_no_copies(judge: Judge, build: Build) -> None:
    header = "namespace demo { struct Pool { int size() { return 1; } int grow(); }; }"
    runtime = build("libdemo.so", RUNTIME_SOURCE + header + "int demo::Pool::grow() { return 2; }")
    other = build("libother.so", header + "int use(demo::Pool& pool) { return pool.size(); }", "-O0")
    owner = {**COMPONENTS[0], "owns": [*COMPONENTS[0]["owns"], "demo::Pool"]}
    recipe = {**RECIPE, "component": [owner, *COMPONENTS[1:]]}
    assert judge.faults("B1", {RUNTIME: runtime, "demo/lib/libother.so": other}, recipe=recipe) == []


def test_b2_missing_component(judge: Judge) -> None:
    fault = only(judge.faults("B2", {KERNELS: None}))
    assert fault == "libdemo_kernels.so: the library of the component 'kernels' is not in the wheel"


def test_b2_asks_the_row_and_leaves_cuda_to_h1(judge: Judge) -> None:
    arm = {"name": "arm", "library": "libdemo_arm.so", "required": "linux-x86_64"}
    never = {**arm, "required": "never"}
    assert "component 'arm'" in only(judge.faults("B2", recipe={**RECIPE, "component": [*COMPONENTS, arm]}))
    for variant in ("cpu", "cuda-13.0"):
        assert judge.faults("B2", variant=variant) == []
        assert judge.faults("B2", recipe={**RECIPE, "component": [*COMPONENTS, never]}, variant=variant) == []
    cuda = [one for one in COMPONENTS if one.get("required") == "cuda"]
    alone = {**RECIPE, "component": cuda, "extension": None}
    assert not judge.applies("B2", recipe=alone, variant="cuda-13.0")
    assert judge.applies("H1", recipe=alone, variant="cuda-13.0")


def test_b3_component_defines_nothing(judge: Judge, build: Build) -> None:
    hollow = build("libdemo_kernels.so", "namespace demo { namespace kernels { int plus() { return 1; } } }")
    fault = only(judge.faults("B3", {KERNELS: hollow}))
    assert fault.endswith("defines none of the symbols that the component 'kernels' owns")
    records, _ = judge.results("B3", {KERNELS: hollow})
    assert records[0].evidence == ("demo::kernels::add: not defined",)
    assert judge.faults("B4", {KERNELS: hollow}) == []


def test_b3_weak_definition_is_b15_s(judge: Judge, build: Build) -> None:
    weak = KERNELS_SOURCE.replace("int add", "__attribute__((weak)) int add")
    assert judge.faults("B3", {KERNELS: build("libdemo_kernels.so", weak)}) == []


def test_b4_partly_defined(judge: Judge, build: Build) -> None:
    runtime = build("libdemo.so", "namespace demo { int count_backends() { return 1; } }")
    fault = only(judge.faults("B4", {RUNTIME: runtime}))
    assert fault.endswith("the component 'runtime' is not complete: demo::register_backend is not defined")
    assert judge.faults("B3", {RUNTIME: runtime}) == []


def test_b6_damaged_library_is_no_other_checks_fault(judge: Judge, sdk: dict[str, bytes]) -> None:
    for data in (sdk[KERNELS][: len(sdk[KERNELS]) // 8], b"\x7fELF", b"", sdk[KERNELS][:5000]):
        assert judge.failing({KERNELS: data}) == {"B6"}
    assert "cannot be read as ELF" in only(judge.faults("B6", {KERNELS: b"\x7fELF"}))
    assert only(judge.faults("B6", {KERNELS: sdk[KERNELS][:5000]})).endswith("parts of it cannot be read")


def test_b6_what_the_loader_does_not_take_under_that_name(judge: Judge, sdk: dict[str, bytes]) -> None:
    dump = bytearray(sdk[KERNELS])
    dump[16] = 4  # e_type: ET_CORE
    fault = only(judge.faults("B6", {KERNELS: bytes(dump)}))
    assert fault == f"{KERNELS}: is named as a shared object, and is of the ELF type core"
    assert judge.failing({"demo/lib/dump.1": bytes(dump)}, recipe=None) == set()


def test_b6_debug_information_alone_is_no_damage_and_no_library(
    judge: Judge, sdk: dict[str, bytes], tmp_path: Path
) -> None:
    whole, split = tmp_path / "whole.so", tmp_path / "split.debug"
    whole.write_bytes(sdk[KERNELS])
    subprocess.run(["objcopy", "--only-keep-debug", str(whole), str(split)], check=True)
    assert judge.failing({f"{KERNELS}.debug": split.read_bytes()}, recipe=None) == set()
    fault = only(judge.faults("B6", {KERNELS: split.read_bytes()}))
    assert fault == f"{KERNELS}: is named as a shared object, and holds debug information alone"


def test_b7_module_contains_the_sdk(judge: Judge, fused_module: bytes) -> None:
    fault = only(judge.faults("B7", {MODULE: fused_module}))
    assert (
        fault
        == f"{MODULE}: the extension module defines 4 symbols of the SDK: demo::register_backend, owned by libdemo.so"
    )
    assert judge.failing({MODULE: fused_module}) == {"B1", "B7", "B8", "B9", "B13", "B16"}


@pytest.mark.parametrize("check", ["B7", "B8", "B9"])
def test_no_module_at_all_is_a_fault(judge: Judge, check: str) -> None:
    assert "inspected nothing" in only(judge.faults(check, {MODULE: None}))


def test_b8_module_lost_a_library(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    source = MODULE_SOURCE.replace("demo::kernels::add(1)", "1")
    module = build("_C.so", source, needs={"libdemo.so": sdk[RUNTIME]}, soname=None, path="$ORIGIN/lib")
    assert (
        only(judge.faults("B8", {MODULE: module})) == f"{MODULE}: the extension module does not need libdemo_kernels.so"
    )


def test_b8_b9_ask_for_nothing_that_the_row_does_not_have(judge: Judge, sdk: dict[str, bytes]) -> None:
    extension = {
        "modules": ["demo/_C*.so"],
        "needs": ["runtime", "kernels", "backend_cuda"],
        "calls": ["demo::count_backends", "demo::cuda::stream", "demo::cuda::Stream::get"],
    }
    components = [
        {**one, "owns": ["demo::cuda::stream", "demo::cuda::Stream"]} if one["name"] == "backend_cuda" else one
        for one in COMPONENTS
    ]
    recipe = {**RECIPE, "extension": extension, "component": components}
    for check in ("B8", "B9"):
        assert judge.faults(check, recipe=recipe) == []
        assert judge.faults(check, {"demo/lib/libdemo_cuda.so": sdk[KERNELS]}, recipe=recipe) == []
    there = {"demo/lib/libdemo_cuda.so": sdk[KERNELS]}
    fault = only(judge.faults("B8", there, recipe=recipe, variant="cuda-13.0"))
    assert fault == f"{MODULE}: the extension module does not need libdemo_cuda.so"
    faults = judge.faults("B9", there, recipe=recipe, variant="cuda-13.0")
    assert [fault.split(" import ")[1].split(": a ")[0] for fault in faults] == extension["calls"][1:]


def test_b9_hidden_copy(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    source = RUNTIME_SOURCE.replace("int count", '__attribute__((visibility("hidden"))) int count')
    both = {"libdemo.so": sdk[RUNTIME], "libdemo_kernels.so": sdk[KERNELS]}
    module = build("_C.so", source + MODULE_SOURCE, "-Wl,--no-as-needed", needs=both, soname=None, path="$ORIGIN/lib")
    fault = only(judge.faults("B9", {MODULE: module}))
    assert (
        fault
        == f"{MODULE}: the extension module does not import demo::count_backends: a hidden copy, or no call at all"
    )


def test_b11_component_with_another_soname(judge: Judge, build: Build) -> None:
    other = build("libdemo_kernels.so", KERNELS_SOURCE, soname="libdemo_kernels.so.1", needs=None)
    fault = only(judge.faults("B11", {KERNELS: other}))
    assert fault == f"{KERNELS}: its SONAME is libdemo_kernels.so.1, not its file name libdemo_kernels.so"
    assert not judge.applies("K3", {KERNELS: other})


def test_b11_soname_with_a_path(judge: Judge, build: Build) -> None:
    plugin = build("libplugin.so", "int x;", soname="/opt/libplugin.so")
    for recipe in (RECIPE, None):
        fault = only(judge.faults("B11", {"demo/libplugin.so": plugin}, recipe=recipe))
        assert fault == "demo/libplugin.so: its SONAME is a path: /opt/libplugin.so"


def test_b11_component_without_soname(judge: Judge, build: Build) -> None:
    bare = build("libdemo_kernels.so", KERNELS_SOURCE, soname=None)
    assert "its SONAME is absent" in only(judge.faults("B11", {KERNELS: bare}))


def test_b13_bundled_code(judge: Judge, second_registry: bytes, build: Build) -> None:
    fault = only(judge.faults("B13", {"demo/lib/libdemo_old.so": second_registry}))
    assert fault == "pool_create: defined outside its owner libdemo.so too: demo/lib/libdemo_old.so"
    gone = build("libdemo.so", RUNTIME_SOURCE.replace("pool_create", "pool_make"))
    assert only(judge.faults("B13", {RUNTIME: gone})).endswith("component 'runtime', and defined by no library")
