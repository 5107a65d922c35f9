"""What a CUDA row must have, and what is said of each thing that it lost."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.errors import RecipeError
from orchestrator.plan.cuda import CudaPlan, cuda_plan, has_cuda_variants
from orchestrator.plan.rows import Row, names_cuda
from orchestrator.recipe.model import Recipe

TRAINS = ("12.6", "13.0", "13.2")
GOOD: dict[str, Any] = {
    "local": "cu130",
    "toolchain": "cuda-13.0",
    "requires": ["nvidia-cuda-runtime>=13.0,<14"],
    "arch": {"x86_64": ["9.0", "8.0", "12.0", "10.0", "8.6"]},
}
BUILD = {"requires-lock": "build.lock", "version": "1.0", "arch-variable": "CUDAARCHS"}


def recipe(name: str, variant: dict[str, Any], build: dict[str, Any] | None = BUILD) -> Recipe:
    source = {"path": "source"} if build else {"wheel": "demo==1.0"}
    return Recipe.model_validate(
        {
            "project": {"name": "demo", "import": "demo", "source": source},
            "build": build,
            "variants": {name: variant},
            "matrix": {"python": ["3.11"]},
        }
    )


def plan(
    name: str = "cuda-13.0",
    variant: dict[str, Any] = GOOD,
    build: dict[str, Any] | None = BUILD,
    *,
    building: bool = True,
) -> CudaPlan | None:
    row = Row(recipe="demo", variant=name, arch="x86_64", python="cp311")
    return cuda_plan(recipe(name, variant, build), row, TRAINS, building=building)


def refusal(*arguments: Any, building: bool = True) -> str:
    with pytest.raises(RecipeError) as caught:
        plan(*arguments, building=building)
    return str(caught.value)


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != key}


def test_a_row_that_has_everything() -> None:
    made = plan()
    assert made == CudaPlan(train="13.0", architectures=("80", "86", "90", "100", "120"), variable="CUDAARCHS")
    assert (made.major, made.newest) == (13, "120")
    assert made.value == "80-real;86-real;90-real;100-real;120-real;120-virtual"


def test_pytorchs_variable_has_pytorchs_spelling() -> None:
    made = plan("cuda-13.0", GOOD, {**BUILD, "arch-variable": "TORCH_CUDA_ARCH_LIST"})
    assert made is not None
    assert made.value == "8.0;8.6;9.0;10.0;12.0+PTX"


def test_ptx_is_never_that_of_a_variant_of_one_gpu_where_there_is_a_plain_one() -> None:
    made = plan("cuda-13.0", {**GOOD, "arch": {"x86_64": ["9.0", "8.0", "9.0a"]}})
    assert made is not None
    assert made.value == "80-real;90a-real;90-real;90-virtual"


@pytest.mark.parametrize("name", ["cuda", "cu", "cuda-", "cu130", "CUDA-13.0", "cuda_13.0", "gpu-cuda13"])
def test_cuda_without_a_version(name: str) -> None:
    said = refusal(name, GOOD)
    assert f"Variant '{name}' of recipe 'demo' names CUDA, but no version of it that can be read." in said
    assert "with one of: 12.6, 13.0, 13.2" in said


def test_a_version_that_no_toolkit_has() -> None:
    said = refusal("cuda-13.1", {**GOOD, "local": "cu131", "toolchain": "cuda-13.1"})
    assert "there is no toolkit for CUDA 13.1" in said
    assert "Did you mean '13." in said


def test_no_toolkit() -> None:
    said = refusal("cuda-13.0", without("toolchain"))
    assert "names no CUDA toolkit: it would be built with whatever the image has" in said
    assert 'toolchain = "cuda-13.0"' in said


def test_the_toolkit_of_another_version() -> None:
    said = refusal("cuda-13.0", {**GOOD, "toolchain": "cuda-12.6"})
    assert "names the toolkit cuda-12.6, which is not that of CUDA 13.0" in said


def test_the_label_of_another_version() -> None:
    said = refusal("cuda-13.0", {**GOOD, "local": "cu126"})
    assert "has the local version label 'cu126', but its CUDA version is 13.0" in said
    assert 'local = "cu130"' in said
    assert plan("cuda-13.0", without("local")) is not None


@pytest.mark.parametrize("arch", [{}, {"aarch64": ["9.0"]}, {"x86_64": []}])
def test_no_architectures_for_the_processor(arch: dict[str, Any]) -> None:
    said = refusal("cuda-13.0", {**GOOD, "arch": arch})
    assert "lists no CUDA architectures for x86_64: nvcc would build for one of its own choice" in said


@pytest.mark.parametrize("name", ["90", "sm_90", "9.0+PTX", "9", "native", "9.0x", "09.0", "９.0"])
def test_what_is_no_architecture(name: str) -> None:
    assert f"'{name}' is not a CUDA architecture" in refusal("cuda-13.0", {**GOOD, "arch": {"x86_64": [name]}})


def test_an_architecture_twice() -> None:
    assert "twice" in refusal("cuda-13.0", {**GOOD, "arch": {"x86_64": ["9.0", "9.0"]}})


def test_no_variable_to_carry_them() -> None:
    build = {key: value for key, value in BUILD.items() if key != "arch-variable"}
    said = refusal("cuda-13.0", GOOD, build)
    assert "names no variable that carries the CUDA architectures to the build" in said
    assert "build.arch-variable" in said


def test_what_is_only_verified_needs_no_build_but_must_fit() -> None:
    made = plan("cuda-13.0", without("toolchain"), None, building=False)
    assert made is not None
    assert (made.train, made.variable) == ("13.0", None)
    assert "not that of CUDA 13.0" in refusal("cuda-13.0", {**GOOD, "toolchain": "cuda-12.6"}, None, building=False)
    assert "lists no CUDA architectures" in refusal("cuda-13.0", without("arch"), None, building=False)
    assert "names no CUDA toolkit" in refusal("cuda-13.0", without("toolchain"))


def test_a_row_without_cuda_has_no_plan() -> None:
    assert plan("cpu", {"local": "cpu"}) is None


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("toolchain", "has a toolchain."),
        ("arch", "has CUDA architectures (arch)."),
        ("requires", "has CUDA requirements (requires)."),
        ("local", "has the label 'cu130'."),
    ],
)
def test_a_row_without_cuda_has_nothing_of_it(key: str, said: str) -> None:
    text = refusal("cpu", {key: GOOD[key]})
    assert "Variant 'cpu' of recipe 'demo' names no CUDA version, but" in text
    assert said in text


def test_a_row_that_lost_its_name_says_all_that_it_kept() -> None:
    said = refusal("gpu", GOOD)
    for part in ("a toolchain", "architectures", "requirements", "label 'cu130'"):
        assert part in said


@pytest.mark.parametrize("name", ["cpu", "rocm-6.4", "cudnn", "xpu", "accurate", "", "focus-12"])
def test_names_without_cuda(name: str) -> None:
    assert not names_cuda(name)
    if name:
        assert not has_cuda_variants(recipe(name, {}))


def test_a_recipe_with_a_cuda_variant() -> None:
    assert has_cuda_variants(recipe("cuda-13.0", GOOD))
