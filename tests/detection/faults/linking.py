"""Faults in what consumers are given to link and load, and in the place where they are tried."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from orchestrator.report.model import CheckRecord
from orchestrator.verify.dynamic.batch import DECOYS, RUNNER
from orchestrator.verify.dynamic.catalogue import DYNAMIC_CHECKS
from orchestrator.verify.dynamic.probe import Asked, Probe, batch_json, read_answers
from orchestrator.verify.dynamic.records import judged
from tests.detection.edits import component
from tests.detection.fault import BuildFault, Fault
from tests.support.answers import make_context
from tests.support.faults import CONFIG, replaced

LISTED = "      list(APPEND MINIRT_LIBRARIES minirt::${_minirt_component})\n"
"""Where the list of libraries gets targets."""
LISTED_BY_PATH = '    else()\n      list(APPEND MINIRT_LIBRARIES "${_minirt_library}")\n'
"""Where it gets the path of a library of which nothing is registered."""
GUARD = "  if(TARGET minirt::${component})\n    return()\n  endif()\n"
RETAINED = '"-Wl,--push-state,--no-as-needed \\"${library}\\" -Wl,--pop-state"'
SEARCHED = "-rpath,$ORIGIN:$ORIGIN/../lib"
PLACE = '  set(_minirt_library "${_minirt_root}/lib/${_minirt_file_${_minirt_component}}")\n'
STAGED = (
    PLACE
    + """  if(EXISTS "${_minirt_library}")
    file(COPY "${_minirt_library}" DESTINATION "${CMAKE_BINARY_DIR}/staged")
    set(_minirt_library "${CMAKE_BINARY_DIR}/staged/${_minirt_file_${_minirt_component}}")
  endif()
"""
)
SHARED = 'INTERFACE_LINK_OPTIONS "SHELL:${kept}"'

UNLISTED_BY_PATH = LISTED_BY_PATH.replace("else()", 'elseif(NOT "${_minirt_component}" STREQUAL profiler)')

PINNED = "4.4.5"

ProbeEdit = Callable[[tuple[str, ...]], tuple[str, ...]]


def _unless(component: str, lines: str) -> str:
    """Lines of the config file's loop, for all components but one."""
    return f'      if(NOT "${{_minirt_component}}" STREQUAL {component})\n  {lines}      endif()\n'


def asked_here(check: str, edit: ProbeEdit) -> Callable[[], tuple[CheckRecord, ...]]:
    """What a check says that is asked on this machine, by the runner of the containers, with its steps edited."""

    def records() -> tuple[CheckRecord, ...]:
        row = next(one for one in DYNAMIC_CHECKS if one.id == check)
        with tempfile.TemporaryDirectory(prefix="asked-") as name:
            folder = Path(name)
            context = make_context(folder, cmake=PINNED)
            probes = tuple(_edited(probe, edit) for probe in row.probes(context))
            asked = Asked("", str(folder / "probes"), probes)
            (folder / "batch.json").write_bytes(batch_json([asked]))
            command = [sys.executable, str(RUNNER), str(folder / "batch.json"), str(folder / "out")]
            subprocess.run(command, check=True, env={"PATH": os.environ["PATH"], **DECOYS})
            stream = io.BytesIO()
            with tarfile.open(fileobj=stream, mode="w") as archive:
                archive.add(folder / "out", "out")
            found, _ = judged(row, context, read_answers(stream.getvalue(), [asked])[""], 0.0)
        return found

    return records


def _edited(probe: Probe, edit: ProbeEdit) -> Probe:
    return replace(probe, steps=tuple(replace(step, argv=edit(step.argv)) for step in probe.steps))


