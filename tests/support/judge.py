"""A small SDK's wheel, and a judge that runs one static check or all of them over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Note, Verdict
from orchestrator.verify.catalogue import STATIC_CHECKS
from orchestrator.verify.run_static import run_check, run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel

RUNTIME = "demo/lib/libdemo.so"
KERNELS = "demo/lib/libdemo_kernels.so"
MODULE = "demo/_C.cpython-311-x86_64-linux-gnu.so"
CONFIG = "demo/lib/cmake/demo/demo-config.cmake"
VERSION_FILE = "demo/lib/cmake/demo/demo-config-version.cmake"
CPU_TAG = "cp311-cp311-manylinux_2_28_x86_64"

RUNTIME_SOURCE = """
namespace demo {
  int register_backend(int x) { return x; }
  int count_backends() { return 1; }
}
extern "C" int pool_create() { return 2; }
"""
KERNELS_SOURCE = """
namespace demo { int count_backends(); namespace kernels { int add(int a) { return a + count_backends(); } } }
"""
MODULE_SOURCE = """
namespace demo { int count_backends(); namespace kernels { int add(int); } }
extern "C" void* PyInit__C() { return reinterpret_cast<void*>(demo::count_backends() + demo::kernels::add(1)); }
"""

RECIPE: dict[str, Any] = {
    "project": {"name": "demo", "import": "demo", "source": {"path": "source"}},
    "build": {"requires-lock": "build.lock", "version": "1.0", "version-variable": "DEMO_VERSION"},
    "variants": {
        "cpu": {"local": "cpu"},
        "cuda-13.0": {"local": "cu130", "arch": {"x86_64": ["7.5", "8.0", "9.0"]}},
    },
    "matrix": {"python": ["3.11"]},
    "component": [
        {
            "name": "runtime",
            "library": "libdemo.so",
            "owns": ["demo::register_backend", "demo::count_backends"],
            "bundles": ["pool_create"],
        },
        {"name": "kernels", "library": "libdemo_kernels.so", "owns": ["demo::kernels::add"]},
        {"name": "backend_cuda", "library": "libdemo_cuda.so", "required": "cuda"},
    ],
    "extension": {
        "modules": ["demo/_C*.so"],
        "needs": ["runtime", "kernels"],
        "calls": ["demo::count_backends"],
    },
    "cmake": {
        "package": "demo",
        "floor": "3.24",
        "targets-from": "3.28",
        "variables": {"libraries": "DEMO_LIBRARIES", "include-dirs": "DEMO_INCLUDE_DIRS"},
        "prefixes": ["demo"],
        "environments": [{"cmake": "4.4.5", "generator": "Ninja"}],
    },
}

Changes = Mapping[str, bytes | None]


class Build(Protocol):
    """Compiles a shared library and gives its bytes."""

    def __call__(
        self,
        name: str,
        source: str,
        *flags: str,
        needs: Mapping[str, bytes] | None = None,
        soname: str | None = "",
        path: str | None = "$ORIGIN",
    ) -> bytes:
        """`needs` are libraries to link, by file name; `soname` '' is the name; None leaves a tag out."""


class Judge:
    """Runs checks over the SDK's wheel with some files replaced, added or (None) left out."""

    def __init__(self, folder: Path, files: Mapping[str, bytes]) -> None:
        self._folder = folder
        self._files = files

    def subject(
        self,
        changes: Changes | None = None,
        *,
        recipe: Mapping[str, Any] | None = RECIPE,
        variant: str = "cpu",
        asked: str | None = None,
        published: bool = False,
        **wheel: Any,
    ) -> StaticSubject:
        """What a check looks at."""
        merged = {**self._files, **(changes or {})}
        files = {name: data for name, data in merged.items() if data is not None}
        wheel = {"name": "demo", "version": "1.0+cpu", "tag": CPU_TAG, **wheel}
        return StaticSubject(
            wheel=read_wheel(make_wheel(self._folder, files, **wheel)),
            row=Row(recipe="demo", variant=variant, arch="x86_64", python="cp311"),
            recipe=Recipe.model_validate(recipe) if recipe else None,
            version=asked,
            published=published,
        )

    def results(self, check: str, *args: Any, **kwargs: Any) -> tuple[tuple[CheckRecord, ...], tuple[Note, ...]]:
        """Records and notes of one check; no records where it does not apply."""
        row = next(row for row in STATIC_CHECKS if row.id == check)
        return run_check(row, self.subject(*args, **kwargs))

    def faults(self, check: str, *args: Any, **kwargs: Any) -> list[str]:
        """`subject: reason` of each failure; the check must apply."""
        records, _ = self.results(check, *args, **kwargs)
        assert records, f"{check} does not apply"
        return [f"{one.subject}: {one.reason}" for one in records if one.verdict is Verdict.FAIL]

    def applies(self, check: str, *args: Any, **kwargs: Any) -> bool:
        """Whether the check wrote anything."""
        return bool(self.results(check, *args, **kwargs)[0])

    def failing(self, *args: Any, **kwargs: Any) -> set[str]:
        """Ids of all checks that fail."""
        records, _ = run_static(self.subject(*args, **kwargs))
        return {record.id for record in records if record.verdict is Verdict.FAIL}


def only(faults: Sequence[str]) -> str:
    """The one fault."""
    assert len(faults) == 1, faults
    return faults[0]
