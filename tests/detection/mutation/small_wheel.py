"""The wheel that is damaged: small, and with something of every kind that is read."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.support.elves import build_library, tiny_elf
from tests.support.wheels import TAG, make_wheel

_RUNTIME = """
namespace demo { int register_backend(int x) { return x; } thread_local int state = 1; int count() { return state; } }
"""
_MODULE = """
namespace demo { int count(); }
extern "C" void* PyInit__C() { return reinterpret_cast<void*>(static_cast<long>(demo::count())); }
"""
_CONFIG = """
cmake_minimum_required(VERSION 3.24)
get_filename_component(_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(DEMO_INCLUDE_DIRS "${_root}/include")
if(NOT TARGET demo::runtime)
  add_library(demo::runtime SHARED IMPORTED)
  set_target_properties(demo::runtime PROPERTIES IMPORTED_LOCATION "${_root}/lib/libdemo.so")
endif()
"""
_VERSION_FILE = """
set(PACKAGE_VERSION "1.0.0")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
"""
_DEVICE_CODE = """
__attribute__((section(".nv_fatbin"), aligned(8), used)) const unsigned char code[] = {%s};
"""
_PC = "prefix=${pcfiledir}/../..\nName: demo\nDescription: demo\nVersion: 1.0.0\nLibs: -L${prefix}/lib -ldemo\n"


def _device_code() -> str:
    """Source with a container of one cubin for sm_80, of 64 bytes (see `orchestrator.elf.fatbin`)."""
    entry = struct.pack("<HHIQI8xI8xQ8xQ", 2, 0x101, 64, 64, 0, 80, 0, 64) + bytes(64)
    container = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    return _DEVICE_CODE % ",".join(map(str, container))


def small_wheel(folder: Path) -> Path:
    """Write it; its libraries are compiled by the machine's compiler."""
    runtime = build_library(folder, "libdemo.so", _RUNTIME, ["-Wl,-soname,libdemo.so", "-Wl,-rpath,$ORIGIN"])
    module = build_library(folder, "_C.so", _MODULE, ["-Wl,-rpath,$ORIGIN/lib", f"-L{folder}", "-ldemo"])
    kernels = build_library(folder, "libkernels.so", _device_code(), ["-Wl,-soname,libkernels.so"])
    files = {
        "demo/__init__.py": b"from demo import _C\n",
        "demo/version.py": b'__version__ = "1.0.0"\n',
        "demo/_C.cpython-311-x86_64-linux-gnu.so": module.read_bytes(),
        "demo/lib/libdemo.so": runtime.read_bytes(),
        "demo/lib/libkernels.so": kernels.read_bytes(),
        "demo/lib/libtiny.so": tiny_elf(),
        "demo/include/demo/demo.h": b"#pragma once\nnamespace demo { int count(); }\n",
        "demo/lib/cmake/demo/demo-config.cmake": _CONFIG.encode(),
        "demo/lib/cmake/demo/demo-config-version.cmake": _VERSION_FILE.encode(),
        "demo/lib/pkgconfig/demo.pc": _PC.encode(),
        "demo-1.0.0.data/scripts/demo-tool": b"#!python\nprint(1)\n",
    }
    requires = ["numpy>=1.26; python_version < '3.13'", "nvidia-cuda-runtime-cu12>=12.6,<13"]
    return make_wheel(folder, files, name="demo", version="1.0.0", tag=TAG, requires=requires)
