"""A small SDK with a CMake package: sources, package files, recipe and consumer, for tests in containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.images.imageset import ImageSet
from orchestrator.recipe.model import Recipe
from orchestrator.tarstream import tar_of

RUNTIME = """
#include <map>
#include <string>
namespace demo {
using Operator = float (*)(float);
std::map<std::string, Operator>& operators() { static std::map<std::string, Operator> all; return all; }
int& backends() { static int count = 0; return count; }
}
"""
KERNELS = """
#include <demo/demo.h>
static float twice(float x) { return 2 * x; }
static const bool done = [] { demo::operators()["twice"] = twice; return true; }();
"""
DELEGATE = """
#include <demo/demo.h>
static const bool done = [] { demo::backends() += 1; return true; }();
"""
HEADER = """#pragma once
#include <map>
#include <string>
#ifndef DEMO_ENABLED
#error "the package's definitions are missing"
#endif
#if __cplusplus < 201703L
#error "demo needs C++17"
#endif
namespace demo {
using Operator = float (*)(float);
std::map<std::string, Operator>& operators();
int& backends();
}
"""
PART = '#ifndef DEMO_WHOLE\n#error "include demo.h"\n#endif\n'

CONSUMER = """
#include <demo/demo.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
int main(int argc, char** argv) {
  if (argc == 2) {
    std::printf("backends=%d [%s]\\n", demo::backends(), demo::backends() ? "DemoBackend" : "");
    return 0;
  }
  if (argc != 4) return 2;
  std::ifstream program(argv[1]), reference(argv[2]);
  std::string name, input, output;
  if (!(program >> name) || !(reference >> input >> output)) return 2;
  if (name == "DemoBackend") {
    if (demo::backends() == 0) { std::printf("DemoBackend is not registered\\n"); return 4; }
    name = "twice";
  }
  const auto found = demo::operators().find(name);
  if (found == demo::operators().end()) { std::printf("Missing operator: %s\\n", name.c_str()); return 5; }
  const float expected = std::strtof(output.c_str(), nullptr);
  const float difference = std::fabs(found->second(std::strtof(input.c_str(), nullptr)) - expected);
  if (!(difference <= std::atof(argv[3]))) { std::printf("mismatch: %g\\n", difference); return 6; }
  return 0;
}
"""

CONFIG = """
cmake_minimum_required(VERSION 3.24)
set(root "${CMAKE_CURRENT_LIST_DIR}/../../..")
get_filename_component(root "${root}" ABSOLUTE)
set(DEMO_INCLUDE_DIRS "${root}/include")
set(DEMO_DEFINITIONS DEMO_ENABLED)
set(DEMO_STANDARD 17)
set(DEMO_LIBRARIES)
if(CMAKE_VERSION VERSION_LESS 3.28)
  set(DEMO_LIBRARIES "${root}/lib/libdemo_runtime.so")  # a plain path: CMake records its folder
endif()
foreach(part runtime kernels delegate)
  set(library "${root}/lib/libdemo_${part}.so")
  if(NOT EXISTS "${library}" OR NOT EXISTS "${DEMO_INCLUDE_DIRS}/demo/demo.h")
    set(demo_FOUND FALSE)
    set(demo_NOT_FOUND_MESSAGE "${library} or the headers in ${DEMO_INCLUDE_DIRS} are missing")
    return()
  endif()
  set(kept "-Wl,--push-state,--no-as-needed \\"${library}\\" -Wl,--pop-state")
  if(CMAKE_VERSION VERSION_LESS 3.28)
    list(APPEND DEMO_LIBRARIES "${kept}")
    continue()
  endif()
  list(APPEND DEMO_LIBRARIES demo::${part})
  if(NOT TARGET demo::${part})
    add_library(demo::${part} SHARED IMPORTED)
    set_target_properties(demo::${part} PROPERTIES
      IMPORTED_LOCATION "${library}" INTERFACE_INCLUDE_DIRECTORIES "${DEMO_INCLUDE_DIRS}"
      INTERFACE_COMPILE_DEFINITIONS DEMO_ENABLED INTERFACE_COMPILE_FEATURES cxx_std_17
      INTERFACE_LINK_OPTIONS "LINKER:--enable-new-dtags,-rpath,$ORIGIN,-rpath,$ORIGIN/../lib;SHELL:${kept}")
  endif()
endforeach()
foreach(part IN LISTS demo_FIND_COMPONENTS)
  if(TARGET demo::${part})
    set(demo_${part}_FOUND TRUE)
  elseif(demo_FIND_REQUIRED_${part})
    set(demo_FOUND FALSE)
    set(demo_NOT_FOUND_MESSAGE "no component ${part}; components need CMake 3.28")
  endif()
