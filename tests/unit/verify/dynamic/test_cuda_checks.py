"""H5, C10, H10, H6 and H9, judged over answers as containers give them; and what CUDA rows change in other checks."""

from pathlib import Path
from typing import Any

import pytest

from orchestrator.verify.dynamic import (
    c10_no_toolkit,
    d2_version_requests,
    g1_models,
    g3_delegate,
    g5_backends,
    h5_loads,
    h6_python_gpu,
    h9_cpp_gpu,
    h10_runtime_layout,
)
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, StepAnswer
from orchestrator.verify.dynamic.versions import requests
from orchestrator.verify.outcome import Outcome
from tests.support.answers import (
    CUDA,
    RECIPE,
    answer,
    cuda_context,
    library,
    make_context,
    question_answers,
    step,
)

RUNTIME = "/w/site/nvidia/cu13/lib/libcudart.so.13"
MAPPED = f"/usr/bin/python3.11\n/usr/lib/x86_64-linux-gnu/libc.so.6\n/w/site/demo/lib/libdemo_gpu.so\n{RUNTIME}\n"
CACHE = "2 libs found in cache `/etc/ld.so.cache'\n\tlibz.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libz.so.1\n"
LDD = (
    "\tlinux-vdso.so.1 (0x00007ffc2d3f1000)\n"
    "\tlibdemo.so => /w/site/demo/lib/libdemo.so (0x00007f6a3f9e2000)\n"
    "\tlibcudart.so.13 => /w/site/demo/lib/../../nvidia/cu13/lib/libcudart.so.13 (0x00007f6a3f600000)\n"
    "\t/lib64/ld-linux-x86-64.so.2 (0x00007f6a3fa05000)\n"
)
NO_DEVICE = answer(5, "execute: no CUDA device is available")
MISMATCH = answer(6, "mismatch: more than 1e-05")
SMI = answer(0, "NVIDIA H200, 570.86.15, 9.0\n")


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers without a GPU; keys of `more` have `__` for `-`."""
    found = {name: answer() for name in ("install", "all", "all_by_variables", "lean")}
    found["questions"] = question_answers([request.accepted for request in requests((1, 5, 1))])
    found["cuda_loads"] = answer(0, MAPPED)
    found["lean-registry"] = answer(0, "backends=0 [] kernels=1")
    found["lean-delegated"] = answer(4, "Backend DemoBackend is not registered.")
    found["lean-on_gpu"] = answer(4, "Backend GpuBackend is not registered.")
    for built in ("all", "all_by_variables"):
        found[f"{built}-registry"] = answer(0, "backends=2 [DemoBackend,GpuBackend] kernels=9")
        for model in ("plain", "delegated"):
            found[f"{built}-{model}"] = answer(0, "largest difference 0")
            found |= {f"{built}-{model}-{kind}": MISMATCH for kind in ("wrong", "nan")}
    found["all-on_gpu"] = NO_DEVICE
    found["toolkit_in_image"] = Answer((step(0, CACHE), step(1, "", "find: '/root': Permission denied")))
    found["loader"] = answer(0, LDD)
    found["installed"] = answer(0, "nvidia-cuda-runtime\t13.0.96\tnvidia/cu13/lib/libcudart.so.13\n")
    return found | {name.replace("__", "-"): value for name, value in more.items()}


def with_gpu(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers with one."""
    runs = {"device": SMI}
    for built in ("all-on_gpu", "all_by_variables-on_gpu", "python-on_gpu"):
        runs |= {built: answer(0, "maxdiff=0"), f"{built}-wrong": MISMATCH, f"{built}-nan": MISMATCH}
    return answers() | runs | {name.replace("__", "-"): value for name, value in more.items()}


def reasons(outcome: Outcome) -> list[str]:
    assert outcome.not_run is None
    assert outcome.inspected
    return [f"{fault.subject}: {fault.reason}" for fault in outcome.faults]


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return cuda_context(tmp_path)


@pytest.mark.parametrize("check", [h5_loads, c10_no_toolkit, h10_runtime_layout, g1_models, g3_delegate, g5_backends])
def test_a_right_wheel_passes_without_a_gpu_and_nothing_else_is_asked(context: Context, check: Any) -> None:
    assert check.applies(context)
    assert reasons(check.judge(context, answers())) == []
    assert {probe.id for probe in check.probes(context)} <= set(answers())