def as_pinned(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Every tool answers with the pinned version, whatever this machine has: without a fault C8 passes here."""
    return ("echo", argv[0], "version", PINNED)


def _instead(tool: str, *other: str) -> ProbeEdit:
    """Something else is started where that tool is meant; all others are as pinned."""
    return lambda argv: other if argv[0] == tool else as_pinned(argv)


FAULTS: tuple[Fault | BuildFault, ...] = (
    Fault(
        name="package sets include folders for its caller",
        owners=("D7",),
        says="a consumer without it is built, and should fail to compile",
        edit=lambda draft: draft.append(CONFIG, "include_directories(${MINIRT_INCLUDE_DIRS})\n"),
        places=("environment",),
        cmake="3.24.3",
    ),
    Fault(
        name="package sets the C++ standard of its caller",
        owners=("D7",),
        says="MINIRT_CXX_STANDARD: a consumer without it is built",
        edit=lambda draft: draft.append(CONFIG, "set(CMAKE_CXX_STANDARD 17)\n"),
        places=("environment",),
        cmake="3.24.3",
    ),
    Fault(
        name="package adds definitions for its caller",
        owners=("D7",),
        says="a consumer without it says nothing of 'threads=0'",
        edit=lambda draft: draft.append(CONFIG, "add_compile_definitions(${MINIRT_COMPILE_DEFINITIONS})\n"),
        places=("environment",),
        cmake="3.24.3",
    ),
    Fault(
        name="retention is not taken back",
        owners=("D8",),
        says="it retains whatever is linked after it",
        edit=replaced(CONFIG, RETAINED, RETAINED.replace(" -Wl,--pop-state", "")),
        places=("environment",),
    ),
    Fault(
        name="retention that ends in another state than it began",
        owners=("D8",),
        says="an option leaves --as-needed behind, which the program did not ask for",
        edit=replaced(CONFIG, RETAINED, '"-Wl,--no-as-needed \\"${library}\\" -Wl,--as-needed"'),
        places=("environment",),
    ),
    Fault(
        name="retention in options that components share",
        owners=("D8", "G1", "G3", "G5"),
        says="is dropped from a program that calls nothing of it",
        also={
            "G1": "Missing operator: quantize",
            "G3": "mlp_blocked: does not run with its component",
            "G5": "not registered: BlockedBackend",
        },
        edit=replaced(
            CONFIG, SHARED, 'INTERFACE_LINK_OPTIONS "-Wl,--push-state,--no-as-needed;${library};-Wl,--pop-state"'
        ),
        places=("environment",),
    ),
    Fault(
        name="second find_package gives an empty list",
        owners=("D9",),
        says="a second find_package in one project leaves runtime",
        edit=replaced(
            CONFIG,
            '      _minirt_add_target(${_minirt_component} "${_minirt_library}")\n' + LISTED,
            f"      if(NOT TARGET minirt::${{_minirt_component}})\n  {LISTED}      endif()\n"
            '      _minirt_add_target(${_minirt_component} "${_minirt_library}")\n',
        ),
        places=("environment",),
    ),
    Fault(
        name="second find_package makes its targets anew",
        owners=("D9",),
        says="a second find_package in one project ends the configure",
        edit=replaced(CONFIG, GUARD, ""),
        places=("environment",),
    ),
    Fault(
        name="component to be chosen is in the list",
        owners=("D9",),
        says="holds it, though MINIRT_QUANTIZED_LIBRARY is there to choose it",
        recipe=component("kernels_quantized", variable="MINIRT_QUANTIZED_LIBRARY"),
        places=("environment",),
    ),
    Fault(
        name="kernels that models need are not in the list",
        owners=("D9", "G1"),
        says="MINIRT_LIBRARIES leaves it out, and models need it",
        also={"G1": "Missing operator: quantize"},
        edit=replaced(CONFIG, LISTED, _unless("kernels_quantized", LISTED)),
        places=("environment",),
    ),
    Fault(
        name="component missing from the list of an old CMake",
        owners=("D20",),
        says="libminirt_profiler.so comes with the targets, and the variables leave it out",
        edit=replaced(CONFIG, LISTED_BY_PATH, UNLISTED_BY_PATH),
        places=("environment",),
        cmake="3.24.3",
    ),
    Fault(
        name="component missing from the list of targets",
        owners=("D20",),
        says="libminirt_profiler.so comes with the targets, and the variables leave it out",
        edit=replaced(CONFIG, LISTED, _unless("profiler", LISTED)),
        places=("environment",),
    ),
    Fault(
        name="search path in the linker's default tag",
        owners=("D15",),
        says="no option of the package asks for RUNPATH",
        edit=replaced(CONFIG, f"--enable-new-dtags,{SEARCHED}", SEARCHED),
        places=("environment",),
    ),
    Fault(
        name="$ORIGIN with two dollar signs",
        owners=("D15", "F1", "F2", "F3"),
        says="$ORIGIN is not the first entry of the search path",
        also={
            "F1": "does not run once absolute search paths are taken away",
            "F2": "no entry of the search path begins with $ORIGIN",
            "F3": "does not run away from the wheel",
        },
        edit=replaced(CONFIG, SEARCHED, SEARCHED.replace("$", "$$")),
        places=("environment", "runtime"),
    ),
    Fault(
        name="package copies its libraries into the build folder",
        owners=("A19",),
        says="is loaded from elsewhere than the installed wheel",
        edit=replaced(CONFIG, PLACE, STAGED),
        places=("environment",),
    ),
    BuildFault(
        name="step is given a search path of libraries",
        owners=("C7",),
        says="LD_LIBRARY_PATH: steps see what the container was given",
        records=asked_here("C7", lambda argv: ("env", "LD_LIBRARY_PATH=/nowhere/decoy", *argv)),
        shown="the runner of a step",
    ),
    BuildFault(
        name="tool is missing",
        owners=("C8",),
        says="ccache: does not answer: what needs it cannot be tried",
        records=asked_here("C8", _instead("ccache", "no-such-tool", "--version")),
        shown="the runner of a step",
    ),
    BuildFault(
        name="tool of another version",
        owners=("C8",),
        says=f"cmake: is not the pinned {PINNED}",
        records=asked_here("C8", _instead("cmake", "echo", "cmake version 3.9.9")),
        shown="the runner of a step",
    ),
)
"""Faults of linking and loading."""
