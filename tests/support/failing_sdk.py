"""The small SDK of `demo_sdk` with one fault for each way in which a check fails, each in a place of its own.

In one environment the consumer with the runtime alone does not configure, that with every component does not compile,
and that by variables does not link.  In the other it runs, and its models fail each in another way.  The package does
not import, and lacks a file that the recipe promises.
"""

from __future__ import annotations

from pathlib import Path

from tests.support import demo_sdk
from tests.support.wheels import make_wheel

BUILD, RUN = "bookworm/cmake-3.28.4/make", "bookworm/cmake-4.4.5/ninja"
"""Environments, by what fails there."""
NO_IMPORT = "raise ImportError('no backend here')\n"

_FAULTS = """
if(PROJECT_NAME STREQUAL "consumer" AND CMAKE_VERSION VERSION_LESS 4)
  if(demo_FIND_COMPONENTS STREQUAL "runtime")
    message(FATAL_ERROR "demo cannot be used in this project")
  elseif(demo_FIND_COMPONENTS)
    set_target_properties(demo::runtime demo::kernels demo::delegate PROPERTIES INTERFACE_COMPILE_DEFINITIONS "")
  else()
    list(APPEND DEMO_DEFINITIONS DEMO_EXTRA)
  endif()
endif()
"""
_EXTRA = "\n#ifdef DEMO_EXTRA\nnamespace demo { void extra(); }\n#endif\n"

_STARTS = """
#include <cstring>
#include <thread>
#include <vector>
"""
_RUNS = """
  if (wanted == "slow") std::this_thread::sleep_for(std::chrono::hours(1));
  for (std::vector<char*> all; wanted == "hungry";) {
    all.push_back(new char[1 << 24]);
    std::memset(all.back(), 1, 1 << 24);
  }
  return 0;
}
"""

_RECIPE = """
[project]
name = "demo"
import = "demo"
source = { wheel = "demo==1.5.1" }

[variants.cpu]

[matrix]
python = ["3.11"]

[[component]]
name = "runtime"
library = "libdemo_runtime.so"

[[component]]
name = "kernels"
library = "libdemo_kernels.so"

[cmake]
package = "demo"
floor = "3.24"
targets-from = "3.24"
relocatable-targets = false
prefixes = ["demo"]
environments = [
  { cmake = "3.28.4", generator = "Unix Makefiles" },
  { cmake = "4.4.5", generator = "Ninja" },
]

[cmake.variables]
libraries = "DEMO_LIBRARIES"
include-dirs = "DEMO_INCLUDE_DIRS"
definitions = "DEMO_DEFINITIONS"
cxx-standard = "DEMO_STANDARD"

[consumer]
name = "app"
sources = ["main.cpp"]
missing-operator = "Missing operator"
missing-backend = "not registered"
seconds = 4
memory = "512M"

[[member]]
path = "demo/promised.txt"
ships = true
reason = "users of the package read it"
"""


def recipe(folder: Path) -> Path:
    """Write the recipe into `folder/demo` and give that."""
    target = folder / "demo"
    target.mkdir(parents=True)
    consumer = _STARTS + demo_sdk.CONSUMER.rstrip().removesuffix("return 0;\n}") + _RUNS
    before = '  if (name == "DemoBackend") {'
    assert before in consumer
    other = '  const std::string wanted = name;\n  if (name == "slow" || name == "hungry") name = "twice";\n'
    extra = "#ifdef DEMO_EXTRA\n  demo::extra();\n#endif\n"
    texts = {
        "main.cpp": consumer.replace(before, extra + other + before),
        "right.txt": "1.5 3.0\n",
        "wrong.txt": "1.5 4.0\n",
    }
    models = ""
    for name, holds, reference in (
        ("wrong", "twice", "wrong"),
        ("slow", "slow", "right"),
        ("hungry", "hungry", "right"),
    ):
        texts[f"{name}.bin"] = f"{holds}\n"
        models += f'\n[[model]]\nname = "{name}"\nfile = "{name}.bin"\nreference = "{reference}.txt"\n'
        models += 'tolerance = 1e-6\nneeds = ["kernels"]\n'
    for name, text in {**texts, "recipe.toml": _RECIPE + models}.items():
        (target / name).write_text(text)
    return target


def wheel(folder: Path, libraries: dict[str, bytes], *, imports: bool = False) -> Path:
    """The wheel with all faults, or one that can be imported; `libraries` are as compiled."""
    files = demo_sdk.wheel_files(libraries)
    files |= {
        demo_sdk.CONFIG_FILE: (demo_sdk.CONFIG + _FAULTS).encode(),
        "demo/include/demo/demo.h": (demo_sdk.HEADER + _EXTRA).encode(),
    }
    if not imports:
        files["demo/__init__.py"] = NO_IMPORT.encode()
    return make_wheel(folder, files, name="demo", version="1.5.1")
