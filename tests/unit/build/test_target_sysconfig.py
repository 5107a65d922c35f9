"""sysconfig in a build for another processor: read by an interpreter of this machine, as in a container."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from orchestrator.build import target_sysconfig
from orchestrator.build.target_sysconfig import MODULE, merged

OWN: dict[str, str | int] = {
    "CC": "gcc -pthread", "LDSHARED": "/usr/bin/gcc -pthread -shared", "AR": "ar", "CFLAGS": "-O2", "VERSION": "3.11",
    "SOABI": "cpython-311-x86_64-linux-gnu", "MULTIARCH": "x86_64-linux-gnu", "SIZEOF_LONG": 8, "SIZEOF_WCHAR_T": 4,
    "Py_ENABLE_SHARED": 0, "INCLUDEPY": "/opt/python/include/python3.11",
}  # fmt: skip
TARGET: dict[str, str | int] = {
    "CC": "aarch64-linux-gnu-gcc", "CFLAGS": "-g -fstack-protector-strong", "MULTIARCH": "aarch64-linux-gnu",
    "SOABI": "cpython-311-aarch64-linux-gnu", "SIZEOF_LONG": 16, "Py_ENABLE_SHARED": 1,
}  # fmt: skip

ASK = """
import json, sysconfig
names = ("EXT_SUFFIX", "SOABI", "CC", "INCLUDEPY")
print(json.dumps([sysconfig.get_platform(), sysconfig.get_path("include"), sysconfig.get_path("purelib"),
                  *(sysconfig.get_config_var(name) for name in names)]))
"""


def test_names_and_sizes_are_the_targets_and_all_else_is_the_builders() -> None:
    found = merged(OWN, TARGET, "/tree")
    assert found["CC"] == "aarch64-linux-gnu-gcc -pthread"
    assert found["LDSHARED"] == "aarch64-linux-gnu-gcc -pthread -shared"
    assert found["AR"] == "aarch64-linux-gnu-ar"
    assert (found["SOABI"], found["MULTIARCH"]) == ("cpython-311-aarch64-linux-gnu", "aarch64-linux-gnu")
    assert (found["SIZEOF_LONG"], found["SIZEOF_WCHAR_T"]) == (16, 4)
    assert (found["CFLAGS"], found["Py_ENABLE_SHARED"]) == ("-O2", 0)
    assert found["INCLUDEPY"] == "/tree/include/python3.11"
    assert {found["installed_base"], found["installed_platbase"]} == {"/tree"}


def test_an_interpreter_that_is_told_answers_for_the_other_processor(tmp_path: Path) -> None:
    ours, lib = tmp_path / "cross", tmp_path / "tree" / "lib"
    for folder in (ours, lib):
        folder.mkdir(parents=True)
    shutil.copy(target_sysconfig.__file__, ours / f"{MODULE}.py")
    constants = {"MULTIARCH": "aarch64-linux-gnu", "EXT_SUFFIX": ".cpython-3-aarch64.so", "SOABI": "cpython-3-aarch64"}
    (lib / "sysconfigdata.py").write_text(f"build_time_vars = {constants!r}")
    told = {
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
        "_PYTHON_SYSCONFIGDATA_NAME": MODULE,
        "PYTHONPATH": f"{ours}:{lib}",
    }

    def ask(more: dict[str, str]) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", ASK], env={**os.environ, **more}, capture_output=True, text=True, check=True
        )
        found: list[str] = json.loads(done.stdout)
        return found

    platform, include, purelib, suffix, soabi, compiler, headers = ask(told)
    assert (platform, suffix, soabi) == ("linux-aarch64", ".cpython-3-aarch64.so", "cpython-3-aarch64")
    version = sysconfig.get_config_var("VERSION")
    assert headers == include == f"{tmp_path / 'tree'}/include/python{version}"
    assert compiler.startswith("aarch64-linux-gnu-")
    # Not told, it answers for itself; what is installed goes to the same place.
    mine = ask({})
    assert mine[0] == sysconfig.get_platform()
    assert mine[3] == sysconfig.get_config_var("EXT_SUFFIX")
    assert mine[2] == purelib
