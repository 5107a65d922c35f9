"""Building for another processor: what compilers, Python and CMake are told in the container of a builder.

The build environment is the builder's own, since what it holds runs there: compilers of Python code, CMake, generators
of source code.  Only the recipe's hooks and the build itself are told of the other processor.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.build import target_sysconfig
from orchestrator.containers.model import WORK
from orchestrator.report.model import Pinned
from orchestrator.store.target_python import TargetPython
from orchestrator.tarstream import tar_of

FOLDER = "cross"
"""Our folder on the work volume."""

MOUNT = "/opt/target-python"
"""Where the headers of the other processor's Python are mounted."""

TOOLCHAIN = f"{WORK}/{FOLDER}/toolchain.cmake"

_TOOLS = {
    "CC": "gcc", "CXX": "g++", "CPP": "cpp", "AR": "ar", "LD": "ld", "NM": "nm", "OBJCOPY": "objcopy",
    "OBJDUMP": "objdump", "RANLIB": "ranlib", "READELF": "readelf", "STRIP": "strip",
}  # fmt: skip
"""GNU tools by the environment variable that names each (GNU make manual, implicit variables; Autoconf)."""

_CMAKE = """\
# What CMake is told of a build for another processor (CMake manual, cmake-toolchains).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {arch})
set(CMAKE_LIBRARY_ARCHITECTURE {triplet})
set(CMAKE_C_COMPILER /usr/bin/{triplet}-gcc)
set(CMAKE_CXX_COMPILER /usr/bin/{triplet}-g++)
set(CMAKE_CUDA_HOST_COMPILER /usr/bin/{triplet}-g++)
foreach(tool IN ITEMS ar nm objcopy objdump ranlib readelf strip)
  string(TOUPPER ${{tool}} name)
  set(CMAKE_${{name}} /usr/bin/{triplet}-${{tool}} CACHE FILEPATH "")
endforeach()
set(CMAKE_LINKER /usr/bin/{triplet}-ld CACHE FILEPATH "")

# Debian keeps the libraries of a cross compiler there; what a build brings along lies elsewhere.
list(APPEND CMAKE_FIND_ROOT_PATH /usr/{triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# The interpreter runs here; modules are compiled for the other one (FindPython; pybind11's own words).
foreach(prefix IN ITEMS Python Python3)
  set(${{prefix}}_INCLUDE_DIR {python}/include/python{version} CACHE PATH "")
  set(${{prefix}}_SOABI {soabi} CACHE STRING "")
endforeach()
set(PYTHON_MODULE_EXTENSION .{soabi}.so CACHE STRING "")
set(PYTHON_MODULE_DEBUG_POSTFIX "" CACHE STRING "")
set(PYTHON_IS_DEBUG 0 CACHE BOOL "")
"""


@dataclass(frozen=True, kw_only=True)
class CrossBuild:
    """A build for the processor of `python` in a container of the processor `host`."""

    host: str
    python: TargetPython

    @property
    def triplet(self) -> str:
        """What GNU tools for the processor are called by."""
        return f"{self.python.arch}-linux-gnu"

    @property
    def soabi(self) -> str:
        """What extension modules bear in their names (PEP 3149): cpython-311-aarch64-linux-gnu."""
        return f"cpython-{self.python.python.replace('.', '')}-{self.triplet}"

    @property
    def identity(self) -> dict[str, object]:
        """All of it that can change a wheel, but for this package's code."""
        return {"host": self.host, "python": self.python.sha256}

    @property
    def pinned(self) -> tuple[Pinned, ...]:
        """The report's lines about it."""
        return tuple(Pinned(name=one.name, version=one.version, sha256=one.sha256) for one in self.python.parts)

    @property
    def environment(self) -> dict[str, str]:
        """Variables of the hooks and of the build.

        sysconfig reads the first two, as CPython's own cross builds set them; setuptools SETUPTOOLS_EXT_SUFFIX, nvcc
        NVCC_CCBIN, and CMake CUDAHOSTCXX and CMAKE_TOOLCHAIN_FILE (CMake manual, cmake-env-variables).  With
        QEMU_LD_PREFIX a program that the build compiles and runs finds its loader, where the engine has emulation
        (QEMU's user mode manual, -L).
        """
        return {
            **{variable: f"{self.triplet}-{tool}" for variable, tool in _TOOLS.items()},
            "_PYTHON_HOST_PLATFORM": f"linux-{self.python.arch}",
            "_PYTHON_SYSCONFIGDATA_NAME": target_sysconfig.MODULE,
            "PYTHONPATH": f"{WORK}/{FOLDER}:{MOUNT}/lib",
            "SETUPTOOLS_EXT_SUFFIX": f".{self.soabi}.so",
            "CMAKE_TOOLCHAIN_FILE": TOOLCHAIN,
            "CUDAHOSTCXX": f"/usr/bin/{self.triplet}-g++",
            "NVCC_CCBIN": f"/usr/bin/{self.triplet}-g++",
            "QEMU_LD_PREFIX": f"/usr/{self.triplet}",
        }

    def tar(self) -> bytes:
        """Our folder on the work volume: CMake's toolchain file and the constants that sysconfig reads."""
        constants = Path(target_sysconfig.__file__).read_bytes()
        return tar_of({"toolchain.cmake": self.toolchain.encode(), f"{target_sysconfig.MODULE}.py": constants})

    @property
    def toolchain(self) -> str:
        """The text of CMake's toolchain file."""
        python = self.python
        return _CMAKE.format(
            arch=python.arch, triplet=self.triplet, python=MOUNT, version=python.python, soabi=self.soabi
        )
