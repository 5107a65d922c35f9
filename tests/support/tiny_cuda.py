"""A recipe with a CUDA variant that builds in seconds: one kernel in a Python module, by CMake."""

from __future__ import annotations

from pathlib import Path

from tests.support.tiny import locked

RECIPE = """
[project]
name = "tinycuda"
import = "tinycuda"
source = { path = "source" }

[build]
requires-lock = "build.lock"
version = "1.0"
version-variable = "TINY_VERSION"
arch-variable = "CUDAARCHS"
cuda-switch = "TINY_CUDA"
compiler-cache = false
minutes = 3

[variants.cpu]
local = "cpu"
env = { TINY_CUDA = "OFF" }

[variants."cuda-13.0"]
local = "cu130"
toolchain = "cuda-13.0"
requires = ["nvidia-cuda-runtime>=13.0,<14"]
arch.x86_64 = ["8.0", "9.0"]
env = { TINY_CUDA = "ON" }

[matrix]
python = ["3.11"]
"""

CMAKE = """\
cmake_minimum_required(VERSION 3.24)
project(tinycuda LANGUAGES CXX)
# Before the language is enabled the architectures are the environment's.
if(DEFINED ENV{TINY_CUDA} AND "$ENV{TINY_CUDA}")
  enable_language(CUDA)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../nvidia/cu13/lib")
else()
  set_source_files_properties(tiny.cu PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
endif()
add_library(_tiny MODULE tiny.cu)
target_include_directories(_tiny PRIVATE "${PYTHON_INCLUDE}")
set_target_properties(_tiny PROPERTIES PREFIX "" CUDA_RUNTIME_LIBRARY Shared BUILD_WITH_INSTALL_RPATH ON)
target_link_options(_tiny PRIVATE -s)
"""

KERNEL = """\
#include <Python.h>
#ifdef __CUDACC__
__global__ void twice(float* x) { *x *= 2; }
void launch(float* x) { twice<<<1, 1>>>(x); }
#endif
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tiny", NULL, -1, NULL, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__tiny(void) { return PyModule_Create(&module); }
"""

_PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""

_BACKEND = '''
"""Runs CMake and packs a wheel."""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version, cuda = os.environ["TINY_VERSION"], os.environ.get("TINY_CUDA") == "ON"
    include = f"-DPYTHON_INCLUDE={sysconfig.get_path('include')}"
    for step in (["-S.", "-Bbuild", "-GNinja", include], ["--build", "build"]):
        if subprocess.run(["cmake", *step]).returncode:
            sys.exit("CMake fails")
    tag = f"cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-linux_x86_64"
    info = f"tinycuda-{version}.dist-info"
    needs = "Requires-Dist: nvidia-cuda-runtime>=13.0,<14\\n" if cuda else ""
    files = {
        "tinycuda/__init__.py": b"from tinycuda import _tiny",
        "tinycuda/_tiny.abi3.so": Path("build/_tiny.so").read_bytes(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: tinycuda\\nVersion: {version}\\n{needs}".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: false\\nTag: {tag}\\n".encode(),
    }
    record, name = "", f"tinycuda-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\\n"
            archive.writestr(path, data)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\\n")
    return name
'''


def tiny_cuda_recipe(folder: Path, *, recipe: str = RECIPE, cmake: str = CMAKE) -> Path:
    """Write the recipe into `folder/tinycuda` and give that."""
    target = folder / "tinycuda"
    source = target / "source"
    source.mkdir(parents=True)
    (target / "recipe.toml").write_text(recipe)
    (target / "build.lock").write_text("".join(locked(name) for name in ("cmake", "ninja", "pip")))
    (source / "pyproject.toml").write_text(_PROJECT)
    (source / "backend.py").write_text(_BACKEND)
    (source / "CMakeLists.txt").write_text(cmake)
    (source / "tiny.cu").write_text(KERNEL)
    return target


def without(text: str, *lines: str) -> str:
    """A text without the lines that begin so; each begins exactly one."""
    for start in lines:
        kept = [line for line in text.splitlines(keepends=True) if not line.startswith(start)]
        assert len(kept) == len(text.splitlines()) - 1, start
        text = "".join(kept)
    return text
