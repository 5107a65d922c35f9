"""Sides of a comparison, made of wheels that are generated and read."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.diff.model import SymbolGroup, WheelDiff
from orchestrator.diff.side import Side
from orchestrator.plan.rows import Row
from orchestrator.recipe.model import Recipe
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.elves import build_library
from tests.support.wheels import make_wheel

MODULE = "demo/_core.cpython-311-x86_64-linux-gnu.so"
OLD_MODULE = "demo/_old.cpython-311-x86_64-linux-gnu.so"
CONFIG = "demo/lib/cmake/demo/demo-config.cmake"
ROW = Row(recipe="demo", variant="cpu", arch="x86_64", python="cp311")

POOL = """
namespace pool { int create() { return 1; } int destroy() { return 2; } int count() { return 3; } }
extern "C" { int pool_make(int n) { return n; } int pool_free(int n) { return n; } }
"""
KERNELS = "namespace kernels { int add(int a) { return a + 1; } int mul(int a) { return a * 2; } }"
"""Parts of what was one library, and are two in the wheel after it."""


@functools.cache
def library(name: str, source: str, *flags: str, soname: str | None = "") -> bytes:
    """A shared library, compiled once; its SONAME is its name, `soname`, or, with None, nothing."""
    options = [f"-Wl,-soname,{soname or name}"] if soname is not None else []
    with tempfile.TemporaryDirectory() as folder:
        return build_library(Path(folder), name, source, [*options, *flags]).read_bytes()


def module(source: str, *flags: str, name: str = "_core") -> bytes:
    """A Python extension module with this source."""
    return library(
        f"{name}.so", f'{source}\nextern "C" void* PyInit_{name}() {{ return nullptr; }}', *flags, soname=None
    )


def side(folder: Path, files: Mapping[str, bytes], *, recipe: Recipe | None = None, **wheel: Any) -> Side:
    """A wheel of these files, read."""
    folder.mkdir(parents=True, exist_ok=True)
    read = read_wheel(make_wheel(folder, files, **{"name": "demo", **wheel}))
    return Side.of_wheel(StaticSubject(read, ROW, recipe))


def split(folder: Path) -> tuple[Side, Side]:
    """A wheel whose module holds all, and the next one, in which two libraries hold it."""
    old = {OLD_MODULE: module(POOL + KERNELS, name="_old"), "demo/__init__.py": b"import demo._old\n"}
    new = {
        MODULE: module(""),
        "demo/lib/libpool.so": library("libpool.so", POOL),
        "demo/lib/libkernels.so": library("libkernels.so", KERNELS),
        "demo/__init__.py": b"import demo._core\n",
    }
    return side(folder / "old", old, version="1.0"), side(folder / "new", new, version="1.1")


def group(diff: WheelDiff, kind: str, *after: str) -> SymbolGroup:
    """The group of that kind in which those libraries define something now."""
    (found,) = (one for one in diff.symbols if one.kind == kind and one.after == after)
    return found


def declarations(one: SymbolGroup) -> list[str]:
    """What a group's symbols are called in source."""
    return [symbol.declaration for symbol in one.symbols]
