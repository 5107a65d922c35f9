"""B5, B10, B14, B15: which files ship, what is tolerated twice, and what sentinels are worth."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.judge import KERNELS, KERNELS_SOURCE, MODULE, RECIPE, RUNTIME, Build, Judge, only

COMPONENTS: list[dict[str, Any]] = RECIPE["component"]
OLD = "demo/lib/libdemo_old.so"


@pytest.fixture(scope="session")
def second_registry(build: Build) -> bytes:
    """A library that defines an owned symbol of the runtime once more."""
    return build("libdemo_old.so", "namespace demo { int count_backends() { return 3; } }")


def tolerating(symbols: list[str], library: str = OLD) -> dict[str, Any]:
    return {**RECIPE, "tolerate": [{"library": library, "symbols": symbols, "reason": "kept for old programs"}]}


def test_b5_one_component_s_copy(judge: Judge, second_registry: bytes) -> None:
    recipe = tolerating(["demo::count_backends*"])
    assert judge.failing({OLD: second_registry}, recipe=recipe) == set()
    assert judge.faults("B5", {OLD: second_registry}, recipe=recipe) == []


def test_b5_asks_nothing_of_a_library_that_does_not_ship(judge: Judge) -> None:
    assert not judge.applies("B5", recipe=tolerating(["demo::count_backends*"]))
    assert not judge.applies("B5")


def test_b5_symbols_of_several_components(judge: Judge, second_registry: bytes) -> None:
    fault = only(judge.faults("B5", {OLD: second_registry}, recipe=tolerating(["demo::*"])))
    assert fault == f"{OLD}: symbols of 2 components are tolerated at once: 'runtime', 'kernels'"


def test_b5_leave_that_nothing_needs_any_more(judge: Judge, second_registry: bytes, build: Build) -> None:
    recipe = tolerating(["demo::count_backends*", "demo::kernels::a*"])
    fault = only(judge.faults("B5", {OLD: second_registry}, recipe=tolerating(["demo::count_backends*", "pool_*"])))
    assert fault == f"{OLD}: a leave that nothing needs any more: no second copy there is of pool_*"
    other = build("libdemo_old.so", "int other() { return 3; }")
    assert "no second copy there is of demo::count_backends*, demo::kernels::a*" in " ".join(
        judge.faults("B5", {OLD: other}, recipe=recipe)
    )


def test_b5_another_overload_of_an_owned_name_is_a_copy_too(judge: Judge, build: Build) -> None:
    overload = build("libdemo_old.so", "namespace demo { int count_backends(long) { return 3; } }")
    assert judge.faults("B5", {OLD: overload}, recipe=tolerating(["demo::count_backends*"])) == []


def test_b5_extension_and_component_are_never_excused(judge: Judge, build: Build) -> None:
    kernels = build("libdemo_kernels.so", KERNELS_SOURCE + "namespace demo { int count_backends() { return 2; } }")
    fault = only(judge.faults("B5", {KERNELS: kernels}, recipe=tolerating(["demo::count_backends*"], KERNELS)))
    assert fault == f"{KERNELS}: is the library of the component 'kernels', which programs link beside the owner"
    faults = judge.faults("B5", recipe=tolerating(["demo::count_backends*"], MODULE))
    assert faults[0].startswith(f"{MODULE}: is an extension module, and no second copy may be tolerated there")


LIBRARIES = {**RECIPE, "libraries": {"folders": ["demo/lib"]}}


def test_b10_components_only(judge: Judge) -> None:
    records, _ = judge.results("B10", recipe=LIBRARIES)
    assert [record.reason for record in records] == ["inspected 2 libraries"]
    assert not judge.applies("B10")


@pytest.mark.parametrize("name", ["libdemo.so.1", "libdemo_v1.so", "liblibdemo.so", "libdemo.a", "plugin.dll"])
def test_b10_whole_names(judge: Judge, second_registry: bytes, name: str) -> None:
    fault = only(judge.faults("B10", {f"demo/lib/{name}": second_registry}, recipe=LIBRARIES))
    assert fault == (f"demo/lib/{name}: is neither a component's library nor among libraries.others of the recipe")


def test_b10_elf_file_of_any_name_but_no_other_files_or_folders(judge: Judge, second_registry: bytes) -> None:
    assert "demo/lib/tool:" in only(judge.faults("B10", {"demo/lib/tool": second_registry}, recipe=LIBRARIES))
    others = {"demo/lib/README": b"x", "demo/lib/plugins/libother.so": second_registry, OLD[5:]: second_registry}
    assert judge.faults("B10", others, recipe=LIBRARIES) == []


def test_b10_others_match_whole_names(judge: Judge, second_registry: bytes) -> None:
    allowed = {"library": r"libdemo_o\w+\.so", "reason": "kept for old programs"}
    recipe = {**RECIPE, "libraries": {"folders": ["demo/lib"], "others": [allowed]}}
    assert judge.faults("B10", {OLD: second_registry}, recipe=recipe) == []
    assert len(judge.faults("B10", {f"{OLD}.1": second_registry}, recipe=recipe)) == 1


def test_b10_folder_without_a_library(judge: Judge) -> None:
    recipe = {**RECIPE, "libraries": {"folders": ["demo/lib", "demo/lib64"]}}
    assert only(judge.faults("B10", recipe=recipe)) == "demo/lib64: holds no library at all"


MEMBERS = {
    **RECIPE,
    "member": [
        {"path": "demo/_C.*.so", "ships": True, "reason": "the package imports it"},
        {"path": "*/libVendor*.so", "ships": False, "reason": "may not be passed on"},
    ],
}


def test_b14_members(judge: Judge) -> None:
    assert judge.faults("B14", recipe=MEMBERS) == []
    assert not judge.applies("B14")
    assert only(judge.faults("B14", {MODULE: None}, recipe=MEMBERS)) == (
        "demo/_C.*.so: nothing of this name ships: the package imports it"
    )


def test_b14_members_of_some_processors(judge: Judge) -> None:
    rule = {"path": "demo/vendor.so", "ships": True, "reason": "the vendor's side"}

    def asked(*arch: str) -> dict[str, Any]:
        return {**RECIPE, "member": [{**rule, "arch": arch}]}

    assert only(judge.faults("B14", recipe=asked("x86_64", "aarch64"))).startswith("demo/vendor.so: nothing of this")
    assert not judge.applies("B14", recipe=asked("aarch64"))
    with pytest.raises(ValidationError, match="aarch64"):
        judge.applies("B14", recipe=asked("arm64"))


@pytest.mark.parametrize("folder", ["demo/lib", "demo/li?", "demo"])
def test_b14_a_folder_stands_for_what_is_in_it(judge: Judge, folder: str) -> None:
    rules = [{"path": folder, "ships": ships, "reason": "libraries of the SDK"} for ships in (True, False)]
    assert judge.faults("B14", recipe={**MEMBERS, "member": rules[:1]}) == []
    (said,) = judge.faults("B14", recipe={**MEMBERS, "member": rules[1:]})
    assert f"though nothing that matches {folder} may: libraries of the SDK" in said
    assert judge.faults("B14", recipe={**MEMBERS, "member": [{**rules[1], "path": "demo/l"}]}) == []


def test_b14_forbidden_members(judge: Judge, second_registry: bytes) -> None:
    one = {"demo/backends/libVendorA.so": second_registry}
    assert only(judge.faults("B14", one, recipe=MEMBERS)) == (
        "demo/backends/libVendorA.so: ships though nothing that matches */libVendor*.so may: may not be passed on"
    )
    two = {**one, "demo/lib/libVendorB.so": second_registry}
    assert ": ships, and 1 more, though" in only(judge.faults("B14", two, recipe=MEMBERS))


def test_b15_weak_sentinel(judge: Judge, build: Build) -> None:
    weak = build("libdemo_kernels.so", KERNELS_SOURCE.replace("int add", "__attribute__((weak)) int add"))
    fault = only(judge.faults("B15", {KERNELS: weak}))
    assert fault == f"demo::kernels::add: owned by the component 'kernels', and only a weak symbol in {KERNELS}"
    assert judge.failing({KERNELS: weak}) == {"B15"}


def test_b15_inline_function_is_weak(judge: Judge, build: Build) -> None:
    source = """namespace demo { inline int count_backends() { return 1; } int register_backend(int x)
    { return x + count_backends(); } int (*keep)() = &count_backends; } extern "C" int pool_create() { return 2; }"""
    assert only(judge.faults("B15", {RUNTIME: build("libdemo.so", source, "-O0")})).startswith("demo::count_backends:")


def test_b15_family_is_listed_completely(judge: Judge, build: Build) -> None:
    components = [{**one, "owns-all": ["demo::kernels::*"]} if one["name"] == "kernels" else one for one in COMPONENTS]
    recipe = {**RECIPE, "component": components}
    assert judge.faults("B15", recipe=recipe) == []
    more = KERNELS_SOURCE + "namespace demo { namespace kernels { int mul() { return 1; } int sub() { return 1; } } }"
    kernels = build("libdemo_kernels.so", more)
    assert judge.faults("B15", {KERNELS: kernels}) == []
    assert only(judge.faults("B15", {KERNELS: kernels}, recipe=recipe)) == (
        f"{KERNELS}: defines demo::kernels::mul() and 1 more, which the component 'kernels' should list under owns"
    )
    elsewhere = {"demo/lib/libother.so": build("libother.so", more.replace("add", "div"))}
    assert judge.faults("B15", elsewhere, recipe=recipe) == []
