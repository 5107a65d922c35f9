"""Wheels for another processor out of one container: by setuptools, and by a backend that hears of nothing."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.build.cross import CrossBuild
from orchestrator.build.inputs import collect_inputs
from orchestrator.build.wheel_build import BuiltWheel, build_wheel
from orchestrator.cli.build_row import row_images
from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Verdict
from orchestrator.store.store import Store
from orchestrator.store.target_python import target_python
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support.tiny import locked, tiny_recipe

pytestmark = pytest.mark.container

IMAGES = Path(__file__).resolve().parents[3] / "images"
ROW = Row(recipe="tiny", variant="cpu", arch="aarch64", python="cp311")

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "tiny"
dynamic = ["version"]

[tool.setuptools]
packages = ["tiny"]
ext-modules = [{ name = "tiny._tiny", sources = ["tiny.c"] }]

[tool.setuptools.dynamic]
version = { file = "version" }
"""
CODE = """
#include <Python.h>
#ifndef __aarch64__
#error "not compiled for aarch64"
#endif
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tiny", __FILE__, -1, NULL, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__tiny(void) { return PyModule_Create(&module); }
"""


@dataclass(frozen=True)
class Made:
    """A wheel, the recipe that it was built by, and the lines of its build."""

    recipe: Recipe
    built: BuiltWheel
    log: str

    @property
    def members(self) -> set[str]:
        return {member.name for member in read_wheel(self.built.path).members}

    def faults(self) -> dict[str, list[str]]:
        """What static checks say against the wheel, by id."""
        subject = StaticSubject(wheel=read_wheel(self.built.path), row=ROW, recipe=self.recipe)
        checks, _ = run_static(subject)
        found: dict[str, list[str]] = {}
        for check in checks:
            if check.verdict is Verdict.FAIL:
                found.setdefault(check.id, []).append(f"{check.subject}: {check.reason}")
        return found


def make(folder: Path, *, setuptools: bool) -> Made:
    """Build the small recipe for the other processor."""
    path = tiny_recipe(folder)
    if setuptools:
        shutil.rmtree(path / "source")
        package = path / "source" / "tiny"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("from tiny import _tiny\n")
        (path / "source" / "pyproject.toml").write_text(PROJECT)
        (path / "source" / "tiny.c").write_text(CODE)
        (path / "build.lock").write_text(locked("pip") + locked("setuptools", "apache-tvm-ffi"))
        text = (path / "recipe.toml").read_text()
        (path / "source" / "try.c").write_text('#include <stdio.h>\nint main(void) { return puts("tried") < 0; }\n')
        hook = 'before = ["echo $TINY_VERSION > version && $CC -dumpmachine && $CC -o try try.c && ./try"]'
        (path / "recipe.toml").write_text(text.replace("minutes = 2", f"minutes = 2\n{hook}"))
    recipe, store = load_recipe(str(path), folder), Store.default()
    with Engine.connect() as engine:
        builders = ImageSet(IMAGES, store, engine)
        builder, *_ = row_images(builders, recipe, ROW)
        image = builders.ensure(builder.name, python=builder.python, policy="stand-in")
        cross = CrossBuild(host=image.arch, python=target_python(store, "3.11", ROW.arch))
        inputs = collect_inputs(store, recipe, ROW, image.digest, cross=cross)
        built = build_wheel(engine, store, inputs, image, folder / "row")
    return Made(recipe, built, (folder / "row" / "build.log").read_text())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("setuptools"), setuptools=True)


def test_setuptools_names_and_compiles_modules_for_the_other_processor(made: Made) -> None:
    assert made.built.path.name == "tiny-1.0+cpu-cp311-cp311-manylinux_2_28_aarch64.whl"
    assert "tiny/_tiny.cpython-311-aarch64-linux-gnu.so" in made.members
    wheel = read_wheel(made.built.path)
    assert {elf.machine for _, elf in wheel.readable()} == {"aarch64"}
    assert "J1" not in made.faults()


def test_headers_and_compiler_are_the_others_and_hooks_hear_of_it(made: Made) -> None:
    # The hook's $CC says for whom it compiles, and what it compiles runs under emulation.
    assert "\naarch64-linux-gnu\ntried\n" in made.log
    compiled = next(line for line in made.log.splitlines() if " -c tiny.c" in line)
    assert compiled.split()[0] == "aarch64-linux-gnu-gcc"
    assert "-I/opt/target-python/include/python3.11" in compiled
    assert "/opt/python/cp311-cp311/include" not in compiled


def test_the_report_names_the_headers(made: Made) -> None:
    assert {"libpython3.11-dev", "libpython3.11-minimal"} <= {one.name for one in made.built.toolchains}


def test_what_a_backend_compiles_for_this_processor_is_seen_in_the_wheel(tmp_path: Path) -> None:
    """The negative control: the small recipe's own backend calls gcc, whatever it is told."""
    faults = make(tmp_path, setuptools=False).faults()["J1"]
    assert "tiny/_tiny.cpython-311-x86_64-linux-gnu.so: is built for x86_64, the wheel is tagged " in faults[0]
    assert faults[0].endswith("manylinux_2_28_aarch64")
