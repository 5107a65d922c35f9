"""H5, judged over answers as containers give them."""

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import h5_loads
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from tests.support.answers import CUDA, RECIPE, answer, cuda_context, reasons
from tests.support.cuda_answers import MAPPED, RUNTIME, answers, with_gpu


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return cuda_context(tmp_path)


def test_h5_shows_what_was_mapped_registered_and_missed(context: Context) -> None:
    assert h5_loads.judge(context, answers()).evidence == (
        f"gpu maps {RUNTIME}",
        "the runtime alone: backends=0 [] kernels=1",
        "every component: backends=2 [DemoBackend,GpuBackend] kernels=9",
        "on_gpu without a GPU: execute: no CUDA device is available",
    )


def test_h5_shows_the_loaders_words(context: Context) -> None:
    error = "libcudart.so.13: cannot open shared object file: No such file or directory"
    outcome = h5_loads.judge(context, answers(cuda_loads=answer(1, stderr=error)))
    assert reasons(outcome) == ["demo/lib/libdemo_gpu.so: does not load without a GPU and a toolkit"]
    assert error in outcome.faults[0].evidence


@pytest.mark.parametrize(
    "elsewhere",
    ["/usr/local/cuda/lib64/libcudart.so.13", "/w/site/demo/../../cuda/libcudart.so.13", "/w/site2/libcudart.so.13"],
)
def test_h5_wants_cuda_from_the_site_folder(context: Context, elsewhere: str) -> None:
    outcome = h5_loads.judge(context, answers(cuda_loads=answer(0, MAPPED.replace(RUNTIME, elsewhere))))
    assert reasons(outcome) == [
        "demo/lib/libdemo_gpu.so: loads libcudart.so.13 from outside of what is installed with the wheel"
    ]
    assert outcome.faults[0].evidence == (elsewhere,)


def test_h5_wants_the_library_itself_mapped(context: Context) -> None:
    outcome = h5_loads.judge(context, answers(cuda_loads=answer(0, f"{RUNTIME}\n")))
    assert reasons(outcome) == ["demo/lib/libdemo_gpu.so: is not mapped after it was opened"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"all__registry": answer(0, "backends=2 [DemoBackend,GpuBackend2] kernels=9")},
            "is not registered, although its component is linked",
        ),
        ({"lean__registry": answer(0, "backends=1 [GpuBackend] kernels=1")}, "is registered without its component"),
    ],
)
def test_h5_wants_the_backend_from_its_component(context: Context, change: dict[str, Answer], why: str) -> None:
    assert reasons(h5_loads.judge(context, answers(**change))) == [f"GpuBackend: {why}"]


def test_h5_wants_an_answer(context: Context) -> None:
    outcome = h5_loads.judge(context, answers(all__registry=answer(0, "hello")))
    assert reasons(outcome) == ["every component: does not say which backends are registered"]


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (answer(0, "maxdiff=0"), "runs without a GPU: something else computed it"),
        (answer(-11), "without a GPU it does not fail by itself: killed by signal 11"),
        (
            answer(4, "GpuBackend is not registered: no CUDA device"),
            "fails as 'not registered', although its component is linked",
        ),
        (answer(3, "cannot load"), "without a GPU it fails, but does not say 'no CUDA device'"),
    ],
)
def test_h5_wants_the_device_missed_and_nothing_else(context: Context, end: Answer, why: str) -> None:
    assert reasons(h5_loads.judge(context, answers(all__on_gpu=end))) == [f"on_gpu: {why}"]


def test_h5_leaves_the_model_to_h9_where_there_is_a_gpu(tmp_path: Path) -> None:
    outcome = h5_loads.judge(cuda_context(tmp_path, gpus="all"), with_gpu(all__on_gpu=answer(5, "wrong")))
    assert reasons(outcome) == []
    assert outcome.evidence[-1] == "a GPU is in use: H9 runs what needs one"


def test_h5_passes_nothing_that_no_consumer_was_asked(tmp_path: Path, context: Context) -> None:
    for broken, owner in (
        ({"all": answer(2)}, "every component does not build: see G1"),
        ({"lean": answer(2)}, "the runtime alone does not build: see G2"),
    ):
        assert h5_loads.judge(context, answers(**broken)).not_run == f"the consumer with {owner}"
    silent = {**CUDA, "consumer": RECIPE["consumer"]}
    outcome = h5_loads.judge(cuda_context(tmp_path, changes=silent), answers())
    assert reasons(outcome) == []
    assert outcome.evidence[-1] == "how a GPU's model ends without one is not asked: see consumer.missing-device"
