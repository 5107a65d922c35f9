"""H11: a variant that is built without a component."""

from __future__ import annotations

from typing import Any

from orchestrator.report.model import Verdict
from tests.support.judge import KERNELS, RECIPE, Build, Judge, only

WITHOUT: dict[str, Any] = {**RECIPE, "variants": {"cpu": {"local": "cpu", "absent": ["backend_cuda", "kernels"]}}}
COPY = "demo/lib/libother.so"


def test_its_library_ships_all_the_same(judge: Judge) -> None:
    fault = only(judge.faults("H11", recipe=WITHOUT))
    assert fault == f"{KERNELS}: ships, and the variant 'cpu' has no library of 'kernels'"


def test_its_library_ships_under_another_name(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    fault = only(judge.faults("H11", {KERNELS: None, COPY: sdk[KERNELS]}, recipe=WITHOUT))
    assert fault.startswith(f"{COPY}: ships, and the variant 'cpu'")


def test_its_library_ships_with_a_version(judge: Judge, build: Build) -> None:
    place = f"{KERNELS}.1"
    files = {KERNELS: None, place: build("libdemo_kernels.so.1", "int x;")}
    assert only(judge.faults("H11", files, recipe=WITHOUT)).startswith(f"{place}: ships, and the variant 'cpu'")
    files = {KERNELS: None, "demo/lib/libdemo_kernels2.so": build("libdemo_kernels2.so", "int x;")}
    assert judge.faults("H11", files, recipe=WITHOUT) == []


def test_absent_it_is_neither_required_nor_the_owner_of_what_others_hold(judge: Judge, build: Build) -> None:
    runtime = build(
        "libdemo.so",
        (
            "namespace demo { int register_backend(int x) { return x; } int count_backends() { return 1; } "
            "namespace kernels { int add(int a) { return a; } } } "
            'extern "C" int pool_create() { return 2; }'
        ),
    )
    module = build(
        "_C.so",
        "namespace demo { int count_backends(); } "
        'extern "C" void* PyInit__C() { return reinterpret_cast<void*>(demo::count_backends()); }',
        needs={"libdemo.so": runtime},
        soname=None,
        path="$ORIGIN/lib",
    )
    changes = {"demo/lib/libdemo.so": runtime, KERNELS: None, "demo/_C.cpython-311-x86_64-linux-gnu.so": module}
    (record,), _ = judge.results("H11", changes, recipe=WITHOUT)
    assert (record.verdict, record.reason) == (Verdict.PASS, "inspected 2 absent components")
    assert judge.failing(changes, recipe=WITHOUT) == set()
    # With the component expected, the same wheel fails where it should.
    assert {"B1", "B2"} <= judge.failing(changes)


def test_variants_that_leave_nothing_out(judge: Judge) -> None:
    assert not judge.applies("H11")
    assert not judge.applies("H11", recipe=None)
