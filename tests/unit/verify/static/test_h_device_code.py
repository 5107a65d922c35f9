"""H3, H4 and the note on device code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.run_static import run_static
from tests.support import fatbin_edit
from tests.support.fatbin_edit import CUBIN, PTX
from tests.support.judge import RECIPE, Judge, only

DATA = Path(__file__).parents[3] / "data" / "fatbin"
CUDA = "demo/lib/libdemo_cuda.so"
SHORT = "demo/lib/libdemo_short.so"
COMPLETE = ["7.5", "8.0", "9.0", "9.0a", "10.0f", "10.3a", "11.0", "12.0a", "12.1"]
ARCHS = [arch.replace(".", "") for arch in COMPLETE]
ROW = "cuda-13.0"
LIBRARY = (DATA / "own130-default.so").read_bytes()
"""For CUDA 13, with cubins of nine architectures and PTX of the newest."""

Edit = Callable[[bytes], bytes]


def recipe(archs: Sequence[str] = COMPLETE, *, device_code: bool = True) -> dict[str, Any]:
    variant = {"local": "cu130", "arch": {"x86_64": list(archs)}}
    components = [
        {**one, "device-code": device_code} if one["name"] == "backend_cuda" else one for one in RECIPE["component"]
    ]
    return {**RECIPE, "component": components, "variants": {"cpu": {"local": "cpu"}, ROW: variant}}


def faults(judge: Judge, check: str, edit: Edit = bytes, archs: Sequence[str] = COMPLETE) -> list[str]:
    """What a check says of the edited library, without the library's name."""
    found = judge.faults(check, {CUDA: edit(LIBRARY)}, recipe=recipe(archs), variant=ROW)
    assert all(one.startswith(f"{CUDA}: ") for one in found)
    return [one.removeprefix(f"{CUDA}: ") for one in found]


def test_exact_list(judge: Judge) -> None:
    for check in ("H3", "H4"):
        assert faults(judge, check) == []
        records, _ = judge.results(check, {CUDA: LIBRARY}, recipe=recipe(), variant=ROW)
        assert records[0].reason == "inspected 1 library with device code"


H3_EDITS: list[tuple[Edit, list[str]]] = [
    (lambda data: fatbin_edit.drop(data, CUBIN, 80), ["has no device code for sm_80"]),
    (lambda data: fatbin_edit.add(data, CUBIN, 86), ["has unexpected device code for sm_86"]),
    (lambda data: fatbin_edit.drop(data, PTX, 121), []),
    (
        lambda data: fatbin_edit.second(data, (CUBIN, 80), (CUBIN, 90), (PTX, 121)),
        ["has no device code for sm_75, sm_90a, sm_100f, sm_103a, sm_110, sm_120a, sm_121 in 1 of its 2 fat binaries"],
    ),
    (
        lambda data: fatbin_edit.second(fatbin_edit.drop(data, CUBIN, 75), (CUBIN, 80)),
        [
            "has no device code for sm_75",
            f"has no device code for sm_{', sm_'.join(ARCHS[2:])} in 1 of its 2 fat binaries",
        ],
    ),
    (fatbin_edit.wipe, ["has no device code, and the component 'backend_cuda' should hold some"]),
    (fatbin_edit.relocatable, ["has only relocatable device code, which the driver does not load"]),
    (fatbin_edit.no_sections, ["its device code is unreadable: what it holds cannot be judged"]),
]


@pytest.mark.parametrize(("edit", "said"), H3_EDITS)
def test_h3_each_deviation(judge: Judge, edit: Edit, said: list[str]) -> None:
    assert faults(judge, "H3", edit) == said


def test_h3_missing_and_unexpected_are_told_apart(judge: Judge) -> None:
    archs = [arch for arch in COMPLETE if arch != "8.0"] + ["8.6"]
    assert faults(judge, "H3", archs=archs) == ["has no device code for sm_86", "has unexpected device code for sm_80"]


def test_h3_is_judged_library_by_library(judge: Judge) -> None:
    both = {CUDA: LIBRARY, SHORT: (DATA / "own126nvcc124-plain.so").read_bytes()}
    found = judge.faults("H3", both, recipe=recipe(device_code=False), variant=ROW)
    assert found[0] == f"{SHORT}: has no device code for sm_100f, sm_103a, sm_110, sm_120a, sm_121"
    assert not any(fault.startswith(CUDA) for fault in found)