@pytest.mark.parametrize("check", [h5_loads, h9_cpp_gpu, h6_python_gpu, g3_delegate])
def test_a_right_wheel_passes_with_a_gpu(tmp_path: Path, check: Any) -> None:
    context = cuda_context(tmp_path, gpus="all")
    assert reasons(check.judge(context, with_gpu())) == []
    assert {probe.id for probe in check.probes(context)} <= set(with_gpu())


@pytest.mark.parametrize("check", [h5_loads, c10_no_toolkit, h10_runtime_layout, h6_python_gpu, h9_cpp_gpu])
def test_a_cpu_row_is_asked_nothing_of_cuda(tmp_path: Path, check: Any) -> None:
    assert not check.applies(make_context(tmp_path))
    assert not check.applies(make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}}))


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


def test_consumers_that_cannot_link_are_blamed_on_what_does_not_load(context: Context) -> None:
    broken = answers(cuda_loads=answer(1), all=answer(1), lean=answer(1), all_by_variables=answer(1))
    assert reasons(h5_loads.judge(context, broken)) == [
        "demo/lib/libdemo_gpu.so: does not load without a GPU and a toolkit"
    ]
    for check in (g1_models, g3_delegate, g5_backends):
        assert check.judge(context, broken).not_run == "a CUDA component does not load: see H5"


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


def test_c10_shows_where_cuda_comes_from(context: Context) -> None:
    assert c10_no_toolkit.judge(context, answers()).evidence == (
        "libcudart.so.13 => /w/site/demo/lib/../../nvidia/cu13/lib/libcudart.so.13",
    )


CACHED = "\tlibcudart.so.13 (libc6,x86-64) => /usr/local/cuda/lib64/libcudart.so.13\n"


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


def test_c10_wants_to_know_the_image(context: Context) -> None:
    image = Answer((step(None), step(0)))
    outcome = c10_no_toolkit.judge(context, answers(toolkit_in_image=image))
    assert reasons(outcome) == ["image: it cannot be told whether the image has a CUDA toolkit"]


def told(line: str) -> str:
    """The loader's output with another line for the runtime."""
    lines = LDD.splitlines(keepends=True)
    return "".join(line if "libcudart" in one else one for one in lines)


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
            "is brought by repacked-runtime, which is not one of nvidia-cuda-runtime-cu13, nvidia-cuda-runtime",
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


def test_gpu_checks_do_not_run_without_one(context: Context) -> None:
    for check in (h6_python_gpu, h9_cpp_gpu):
        assert check.applies(context)
        assert check.probes(context) == ()
        assert check.judge(context, answers()).not_run == NO_GPU


