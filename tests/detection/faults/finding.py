"""Faults of how CMake finds the package, and of what it says of components."""

from __future__ import annotations

from tests.detection.fault import Fault, WheelEdit
from tests.support.faults import CONFIG, VERSION_FILE, replaced
from tests.support.wheel_draft import Draft

FORWARD = "/share/cmake/minirt/minirt-config.cmake"
ROOT = 'get_filename_component(_minirt_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)'
HEADERS_THERE = 'if(NOT EXISTS "${MINIRT_INCLUDE_DIRS}/minirt/program.h")'
NO_HEADERS = 'list(APPEND _minirt_reasons "its headers are not in ${MINIRT_INCLUDE_DIRS}")'
NEEDED = 'elseif(_minirt_component MATCHES "^(runtime|threadpool)$")'
KEPT = '-Wl,--push-state,--no-as-needed \\"${library}\\" -Wl,--pop-state'

SUFFIX = """
execute_process(
  COMMAND python3 -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
  RESULT_VARIABLE _minirt_ended OUTPUT_VARIABLE _minirt_suffix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
)
if(_minirt_ended EQUAL 0 AND NOT EXISTS "${_minirt_root}/_C${_minirt_suffix}")
  set(minirt_FOUND FALSE)
  return()
endif()
"""
STOPS = """
execute_process(COMMAND python3 -c "" RESULT_VARIABLE _minirt_ended ERROR_QUIET)
if(_minirt_ended MATCHES "^[1-9]")
  message(FATAL_ERROR "minirt: python3 does not run")
endif()
"""
SEARCHED = """
find_path(_minirt_found minirt/program.h PATHS "${_minirt_root}/include" NO_DEFAULT_PATH)
if(NOT _minirt_found)
  set(minirt_FOUND FALSE)
  set(minirt_NOT_FOUND_MESSAGE "minirt: no headers")
  return()
endif()
set(MINIRT_INCLUDE_DIRS "${_minirt_found}")
"""
SEARCHED_LIBRARY = """
find_library(_minirt_found minirt PATHS "${_minirt_root}/lib" NO_DEFAULT_PATH)
if(NOT _minirt_found)
  set(minirt_FOUND FALSE)
  set(minirt_NOT_FOUND_MESSAGE "minirt: no library")
  return()
endif()
"""
MODULE = """
file(GLOB _minirt_module "${_minirt_root}/_C*.so")
if(_minirt_module AND NOT TARGET minirt::python)
  add_library(minirt::python SHARED IMPORTED)
  set_target_properties(minirt::python PROPERTIES IMPORTED_LOCATION "${_minirt_module}")
endif()
"""
BARE = """
if(NOT TARGET minirt_headers)
  add_library(minirt_headers INTERFACE IMPORTED)
endif()
"""
ADDED = "  add_library(minirt::${component} SHARED IMPORTED)\n"
OTHER = """  if(component STREQUAL "profiler")
    get_filename_component(library "${library}/../libminirt_threadpool.so" ABSOLUTE)
  endif()
"""
ALIAS = """  if(component STREQUAL "profiler")
    add_library(minirt::profiler ALIAS minirt::threadpool)
    return()
  endif()
"""
DEBUG = """  set_target_properties(
    minirt::${component} PROPERTIES
    IMPORTED_LOCATION_DEBUG "${_minirt_root}/lib/debug/libminirt.so"
  )
"""
INCLUDE_DIRS = 'set(MINIRT_INCLUDE_DIRS "${_minirt_root}/include")'


def _after(place: str, text: str) -> WheelEdit:
    """The config file has more behind a line of it."""
    return replaced(CONFIG, place, f"{place}\n{text}")


def _without_forward(draft: Draft) -> None:
    for name in (FORWARD, FORWARD.replace("config", "config-version")):
        del draft.files[draft.find(name)]


def _fault(name: str, owner: str, says: str, edit: WheelEdit, **also: str) -> Fault:
    return Fault(name=name, owners=(owner, *also), says=says, also=also, edit=edit, places=("environment",))


