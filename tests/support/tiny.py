"""A recipe whose build is one C file and takes a second: what the command line's tests build.

Its PEP 517 backend lies in its source and needs nothing but a compiler, so that tests of what
happens around a build do not wait for one.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

MINIRT = Path(__file__).resolve().parents[2] / "recipes" / "minirt"

GOOD = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_tiny", NULL, -1, NULL, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__tiny(void) { return PyModule_Create(&module); }
"""

BAD = GOOD + "\nint answer(void) { return undeclared_name; }\n"

_RECIPE = """
[project]
name = "tiny"
import = "tiny"
source = { path = "source" }

[build]
requires-lock = "build.lock"
version = "1.0"
version-variable = "TINY_VERSION"
minutes = 2

[variants.cpu]
local = "cpu"

[matrix]
python = ["3.11", "3.13"]
"""

_PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""

_BACKEND = '''
"""Compiles tiny.c and packs a wheel."""

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = os.environ["TINY_VERSION"]
    print("compiling tiny.c", flush=True)
    compiler = ["gcc", "-shared", "-fPIC", "-s", "-I", sysconfig.get_path("include"), "-o", "_tiny.so"]
    if Path("endless").exists():
        # The compiler waits for a source that never ends, and costs nothing meanwhile.
        subprocess.run([*compiler, "-x", "c", "-"], stdin=os.fdopen(os.pipe()[0]), check=True)
    if subprocess.run([*compiler, "tiny.c"]).returncode:
        sys.exit("tiny.c does not compile")
    minor = sys.version_info.minor
    tag = f"cp3{minor}-cp3{minor}-linux_x86_64"
    info = f"tiny-{version}.dist-info"
    files = {
        "tiny/__init__.py": b"from tiny import _tiny",
        f"tiny/_tiny.cpython-3{minor}-x86_64-linux-gnu.so": Path("_tiny.so").read_bytes(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: tiny\\nVersion: {version}\\n".encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: false\\nTag: {tag}\\n".encode(),
    }
    record = ""
    name = f"tiny-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\\n"
            archive.writestr(path, data)
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\\n")
    return name
'''


def tiny_recipe(folder: Path, code: str = GOOD, *, endless: bool = False) -> Path:
    """Write the recipe into `folder/tiny` and give that; an `endless` build never ends by itself."""
    recipe = folder / "tiny"
    source = recipe / "source"
    source.mkdir(parents=True)
    (recipe / "recipe.toml").write_text(_RECIPE)
    (recipe / "build.lock").write_text(locked("pip"))
    (source / "pyproject.toml").write_text(_PROJECT)
    (source / "backend.py").write_text(textwrap.dedent(_BACKEND))
    (source / "tiny.c").write_text(code)
    if endless:
        (source / "endless").touch()
    return recipe


def locked(name: str, recipe: str = "minirt") -> str:
    """The lines of a recipe's lock about one distribution."""
    lines = (MINIRT.parent / recipe / "build.lock").read_text().splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{name}=="))
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith(" ")), len(lines))
    return "".join(lines[start:end])
