"""Answers of containers, written by hand or taken from real runs, and the context to judge them in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from orchestrator.elf.model import Binding, Elf, Segment, Symbol
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.verify.dynamic.context import Context, Places
from orchestrator.verify.dynamic.probe import Answer, StepAnswer
from orchestrator.verify.outcome import Outcome
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library, Wheel

RECIPE: dict[str, Any] = {
    "project": {"name": "demo", "import": "demo", "source": {"wheel": "demo==1.5.1"}},
    "variants": {"cpu": {}},
    "matrix": {"python": ["3.11"]},
    "component": [
        {"name": "runtime", "library": "libdemo.so", "target": "demo::runtime"},
        {"name": "kernels", "library": "libdemo_kernels.so", "target": "demo::kernels"},
        {"name": "extra", "library": "libdemo_extra.so", "variable": "DEMO_EXTRA_LIBRARY"},
        {"name": "delegate", "library": "libdemo_delegate.so", "registers": ["DemoBackend"]},
        {"name": "gpu", "library": "libdemo_gpu.so", "required": "cuda", "registers": ["GpuBackend"]},
    ],
    "cmake": {
        "package": "demo",
        "floor": "3.24",
        "targets-from": "3.28",
        "variables": {
            "libraries": "DEMO_LIBRARIES",
            "include-dirs": "DEMO_INCLUDE_DIRS",
            "definitions": "DEMO_DEFINITIONS",
            "cxx-standard": "DEMO_STANDARD",
        },
        "prefixes": ["demo", "demo/lib/cmake"],
        "environments": [{"cmake": "4.4.5", "generator": "Ninja"}],
    },
    "consumer": {
        "name": "app",
        "sources": ["app/main.cpp"],
        "missing-operator": "Missing operator",
        "missing-backend": "not registered",
    },
    "model": [
        {"name": "plain", "file": "plain.bin", "reference": "plain.txt", "tolerance": 1e-5, "needs": ["kernels"]},
        {
            "name": "delegated",
            "file": "delegated.bin",
            "reference": "delegated.txt",
            "tolerance": 1e-5,
            "needs": ["delegate"],
            "payload": "DemoBackend",
        },
    ],
    "headers": {
        "root": "demo/include",
        "exempt": [{"path": "demo/windows/**", "reason": "needs headers of another system"}],
    },
}
"""A small SDK whose CPU wheel has every component but the last."""

SHIPPED = ("libdemo.so", "libdemo_kernels.so", "libdemo_extra.so", "libdemo_delegate.so")
HEADERS = ("demo/include/demo/a.h", "demo/include/demo/b.h", "demo/include/demo/windows/w.h")


CUDA: dict[str, Any] = {
    "variants": {"cuda-13.0": {"requires": ["nvidia-cuda-runtime>=13.0,<14"]}},
    "consumer": {**RECIPE["consumer"], "missing-device": "no CUDA device"},
    "python": {"script": "run.py"},
    "model": [
        *RECIPE["model"],
        {
            "name": "on_gpu",
            "file": "on_gpu.bin",
            "reference": "on_gpu.txt",
            "tolerance": 1e-5,
            "needs": ["gpu"],
            "payload": "GpuBackend",
            "gpu": True,
        },
    ],
}
"""What the recipe has besides where it has a CUDA variant."""

GPU_LIBRARY = "demo/lib/libdemo_gpu.so"


def cuda_context(folder: Path, *, gpus: str | None = None, **more: Any) -> Context:
    """The demo SDK's wheel of CUDA 13.0, with the library that only such wheels have."""
    return make_context(
        folder,
        variant="cuda-13.0",
        gpus=gpus,
        **{
            "changes": CUDA,
            "names": [GPU_LIBRARY],
            "libraries": [library(GPU_LIBRARY, "libdemo.so", "libcudart.so.13")],
            "requires": ["nvidia-cuda-runtime<14,>=13.0"],
            **more,
        },
    )


def library(path: str, *needed: str, exports: Iterable[str] = ()) -> Library:
    """A shared library as it is read from a wheel."""
    loaded = Segment("load", readable=True, writable=False, executable=True, vaddr=0, memsz=1)
    symbols = tuple(Symbol(name, Binding.GLOBAL, "func", "default", defined=True) for name in exports)
    elf = Elf(
        machine="x86_64", bits=64, type="dyn", needed=needed, symbols=symbols, segments=(loaded,), has_dynamic=True
    )
    return Library(path, "0" * 64, 1, elf)