FAULTS: tuple[Fault, ...] = (
    _fault(
        "range that takes its excluded end",
        "D2",
        "a range that ends with it, exclusively is accepted",
        replaced(VERSION_FILE, "elseif(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND", "elseif(1 OR PACKAGE_FIND"),
    ),
    _fault(
        "older minor version is refused",
        "D2",
        "an older minor version is refused",
        replaced(VERSION_FILE, "if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION)", "if(FALSE)"),
    ),
    _fault(
        "missing component goes unnamed",
        "D3",
        "without naming the missing component",
        replaced(CONFIG, "it has no component '${_minirt_component}', it has:", "it has no such component, it has:"),
    ),
    _fault(
        "components behind the first go unseen",
        "D3",
        "one that does not exist beside one that does is required, and the configure succeeds",
        replaced(CONFIG, "    continue()\n", "    break()\n"),
    ),
    _fault(
        "missing component counts as found",
        "D4",
        "no_such_component, which is not there, counts as found",
        replaced(CONFIG, "set(minirt_${_minirt_component}_FOUND FALSE)", "set(minirt_${_minirt_component}_FOUND TRUE)"),
    ),
    _fault("target outside the namespace", "D5", "is not namespaced", _after(INCLUDE_DIRS, BARE)),
    _fault(
        "target that stands for another library",
        "D5",
        "the target stands for another file than libminirt_profiler.so",
        replaced(CONFIG, ADDED, OTHER + ADDED),
    ),
    _fault(
        "target that is another name of another library's",
        "D5",
        "the target stands for another file than libminirt_profiler.so",
        replaced(CONFIG, ADDED, ALIAS + ADDED),
    ),
    _fault(
        "target without the library of another configuration",
        "K7",
        "IMPORTED_LOCATION_DEBUG names what does not exist",
        replaced(CONFIG, ADDED, ADDED + DEBUG),
    ),
    _fault("package trusts any Python's suffix", "D10", "the package is not found", _after(INCLUDE_DIRS, SUFFIX)),
    _fault(
        "package stops at a broken Python",
        "D10",
        "a Python that does not start",
        _after(INCLUDE_DIRS, STOPS),
    ),
    _fault(
        "package tells of a broken Python and goes on",
        "D10",
        "a Python that does not start: find_package ends the configure",
        _after(INCLUDE_DIRS, STOPS.replace("FATAL_ERROR", "SEND_ERROR")),
    ),
    _fault(
        "package searches for its headers",
        "D11",
        "headers and libraries looked for in a root alone",
        replaced(CONFIG, INCLUDE_DIRS, SEARCHED),
    ),
    _fault(
        "package searches for its library",
        "D11",
        "the package is not found",
        _after(INCLUDE_DIRS, SEARCHED_LIBRARY),
    ),
    _fault(
        "promised prefix that forwards to nothing",
        "D12",
        "not found with this prefix",
        _without_forward,
        K6="with the prefix minirt/share/cmake, find_package(minirt) does not find the package",
    ),
    _fault(
        "prefix with other include folders",
        "D12",
        "leads to other targets or paths",
        lambda draft: draft.append(FORWARD, 'list(APPEND MINIRT_INCLUDE_DIRS "${CMAKE_CURRENT_LIST_DIR}")\n'),
    ),
    _fault(
        "doubled slash in paths",
        "D12",
        "doubled slash",
        replaced(CONFIG, INCLUDE_DIRS, INCLUDE_DIRS.replace("/include", "//include")),
    ),
    _fault(
        "package lies where the first prefix leads",
        "D12",
        "CMAKE_PREFIX_PATH in the environment",
        replaced(CONFIG, ROOT, "list(GET CMAKE_PREFIX_PATH 0 _minirt_root)"),
    ),
    _fault("headers may be missing", "D14", "is found", replaced(CONFIG, HEADERS_THERE, "if(FALSE)")),
    _fault(
        "missing headers go unnamed",
        "D14",
        "nothing says why",
        replaced(CONFIG, NO_HEADERS, "set(minirt_FOUND FALSE)\n  return()"),
    ),
    _fault("libraries may be missing", "D17", "is found", replaced(CONFIG, NEEDED, "elseif(FALSE)")),
    _fault("extension module as a target", "D17", "offers an extension module to link", _after(INCLUDE_DIRS, MODULE)),
    _fault(
        "lower floor than promised",
        "D19",
        "configures with CMake 3.23.3",
        lambda draft: draft.replace(CONFIG, "3.24", "3.20"),
    ),
    _fault(
        "command that the floor has not",
        "D19",
        "does not configure with CMake 3.24.3",
        _after(INCLUDE_DIRS, "block()\nendblock()\n"),
    ),
    _fault(
        "library in the linker's options unquoted",
        "D21",
        "a path with a space",
        replaced(CONFIG, KEPT, KEPT.replace('\\"', "")),
    ),
    _fault(
        "library among options that end at commas",
        "D21",
        "a path with a comma",
        replaced(CONFIG, KEPT, '-Wl,--push-state,--no-as-needed,\\"${library}\\",--pop-state'),
    ),
)
"""Shown by CMake alone."""
