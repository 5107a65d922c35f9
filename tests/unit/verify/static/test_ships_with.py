"""E6 and B12: what ships if and only if a component's library does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.judge import KERNELS, RECIPE, Changes, Judge, only

KEYS = {"E6": "headers", "B12": "companions"}
HEADER = "demo/include/demo/cuda/stream.h"
TOOL = "demo/bin/cuda_tool.py"


def recipe(key: str) -> dict[str, Any]:
    components = [
        {**one, key: ["demo/include/demo/cuda/*.h", "demo/bin/cuda_*"]} if one["name"] == "backend_cuda" else one
        for one in RECIPE["component"]
    ]
    return {**RECIPE, "component": components}


@pytest.mark.parametrize("check", KEYS)
@pytest.mark.parametrize("variant", ["cpu", "cuda-13.0"])
def test_both_ways_on_every_row(judge: Judge, sdk: dict[str, bytes], check: str, variant: str) -> None:
    what = KEYS[check]
    asked: dict[str, Any] = {"recipe": recipe(what), "variant": variant}
    library: Changes = {"demo/lib/libdemo_cuda.so": sdk[KERNELS]}
    others: Changes = {HEADER: b"", TOOL: b"", "demo/include/demo/cuda/event.h": b""}
    assert judge.faults(check, {**library, **others}, **asked) == []
    assert judge.faults(check, **asked) == []
    assert judge.results(check, **asked)[0][0].reason == f"inspected 2 kinds of {what}"
    fault = only(judge.faults(check, {**library, HEADER: b""}, **asked))
    assert fault == f"libdemo_cuda.so: ships without its {what}: no member matches demo/bin/cuda_*"
    orphans = judge.faults(check, others, **asked)
    without = "without the library of the component 'backend_cuda', libdemo_cuda.so"
    assert orphans == [f"demo/include/demo/cuda/event.h: ships, and 1 more, {without}", f"{TOOL}: ships {without}"]


@pytest.mark.parametrize("check", KEYS)
def test_components_that_name_none(judge: Judge, check: str) -> None:
    assert not judge.applies(check)
    assert not judge.applies(check, recipe=None)


def test_a_damaged_library_ships(judge: Judge) -> None:
    broken: Changes = {"demo/lib/libdemo_cuda.so": b"\x7fELF", HEADER: b"", TOOL: b""}
    assert judge.faults("E6", broken, recipe=recipe("headers"), variant="cuda-13.0") == []