def make_context(
    folder: Path,
    *,
    cmake: str | None = "4.4.5",
    names: Iterable[str] = (),
    texts: Mapping[str, bytes] | None = None,
    changes: Mapping[str, Any] | None = None,
    version: str = "1.5.1",
    variant: str = "cpu",
    gpus: str | None = None,
    libraries: Iterable[Library] = (),
    requires: Iterable[str] = (),
) -> Context:
    """The demo SDK in one environment; its recipe's files are written into `folder`."""
    for name, data in {
        "app/main.cpp": b"int main() { return 0; }\n",
        "plain.bin": b"program",
        "plain.txt": b"inputs 1 1 2 1.0 2.0 outputs 1 1 1 3.0\n",
        "delegated.bin": b"....DemoBackend....",
        "delegated.txt": b"inputs 1 1 1 1.0 outputs 1 1 1 2.0\n",
        "on_gpu.bin": b"....GpuBackend....",
        "on_gpu.txt": b"inputs 1 1 1 1.0 outputs 1 1 1 2.0\n",
        "run.py": b"print('runs')\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    recipe = Recipe.model_validate(RECIPE | dict(changes or {})).model_copy(update={"folder": folder})
    members = frozenset([*(f"demo/lib/{name}" for name in SHIPPED), *HEADERS, *names])
    wheel = Wheel(
        path=folder / "demo.whl",
        filename=f"demo-{version}-cp311-cp311-manylinux_2_28_x86_64.whl",
        sha256="0" * 64,
        size=1,
        distribution="demo",
        version=Version(version),
        build_tag="",
        tags=frozenset(),
        members=(),
        dist_info=f"demo-{version}.dist-info",
        metadata=None,
        requirements=tuple(map(Requirement, requires)),
        wheel_file=None,
        record=(),
        libraries=tuple(libraries),
        texts=texts or {},
        names=members,
    )
    row = Row(recipe="demo", variant=variant, arch="x86_64", python="cp311")
    return Context(
        StaticSubject(wheel, row, recipe),
        recipe,
        f"image/cmake-{cmake}/ninja",
        Places("/w"),
        cmake,
        "Ninja",
        beside=row.is_cuda,
        gpus=gpus,
    )


def step(exit_: int | None = 0, stdout: str = "", stderr: str = "", *, timed_out: bool = False) -> StepAnswer:
    """How one process ended."""
    error = "cannot start tool: No such file or directory" if exit_ is None else ""
    return StepAnswer(("tool",), exit_, 0.1, stdout, stderr, timed_out, error)


def answer(
    exit_: int | None = 0, stdout: str = "", stderr: str = "", collected: Mapping[str, bytes] | None = None
) -> Answer:
    """The answer of a probe with one step."""
    return Answer((step(exit_, stdout, stderr),), collected or {})


def apart(found: Mapping[str, Answer], *, models: Iterable[str], group: str = "python-models") -> dict[str, Answer]:
    """The answers with the runs of a script, `python-MODEL…`, put into that of the process that made them all."""
    own = {name for name in found if any(name.startswith(f"python-{model}") for model in models)}
    results = {}
    for name in sorted(own):
        (run,) = found[name].steps
        values = {"exit": run.exit, "seconds": run.seconds, "stdout": run.stdout, "stderr": run.stderr}
        results[name.removeprefix("python-")] = values
    together = answer(0, collected={"results.json": json.dumps(results).encode()})
    return {name: one for name, one in found.items() if name not in own} | {group: together}


GOOD_TARGETS = (
    "found\t1\nversion\t1.5.1\nconsidered\t1.5.1\n"
    "target\tdemo::runtime\npath\tdemo::runtime\tIMPORTED_LOCATION\tthere\t/w/site/demo/lib/libdemo.so\n"
    "target\tdemo::kernels\ntarget\tdemo::extra\ntarget\tdemo::delegate\n"
    "defined\tdemo::runtime\ndefined\tdemo::kernels\ndefined\tdemo::extra\ndefined\tdemo::delegate\n"
)
FOUND = "found\t1\nversion\t1.5.1\nconsidered\t1.5.1\n"
REFUSED = "found\t0\nversion\t1.5.1\nconsidered\t1.5.1\n"


LISTED_TARGETS = ("demo::runtime", "demo::kernels", "demo::delegate")
LISTED_PATHS = (
    "/w/site/demo/lib/libdemo.so",
    '-Wl,--push-state,--no-as-needed "/w/site/demo/lib/libdemo_kernels.so" -Wl,--pop-state',
    "-Wl,--push-state,--no-as-needed,/w/site/demo/lib/libdemo_delegate.so,--pop-state",
)
"""The list of libraries of a right package, of targets and, where CMake is too old for these, of paths."""


def listed(entries: tuple[str, ...]) -> str:
    """What is told of a package that is found and has this list of libraries."""
    return FOUND + "".join(f"entry\t{item}\n" for item in entries)


def question_answers(accepted: Iterable[bool], changes: Mapping[str, str | None] | None = None) -> Answer:
    """The answer of the project of questions: what each version request came to, and changes to the rest."""
    texts: dict[str, str | None] = {f"version_{i}": FOUND if yes else REFUSED for i, yes in enumerate(accepted)}
    texts |= {"prefix_0": FOUND, "prefix_1": FOUND, "targets": GOOD_TARGETS}
    texts |= {
        "variables": FOUND + "include\tthere\t/w/site/demo/include\nlibrary\tthere\t/w/site/demo/lib/libdemo.so\n"
    }
    texts |= changes or {}
    collected = {f"answers/{name}.txt": text.encode() for name, text in texts.items() if text is not None}
    return answer(collected=collected)


def reasons(outcome: Outcome) -> list[str]:
    """What an outcome faults; it must have run and inspected something."""
    assert outcome.not_run is None
    assert outcome.inspected
    return [f"{fault.subject}: {fault.reason}" for fault in outcome.faults]