def test_gpu_checks_tell_the_device(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    for check in (h6_python_gpu, h9_cpp_gpu):
        assert check.judge(context, with_gpu()).evidence == ("GPU: NVIDIA H200, 570.86.15, 9.0",)


def test_h9_wants_a_match_and_control(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    judged = h9_cpp_gpu.judge(context, with_gpu(all__on_gpu=MISMATCH))
    assert reasons(judged) == ["on_gpu, every component: does not run, or does not match its reference"]
    judged = h9_cpp_gpu.judge(context, with_gpu(all__on_gpu__wrong=answer(0)))
    assert reasons(judged) == [
        "on_gpu, every component: the consumer accepts a reference that is wrong: it compares nothing"
    ]


def test_h6_wants_a_match_and_control(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, gpus="all")
    judged = h6_python_gpu.judge(context, with_gpu(python__on_gpu=answer(1, stderr="ImportError: no module")))
    assert reasons(judged) == ["on_gpu: does not run in Python, or does not match its reference"]
    assert "ImportError: no module" in judged.faults[0].evidence
    judged = h6_python_gpu.judge(context, with_gpu(python__on_gpu__nan=answer(1, stderr="Traceback")))
    assert reasons(judged) == ["on_gpu: a reference that is nan is not rejected as 'mismatch'"]
    (run,) = (probe for probe in h6_python_gpu.probes(context) if probe.id == "python-on_gpu")
    assert run.steps[0].argv[-5:] == ("/w/site", "script.py", "/w/models/on_gpu.bin", "/w/models/on_gpu.txt", "1e-05")


def test_other_checks_leave_the_gpus_models_out(context: Context) -> None:
    asked = {probe.id for check in (g1_models, g3_delegate) for probe in check.probes(context)}
    assert {probe for probe in asked if "on_gpu" in probe} == {"lean-on_gpu"}


def test_g1_owns_the_consumer_of_a_recipe_whose_models_all_need_a_gpu(tmp_path: Path) -> None:
    changes = {**CUDA, "model": CUDA["model"][2:]}
    context = cuda_context(tmp_path, changes=changes)
    assert g1_models.applies(context)
    assert reasons(g1_models.judge(context, answers())) == []
    broken = answers(all=answer(2))
    assert reasons(g1_models.judge(context, broken)) == [
        "every component: the consumer with every component does not build"
    ]
    assert not g1_models.applies(make_context(tmp_path, changes={**changes, "variants": {"cpu": {}}}))


def test_g3_asks_a_cpu_wheel_for_the_gpus_model_too(tmp_path: Path) -> None:
    context = make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}})
    assert reasons(g3_delegate.judge(context, answers(lean__on_gpu=answer(-6)))) == [
        "on_gpu: without its component it does not fail with 'not registered'"
    ]
    (tmp_path / "on_gpu.bin").write_bytes(b"plain")
    assert reasons(g3_delegate.judge(context, answers())) == [
        "on_gpu: the program does not hold 'GpuBackend': it is not delegated"
    ]


def test_g5_counts_the_components_of_the_row(tmp_path: Path, context: Context) -> None:
    one = answer(0, "backends=1 [DemoBackend] kernels=9")
    reached = answers(all__registry=one, all_by_variables__registry=one)
    (first, _) = reasons(g5_backends.judge(context, reached))
    assert first.endswith("the shipped components register 2; not registered: GpuBackend")
    cpu = make_context(tmp_path, changes={**CUDA, "variants": {"cpu": {}}})
    assert reasons(g5_backends.judge(cpu, reached)) == []


PIP = Answer(
    (step(), StepAnswer(("pip",), 1, 1.0, "", "ERROR: No matching distribution found for nvidia-cuda-runtime"))
)


def test_pip_takes_what_is_required_from_beside_the_wheel(tmp_path: Path, context: Context) -> None:
    argv = install(context).steps[1].argv
    assert "--no-index" in argv
    assert argv[argv.index("--find-links") + 1] == "/w/beside"
    assert "--no-deps" not in argv
    assert "--no-deps" in install(make_context(tmp_path)).steps[1].argv


def test_a_wheel_whose_requirements_are_not_there_does_not_install(tmp_path: Path, context: Context) -> None:
    outcome = d2_version_requests.judge(context, answers(install=PIP))
    assert reasons(outcome) == ["pip: the wheel does not install"]
    assert "ERROR: No matching distribution found for nvidia-cuda-runtime" in outcome.faults[0].evidence
    for check in (h5_loads, c10_no_toolkit, h10_runtime_layout):
        assert check.judge(context, answers(install=PIP)).not_run == "the wheel does not install (exit 1): see D2"
    wrong = cuda_context(tmp_path, requires=["nvidia-cuda-runtime-cu12>=12.6"])
    assert d2_version_requests.judge(wrong, answers(install=PIP)).not_run == (
        "the wheel's CUDA requirements are not the row's: see H2"
    )


def test_what_is_not_required_is_missed_by_h2_alone(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, requires=[])
    broken = answers(
        cuda_loads=answer(1), loader=answer(0, told("\tlibcudart.so.13 => not found\n")), installed=answer(0, "")
    )
    for check in (h5_loads, c10_no_toolkit, h10_runtime_layout):
        assert check.judge(context, broken).not_run == "the wheel's CUDA requirements are not the row's: see H2"


def test_nothing_to_open_is_the_fault_of_another_check(tmp_path: Path) -> None:
    context = cuda_context(tmp_path, names=[], libraries=[])
    assert h5_loads.judge(context, answers()).not_run == "no CUDA component ships: see H1"
    assert h9_cpp_gpu.judge(context, answers()).not_run == "no model's components ship: see H1"