endforeach()
"""
VERSION = """
set(PACKAGE_VERSION "1.5.1")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION OR
   (PACKAGE_FIND_VERSION AND NOT PACKAGE_FIND_VERSION_MAJOR EQUAL 1))
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "EXCLUDE" AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE" AND PACKAGE_VERSION VERSION_GREATER PACKAGE_FIND_VERSION_MAX)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
elseif(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""

CONFIG_FILE = "demo/lib/cmake/demo/demo-config.cmake"
VERSION_FILE = "demo/lib/cmake/demo/demo-config-version.cmake"

BUILD = """set -e
cd /work/demo
one() { name=$1; shift; g++ -std=c++17 -shared -fPIC -DDEMO_ENABLED -Iinclude "-Wl,-soname,libdemo_$name.so" \
  '-Wl,-rpath,$ORIGIN' -o "out/libdemo_$name.so" "$name.cpp" "$@"; }
mkdir -p out
one runtime
one kernels -Lout -ldemo_runtime
one delegate -Lout -ldemo_runtime
"""
"""Makes the libraries from SOURCES in the folder /work/demo of a container with a compiler."""

SOURCES = {
    "runtime.cpp": RUNTIME,
    "kernels.cpp": KERNELS,
    "delegate.cpp": DELEGATE,
    "include/demo/demo.h": HEADER,
    "build.sh": BUILD,
}
LIBRARIES = ("libdemo_runtime.so", "libdemo_kernels.so", "libdemo_delegate.so")


def compiled(images: ImageSet) -> dict[str, bytes]:
    """The libraries, compiled in the test image."""
    engine = images.connected()
    ready = images.ensure("bookworm", policy="stand-in")
    work = engine.volume("demo", row="demo")
    done = engine.run(
        image=ready.reference,
        command=("/bin/sh", "/work/demo/build.sh"),
        row="demo",
        step="build",
        work=work,
        inputs={"demo": tar_of({name: text.encode() for name, text in SOURCES.items()})},
        arch=images.arch,
    )
    assert done.exit == 0, done.output_tail
    return {name: engine.read(work, f"demo/out/{name}") for name in LIBRARIES}


def wheel_files(libraries: dict[str, bytes]) -> dict[str, bytes]:
    """The members of a right wheel."""
    texts = {
        "demo/__init__.py": "",
        "demo/include/demo/demo.h": HEADER,
        "demo/include/demo/part.h": PART,
        CONFIG_FILE: CONFIG,
        VERSION_FILE: VERSION,
    }
    return {name: text.encode() for name, text in texts.items()} | {
        f"demo/lib/{name}": data for name, data in libraries.items()
    }


def recipe(folder: Path, **changes: Any) -> Recipe:
    """The SDK's recipe; its consumer and models are written into `folder`."""
    files = {"main.cpp": CONSUMER, "twice.bin": "twice\n", "delegated.bin": "DemoBackend\n", "values.txt": "1.5 3.0\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    model = {"reference": "values.txt", "tolerance": 1e-6}
    table: dict[str, Any] = {
        "project": {"name": "demo", "import": "demo", "source": {"wheel": "demo==1.5.1"}},
        "variants": {"cpu": {}},
        "matrix": {"python": ["3.11"]},
        "component": [
            {"name": "runtime", "library": "libdemo_runtime.so"},
            {"name": "kernels", "library": "libdemo_kernels.so", "retained": True},
            {"name": "delegate", "library": "libdemo_delegate.so", "retained": True, "registers": ["DemoBackend"]},
        ],
        "cmake": {
            "package": "demo",
            "floor": "3.24",
            "floor-tried": "3.24.3",
            "below-floor": "3.23.3",
            "targets-from": "3.28",
            "variables": {
                "libraries": "DEMO_LIBRARIES",
                "include-dirs": "DEMO_INCLUDE_DIRS",
                "definitions": "DEMO_DEFINITIONS",
                "cxx-standard": "DEMO_STANDARD",
            },
            "prefixes": ["demo"],
            "environments": [
                {"cmake": "3.24.3", "generator": "Unix Makefiles"},
                {"cmake": "4.4.5", "generator": "Ninja"},
            ],
        },
        "consumer": {
            "name": "app",
            "sources": ["main.cpp"],
            "missing-operator": "Missing operator",
            "missing-backend": "not registered",
        },
        "model": [
            {"name": "twice", "file": "twice.bin", "needs": ["kernels"], **model},
            {"name": "delegated", "file": "delegated.bin", "needs": ["kernels", "delegate"], "payload": "DemoBackend"}
            | model,
        ],
        "headers": {
            "root": "demo/include",
            "exempt": [{"path": "demo/part.h", "reason": "a part of demo.h, which includes it"}],
        },
    }
    return Recipe.model_validate(table | changes).model_copy(update={"folder": folder})
