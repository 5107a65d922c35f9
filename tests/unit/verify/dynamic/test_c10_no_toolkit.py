"""C10, judged over answers as containers give them."""

from pathlib import Path

import pytest

from orchestrator.verify.dynamic import c10_no_toolkit
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answer
from tests.support.answers import CUDA, answer, cuda_context, library, reasons, step
from tests.support.cuda_answers import CACHE, LDD, answers, told

CACHED = "\tlibcudart.so.13 (libc6,x86-64) => /usr/local/cuda/lib64/libcudart.so.13\n"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return cuda_context(tmp_path)


def test_c10_shows_where_cuda_comes_from(context: Context) -> None:
    assert c10_no_toolkit.judge(context, answers()).evidence == (
        "libcudart.so.13 => /w/site/demo/lib/../../nvidia/cu13/lib/libcudart.so.13",
    )


@pytest.mark.parametrize(
    ("cache", "found", "why", "shown"),
    [
        (CACHE + CACHED, "", "the loader of the image knows CUDA libraries: it hides what the wheel lacks", CACHED),
        (
            CACHE,
            "/usr/local/cuda-13.0\n",
            "the image has a CUDA toolkit: it hides what the wheel lacks",
            "/usr/local/cuda-13.0",
        ),
        ("0 libs found in cache\n", "", "the loader's cache is empty: it proves nothing", "exit 0"),
    ],
)
def test_c10_refuses_an_image_with_a_toolkit(context: Context, cache: str, found: str, why: str, shown: str) -> None:
    image = Answer((step(0, cache), step(0, found)))
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=image))
    assert reasons(outcome) == [f"image: {why}"]
    assert shown.strip() in outcome.faults[0].evidence


def test_c10_takes_the_drivers_own_libraries_for_no_toolkit(context: Context) -> None:
    driver = CACHE + "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n"
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=Answer((step(0, driver), step(0)))))
    assert reasons(outcome) == []


NO_CACHE = "/sbin/ldconfig: Can't open cache file /etc/ld.so.cache\n: No such file or directory\n"
CLOSED = NO_CACHE.replace("No such file or directory", "Permission denied")


def test_c10_takes_an_image_whose_loader_has_no_cache(context: Context) -> None:
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=Answer((step(1, "", NO_CACHE), step(0)))))
    assert reasons(outcome) == []
    outcome = c10_no_toolkit.judge(
        context, answers(toolkit_in_image=Answer((step(1, "", NO_CACHE), step(0, "/opt/cuda"))))
    )
    assert reasons(outcome) == ["image: the image has a CUDA toolkit: it hides what the wheel lacks"]
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=Answer((step(1, "", CLOSED), step(0)))))
    assert reasons(outcome) == ["image: it cannot be told whether the image has a CUDA toolkit"]


def test_c10_wants_to_know_the_image(context: Context) -> None:
    image = Answer((step(None), step(0)))
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=image))
    assert reasons(outcome) == ["image: it cannot be told whether the image has a CUDA toolkit"]


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (told("\tlibcudart.so.13 => not found\n"), "the loader does not find libcudart.so.13"),
        (
            told("\tlibcudart.so.13 => /w/site/../cuda/libcudart.so.13 (0x00007f6a3f600000)\n"),
            "finds libcudart.so.13 outside of what is installed with the wheel",
        ),
        (
            LDD + "undefined symbol: cudaGone, version libcudart.so.13\t(/w/site/demo/lib/libdemo_gpu.so)\n",
            "symbols are defined nowhere",
        ),
        (LDD + "undefined symbol: PyList_New\t(/w/site/demo/lib/libdemo_gpu.so)\n", "symbols are defined nowhere"),
        (
            "/w/site/demo/lib/libdemo_gpu.so: /lib/libc.so.6: version `GLIBC_2.99' not found (required by x)\n" + LDD,
            "symbol versions are defined nowhere",
        ),
    ],
)
def test_c10_wants_everything_found(context: Context, output: str, why: str) -> None:
    outcome = c10_no_toolkit.judge(context, answers(loader=answer(0, output)))
    assert reasons(outcome) == [f"demo/lib/libdemo_gpu.so: {why}"]
    assert outcome.faults[0].evidence


def test_c10_wants_the_loader_to_read_every_library(context: Context) -> None:
    outcome = c10_no_toolkit.judge(context, answers(loader=answer(1, "\tnot a dynamic executable")))
    assert reasons(outcome) == ["demo/lib/libdemo_gpu.so: the loader does not read it"]


def test_c10_excuses_the_driver_what_the_recipe_leaves_and_the_interpreter(tmp_path: Path) -> None:
    left = {**CUDA, "unresolved": [{"library": "libtorch*.so", "reason": "installed beside it by its users"}]}
    module = library("demo/_C.so", "libcuda.so.1", exports=("PyInit__C",))
    context = cuda_context(tmp_path, changes=left, libraries=[module])
    absent = (
        LDD
        + "\tlibcuda.so.1 => not found\n\tlibtorch.so => not found\nundefined symbol: cuInit\t(/w/site/demo/_C.so)\n"
    )
    outcome = c10_no_toolkit.judge(context, answers(loader=answer(0, absent)))
    assert reasons(outcome) == []
    assert [remark.text for remark in outcome.remarks] == [
        "libcuda.so.1 is not found: its device's driver brings it",
        "libtorch.so is not found: installed beside it by its users",
    ]
    python = (
        LDD
        + "undefined symbol: PyList_New\t(/w/site/demo/_C.so)\nundefined symbol: _Py_Dealloc\t(/w/site/demo/_C.so)\n"
    )
    assert reasons(c10_no_toolkit.judge(context, answers(loader=answer(0, python)))) == []


def test_c10_finds_torch_in_the_process_where_the_wheel_requires_it(tmp_path: Path) -> None:
    absent = answers(loader=answer(0, LDD + "\tlibc10.so => not found\n"))
    requires = ["nvidia-cuda-runtime<14,>=13.0", "torch>=2"]
    outcome = c10_no_toolkit.judge(cuda_context(tmp_path, requires=requires), absent)
    assert reasons(outcome) == []
    (remark,) = outcome.remarks
    assert remark.text == "libc10.so is not found: the declared requirement torch brings it, and is loaded first"
    assert reasons(c10_no_toolkit.judge(cuda_context(tmp_path), absent)) == [
        "demo/lib/libdemo_gpu.so: the loader does not find libc10.so"
    ]