def test_h3_code_in_another_library_only(judge: Judge, build: Any) -> None:
    changes = {CUDA: build("libdemo_cuda.so", "int host_only;"), SHORT: LIBRARY}
    assert judge.faults("H3", changes, recipe=recipe(), variant=ROW) == [
        f"{CUDA}: has no device code, and the component 'backend_cuda' should hold some",
        f"{SHORT}: has device code, and no component with device-code is called so",
    ]
    assert judge.faults("H3", changes, recipe=recipe(device_code=False), variant=ROW) == []


def test_h3_code_in_a_second_library_that_is_not_said_to_hold_any(judge: Judge) -> None:
    fault = only(judge.faults("H3", {CUDA: LIBRARY, SHORT: LIBRARY}, recipe=recipe(), variant=ROW))
    assert fault == f"{SHORT}: has device code, and no component with device-code is called so"


def test_h3_a_recipe_without_architectures(judge: Judge) -> None:
    fault = only(judge.faults("H3", {CUDA: LIBRARY}, recipe=recipe(archs=[]), variant=ROW))
    assert fault == "demo/cuda-13.0/x86_64/cp311: the recipe lists no CUDA architectures for this row"
    assert not judge.applies("H4", {CUDA: LIBRARY}, recipe=recipe(archs=[]), variant=ROW)


H4_EDITS: list[tuple[Edit, list[str]]] = [
    (lambda data: fatbin_edit.drop(data, PTX, 121), ["has no PTX for compute_121, the newest architecture"]),
    (
        lambda data: fatbin_edit.add(data, PTX, 80),
        ["has unexpected PTX for compute_80: only compute_121 should have it"],
    ),
    (
        lambda data: fatbin_edit.second(data, (CUBIN, 80)),
        ["has no PTX in 1 of its 2 fat binaries for compute_121, the newest architecture"],
    ),
    (fatbin_edit.wipe, ["has no PTX for compute_121, the newest architecture"]),
]


@pytest.mark.parametrize(("edit", "said"), H4_EDITS)
def test_h4_each_deviation(judge: Judge, edit: Edit, said: list[str]) -> None:
    assert faults(judge, "H4", edit) == said


@pytest.mark.parametrize("edit", [fatbin_edit.relocatable, fatbin_edit.no_sections])
def test_h4_leaves_to_h3_what_it_cannot_inspect(judge: Judge, edit: Edit) -> None:
    both = {CUDA: edit(LIBRARY), SHORT: LIBRARY}
    assert judge.faults("H4", both, recipe=recipe(), variant=ROW) == []
    alone = only(judge.faults("H4", {CUDA: edit(LIBRARY)}, recipe=recipe(), variant=ROW))
    assert alone.endswith("inspected nothing: no libraries with device code to judge")


def test_h4_ptx_of_another_than_the_newest(judge: Judge) -> None:
    assert faults(judge, "H4", archs=["7.5", "12.1", "13.0"]) == [
        "has no PTX for compute_130, the newest architecture",
        "has unexpected PTX for compute_121: only compute_130 should have it",
    ]


def test_h4_of_two_as_new_the_plain_one_has_the_ptx(judge: Judge) -> None:
    assert faults(judge, "H4", archs=["7.5", "12.1a", "12.1"]) == []
    assert faults(judge, "H4", archs=["7.5", "12.1", "12.1a"]) == []


def test_cuda_row_without_device_code(judge: Judge) -> None:
    for check in ("H3", "H4"):
        fault = only(judge.faults(check, variant=ROW))
        assert fault.endswith("inspected nothing: no libraries with device code to judge")
        assert not judge.applies(check, {CUDA: LIBRARY}, variant="cpu")


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (bytes, "cubins 75 80 90 90a 100f 103a 110 120a 121; PTX 121"),
        (fatbin_edit.no_sections, "unreadable"),
        (
            fatbin_edit.relocatable,
            "cubins none; PTX none; relocatable, not loadable 75 80 90 90a 100f 103a 110 120a 121",
        ),
    ],
)
def test_device_code_is_noted_without_a_recipe(judge: Judge, edit: Edit, text: str) -> None:
    _, notes = run_static(judge.subject({CUDA: edit(LIBRARY)}, recipe=None))
    said = f"device code: {text}"
    assert [(note.id, note.subject, note.text) for note in notes if note.id == "H0"] == [("H0", CUDA, said)]


def test_no_device_code_is_not_noted(judge: Judge) -> None:
    _, notes = run_static(judge.subject({CUDA: fatbin_edit.wipe(LIBRARY)}, recipe=None))
    assert not any(note.id == "H0" for note in notes)
