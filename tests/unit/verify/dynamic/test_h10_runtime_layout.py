"""H10, judged over answers as containers give them."""

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import h10_runtime_layout
from orchestrator.verify.dynamic.context import Context
from tests.support.answers import CUDA, answer, cuda_context, library, make_context, reasons
from tests.support.cuda_answers import answers


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return cuda_context(tmp_path)


def test_h10_names_the_distribution(context: Context) -> None:
    assert h10_runtime_layout.judge(context, answers()).evidence == (
        "nvidia/cu13/lib/libcudart.so.13 of nvidia-cuda-runtime 13.0.96",
    )


@pytest.mark.parametrize(
    ("listed", "why"),
    [
        (
            "nvidia-cuda-runtime\t13.0.96\tnvidia/cuda_runtime/lib/libcudart.so.13\n",
            "is not installed in nvidia/cu13/lib, where wheels of this train have it",
        ),
        ("", "is not installed in nvidia/cu13/lib, where wheels of this train have it"),
        (
            "repacked-runtime\t1\tnvidia/cu13/lib/libcudart.so.13\n",
            "is brought by repacked-runtime, which is not one of nvidia-cuda-runtime",
        ),
    ],
)
def test_h10_wants_the_library_in_its_folder(context: Context, listed: str, why: str) -> None:
    outcome = h10_runtime_layout.judge(context, answers(installed=answer(0, listed)))
    assert reasons(outcome) == [f"libcudart.so.13: {why}"]
    assert outcome.faults[0].evidence


def test_h10_knows_the_folders_of_each_train(tmp_path: Path) -> None:
    changes = {**CUDA, "variants": {"cuda-12.6": {"requires": ["nvidia-cusparse-cu12"]}}}
    needs = [library("demo/lib/libdemo_gpu.so", "libcusparse.so.12")]
    context = make_context(
        tmp_path, variant="cuda-12.6", changes=changes, libraries=needs, requires=["nvidia-cusparse-cu12"]
    )
    old = "nvidia-cusparse-cu12\t12.5\tnvidia/cusparse/lib/libcusparse.so.12\n"
    assert reasons(h10_runtime_layout.judge(context, answers(installed=answer(0, old)))) == []
    new = answer(0, old.replace("nvidia/cusparse/lib", "nvidia/cu13/lib"))
    assert reasons(h10_runtime_layout.judge(context, answers(installed=new))) == [
        "libcusparse.so.12: is not installed in nvidia/cusparse/lib, where wheels of this train have it"
    ]
