"""Answers of containers over the demo SDK's CUDA wheel, as `tests.support.answers` makes its context."""

from __future__ import annotations

from orchestrator.verify.dynamic.probe import Answer
from orchestrator.verify.dynamic.versions import requests
from tests.support.answers import answer, apart, question_answers, step

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
    runs = {"device": SMI, "import": answer(0, "\nimported\tdemo\t/w/site/demo/__init__.py\n")}
    for built in ("all-on_gpu", "all_by_variables-on_gpu", "python-on_gpu"):
        runs |= {built: answer(0, "maxdiff=0"), f"{built}-wrong": MISMATCH, f"{built}-nan": MISMATCH}
    found = answers() | runs | {name.replace("__", "-"): value for name, value in more.items()}
    return apart(found, models=["on_gpu"], group="python-gpu-models")


def told(line: str) -> str:
    """The loader's output with another line for the runtime."""
    lines = LDD.splitlines(keepends=True)
    return "".join(line if "libcudart" in one else one for one in lines)
