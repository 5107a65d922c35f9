"""J1, J4, J5, J8: tags, held against what the wheel holds and its recipe says."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.report.model import Verdict
from orchestrator.wheel.platform_tag import is_system_library, measure_tag, measure_versions, tag_glibc
from tests.support import elf_edit
from tests.support.judge import CPU_TAG, KERNELS, RECIPE, Build, Judge, only

PLUGIN = "demo/lib/libplugin.so"


GETRANDOM = '#include <sys/random.h>\nextern "C" long go(void* p) { return getrandom(p, 1, 0); }'
"""Needs GLIBC_2.25."""


def test_j1_other_processor(judge: Judge, sdk: dict[str, bytes]) -> None:
    foreign = {KERNELS: elf_edit.machine(sdk[KERNELS], elf_edit.EM_AARCH64)}
    fault = only(judge.faults("J1", foreign))
    assert fault == f"{KERNELS}: is built for aarch64, the wheel is tagged manylinux_2_28_x86_64"
    assert judge.failing(foreign) == {"J1"}


def test_j1_tag_of_another_processor(judge: Judge) -> None:
    faults = judge.faults("J1", tag="cp311-cp311-manylinux_2_28_aarch64")
    assert faults[0].endswith("is tagged for aarch64, its row for x86_64")
    assert len(faults) == 4
    assert judge.failing(tag="cp311-cp311-manylinux_2_28_aarch64") == {"J1"}


@pytest.mark.parametrize("platform", ["linux_armv7l", "linux_armv6l", "manylinux2014_armv7l.manylinux_2_17_armv7l"])
def test_j1_32_bit_arm(judge: Judge, sdk: dict[str, bytes], platform: str) -> None:
    arm: dict[str, bytes | None] = {
        name: elf_edit.machine(data, 40) for name, data in sdk.items() if data[:4] == b"\x7fELF"
    }
    assert judge.faults("J1", arm, tag=f"cp311-cp311-{platform}", recipe=None) == []
    assert len(judge.faults("J1", tag=f"cp311-cp311-{platform}", recipe=None)) == len(arm)


def test_j1_unknown_platform_and_legacy_spellings(judge: Judge) -> None:
    assert only(judge.faults("J1", tag="cp311-cp311-win_amd64")).endswith(
        "platform tag win_amd64 names no Linux processor"
    )
    for platform in (
        "linux_x86_64",
        "manylinux1_x86_64",
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        "musllinux_1_2_x86_64",
    ):
        assert judge.faults("J1", tag=f"cp311-cp311-{platform}", recipe=None) == []


@pytest.mark.parametrize(
    ("versions", "tag"),
    [
        (set(), "manylinux_2_5_x86_64"),
        ({"GLIBC_2.2.5", "GLIBCXX_3.4", "CXXABI_1.3"}, "manylinux_2_5_x86_64"),
        ({"GLIBC_2.17"}, "manylinux_2_17_x86_64"),
        ({"GLIBC_2.2.5", "GLIBCXX_3.4.24"}, "manylinux_2_27_x86_64"),
        ({"GLIBCXX_3.4.26"}, "manylinux_2_31_x86_64"),
        ({"GLIBC_2.32"}, "manylinux_2_34_x86_64"),
        ({"GLIBC_PRIVATE"}, "linux_x86_64"),
        ({"OPENSSL_3.0.0"}, "manylinux_2_5_x86_64"),
    ],
)
def test_measured_policies(versions: set[str], tag: str) -> None:
    assert measure_versions(versions, "x86_64") == tag


def test_measured_tag_of_a_wheel(judge: Judge) -> None:
    glibc = tag_glibc(measure_tag(judge.subject().wheel, "x86_64"))
    assert glibc is not None
    assert glibc <= (2, 28)
    assert measure_tag(judge.subject().wheel, "vax") == "linux_vax"


@pytest.mark.parametrize(
    ("platform", "glibc"),
    [("manylinux_2_28_x86_64", (2, 28)), ("manylinux2014_aarch64", (2, 17)), ("manylinux1_i686", (2, 5)),
     ("linux_x86_64", None), ("musllinux_1_2_x86_64", None), ("any", None)],
)  # fmt: skip
def test_what_a_tag_promises(platform: str, glibc: Any) -> None:
    assert tag_glibc(platform) == glibc


def test_system_libraries() -> None:
    for name in ("libc.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libz.so.1"):
        assert is_system_library(name, "x86_64")
    assert not is_system_library("libgomp.so.1", "x86_64")
    assert not is_system_library("libc.so.6", "vax")


@pytest.mark.parametrize(
    ("name", "platforms", "is_system"),
    [
        ("libmvec.so.1", ["manylinux_2_28_x86_64"], True), ("libmvec.so.1", ["linux_x86_64"], True),
        ("libmvec.so.1", ["manylinux_2_17_x86_64", "manylinux_2_28_x86_64"], False),
        ("libexpat.so.1", ["manylinux_2_25_x86_64"], True), ("libexpat.so.1", ["manylinux1_x86_64"], False),
        ("libc.musl-x86_64.so.1", ["musllinux_1_2_x86_64"], True), ("libc.so.6", ["musllinux_1_2_x86_64"], False),
        ("libc.musl-x86_64.so.1", ["manylinux_2_28_x86_64"], False),
        ("libc.so.6", ["manylinux_2_28_x86_64", "musllinux_1_2_x86_64"], False),
        ("libz.so.1", ["manylinux_2_28_x86_64", "musllinux_1_2_x86_64"], True),
    ],
)  # fmt: skip
def test_the_promised_policy_says_what_the_system_brings(name: str, platforms: list[str], is_system: bool) -> None:
    assert is_system_library(name, "x86_64", platforms) is is_system


def test_j5_symbols_newer_than_the_tag(judge: Judge, build: Build) -> None:
    changes: dict[str, Any] = {PLUGIN: build("libplugin.so", GETRANDOM)}
    fault = only(judge.faults("J5", changes, tag="cp311-cp311-manylinux_2_17_x86_64"))
    assert fault == f"{PLUGIN}: promised to run on manylinux_2_17_x86_64, its symbols need manylinux_2_26_x86_64"
    records, _ = judge.results("J5", changes, tag="cp311-cp311-manylinux_2_17_x86_64")
    assert records[0].evidence == ("needs GLIBC_2.25 of libc.so.6",)
    assert judge.failing(changes, tag="cp311-cp311-manylinux_2_17_x86_64") == {"J5"}


def test_j5_symbols_of_the_c_library_that_are_nobodys_but_its_own(judge: Judge, build: Build) -> None:
    source = """
        extern "C" int __res_iclose(void*, bool);
        __asm__(".symver __res_iclose,__res_iclose@GLIBC_PRIVATE");
        int use() { return __res_iclose(nullptr, true); }
    """
    changes: dict[str, Any] = {PLUGIN: build("libplugin.so", source)}
    fault = only(judge.faults("J5", changes))
    assert fault.startswith(f"{PLUGIN}: promised to run on manylinux_2_")
    assert fault.endswith(", its symbols are in no manylinux policy")
    records, _ = judge.results("J5", changes)
    assert [one.evidence for one in records] == [("needs GLIBC_PRIVATE of libc.so.6",)]


@pytest.mark.parametrize("platform", ["manylinux_2_25_x86_64", "manylinux_2_28_x86_64", "linux_x86_64"])
def test_j5_tags_that_suffice(judge: Judge, build: Build, platform: str) -> None:
    assert judge.faults("J5", {PLUGIN: build("libplugin.so", GETRANDOM)}, tag=f"cp311-cp311-{platform}") == []


LINUX = {**RECIPE, "matrix": {"python": ["3.11"], "tag": "linux"}}


def test_j4_linux_by_design_is_held_against_no_baseline(judge: Judge, build: Build) -> None:
    changes: dict[str, Any] = {PLUGIN: build("libplugin.so", GETRANDOM)}
    asked: dict[str, Any] = {"recipe": LINUX, "tag": "cp311-cp311-linux_x86_64"}
    records, _ = judge.results("J4", changes, **asked)
    assert [(one.verdict, one.evidence) for one in records] == [(Verdict.PASS, ("measured manylinux_2_26_x86_64",))]
    assert not judge.applies("J5", changes, **asked)
    assert judge.failing(changes, **asked) == set()


def test_j4_a_policys_tag_where_none_is_promised(judge: Judge) -> None:
    assert only(judge.faults("J4", recipe=LINUX)).endswith(
        "is tagged manylinux_2_28_x86_64, its recipe says linux: it needs libraries that no policy allows"
    )
    assert judge.failing(recipe=LINUX) == {"J4"}


def test_j4_no_policys_tag_where_one_is_promised(judge: Judge, build: Build) -> None:
    tag = "cp311-cp311-linux_x86_64"
    fault = only(judge.faults("J4", tag=tag))
    assert fault.endswith("is tagged linux_x86_64, which no index takes; its recipe says manylinux_2_28")
    assert judge.failing(tag=tag) == {"J4"}
    newer: dict[str, Any] = {**RECIPE, "matrix": {"python": ["3.11"], "tag": "manylinux_2_17"}}
    assert judge.failing({PLUGIN: build("libplugin.so", GETRANDOM)}, tag=tag, recipe=newer) == {"J5"}


def test_j4_is_asked_of_recipes_and_linux_only(judge: Judge) -> None:
    assert not judge.applies("J4", recipe=None)
    assert not judge.applies("J4", tag="py3-none-any")


def test_j5_holds_the_recipes_promise_too(judge: Judge, build: Build) -> None:
    recipe = {**RECIPE, "matrix": {"python": ["3.11"], "tag": "manylinux_2_24"}}
    fault = only(judge.faults("J5", {PLUGIN: build("libplugin.so", GETRANDOM)}, recipe=recipe, tag=CPU_TAG))
    assert "promised to run on manylinux_2_24_x86_64" in fault


def test_j5_musl_is_not_run(judge: Judge) -> None:
    records, _ = judge.results("J5", recipe=None, tag="cp311-cp311-musllinux_1_2_x86_64")
    assert [(record.verdict, record.reason) for record in records] == [
        (Verdict.NOT_RUN, "musl has no symbol versions to measure a musllinux tag by")
    ]
    assert not judge.applies("J5", recipe=None, tag="cp311-cp311-linux_x86_64")


PLATFORM = "manylinux_2_28_x86_64"


STABLE = {**RECIPE, "matrix": {**RECIPE["matrix"], "stable-abi": "3.11"}}


def test_j8_tag_of_another_python(judge: Judge) -> None:
    fault = only(judge.faults("J8", tag=f"cp313-cp313-{PLATFORM}"))
    assert fault.endswith("is tagged cp313-cp313, its row is for cp311")
    assert judge.failing(tag=f"cp313-cp313-{PLATFORM}") == {"J8"}


@pytest.mark.parametrize("abi", ["cp311t", "cp311d", "cp310"])
def test_j8_tag_of_another_abi(judge: Judge, abi: str) -> None:
    fault = only(judge.faults("J8", tag=f"cp311-{abi}-{PLATFORM}"))
    assert f"is tagged cp311-{abi}, its row is for cp311 as it is usually built: cp311-cp311" in fault
    assert judge.faults("J8", tag=f"cp311-none-{PLATFORM}") == []


def test_j8_stable_abi_is_claimed_if_and_only_if_the_recipe_says_so(judge: Judge) -> None:
    fault = only(judge.faults("J8", tag=f"cp311-abi3-{PLATFORM}"))
    assert fault.endswith("is tagged cp311-abi3, and its recipe names no matrix.stable-abi")
    assert judge.faults("J8", tag=f"cp311-abi3-{PLATFORM}", recipe=STABLE) == []
    for tag in ("cp311-cp311", "cp39-abi3", "py3-none"):
        fault = only(judge.faults("J8", tag=f"{tag}-{PLATFORM}", recipe=STABLE))
        assert f"is tagged {tag}, and its recipe says that one wheel serves all from Python 3.11 on" in fault
        assert fault.endswith(": cp311-abi3")


def test_j8_below_the_floor_a_wheel_is_its_pythons_own(judge: Judge) -> None:
    recipe = {**RECIPE, "matrix": {**RECIPE["matrix"], "stable-abi": "3.12"}}
    assert judge.faults("J8", recipe=recipe) == []
    assert "names no matrix.stable-abi" in only(judge.faults("J8", tag=f"cp312-abi3-{PLATFORM}", recipe=recipe))


def test_j8_asks_nothing_of_a_wheel_for_no_python_in_particular(judge: Judge) -> None:
    assert not judge.applies("J8", tag="py3-none-any")
    assert not judge.applies("J8", recipe=None)
