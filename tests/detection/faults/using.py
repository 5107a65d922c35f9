"""Faults of the CPU wheel that only programs show."""

from __future__ import annotations

from orchestrator.recipe.sdk import HeaderExemption
from tests.detection.edits import table
from tests.detection.fault import Fault
from tests.support import elf_edit
from tests.support.faults import (
    BLOCKED,
    CONFIG,
    OPTIMIZED,
    VERSION_FILE,
    added,
    elf,
    own,
    replaced,
)

NEEDLESS = HeaderExemption(path="minirt/profiler.h", reason="planted, needs nothing")
SEARCH = '"LINKER:--enable-new-dtags,-rpath,$ORIGIN:$ORIGIN/../lib"'


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="version file takes every version",
        owners=("D2",),
        says="the next major version is accepted",
        edit=lambda draft: draft.append(VERSION_FILE, "set(PACKAGE_VERSION_COMPATIBLE TRUE)\n"),
        places=("environment",),
    ),
    Fault(
        name="version file says another build",
        owners=("D1",),
        says="the package's version is '",
        edit=replaced(VERSION_FILE, 'minirt_BUILD_VERSION "', 'minirt_BUILD_VERSION "9.'),
        places=("environment",),
    ),
    Fault(
        name="missing component goes unnoticed",
        owners=("D3", "D4"),
        says="is required, and the configure succeeds",
        also={"D4": "counts as found without the component"},
        edit=replaced(CONFIG, "if(minirt_FIND_REQUIRED_${_minirt_component})", "if(FALSE)"),
        places=("environment",),
    ),
    Fault(
        name="optional component is fatal",
        owners=("D4",),
        says="an optional request ends the configure",
        edit=replaced(CONFIG, "if(minirt_FIND_REQUIRED_${_minirt_component})", "if(TRUE)"),
        places=("environment",),
    ),
    Fault(
        name="targets for an old CMake",
        owners=("D6", "D7"),
        says="exists on CMake 3.24.3: targets are promised from 3.28 only",
        also={"D7": "it is not needed"},
        edit=replaced(CONFIG, " 3.28)", " 3.24)"),
        places=("environment",),
        cmake="3.24.3",
    ),
    Fault(
        name="include folder that does not exist",
        owners=("K7",),
        says="names what does not exist",
        edit=replaced(
            CONFIG,
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS}"',
            'INTERFACE_INCLUDE_DIRECTORIES "${MINIRT_INCLUDE_DIRS};${MINIRT_INCLUDE_DIRS}/gone"',
        ),
        places=("environment",),
    ),
    Fault(
        name="program records RPATH",
        owners=("D15", "D16"),
        says="records RPATH, which outranks LD_LIBRARY_PATH",
        also={"D16": "LD_LIBRARY_PATH does not put another in its place"},
        edit=replaced(CONFIG, "--enable-new-dtags", "--disable-new-dtags"),
        places=("environment",),
    ),
    Fault(
        name="program does not look beside itself",
        owners=("D15", "F1", "F2", "F3"),
        says="$ORIGIN is not the first entry of the search path",
        also={
            "F1": "does not run once absolute search paths are taken away",
            "F2": "no entry of the search path begins with $ORIGIN",
            "F3": "does not run away from the wheel",
        },
        edit=replaced(CONFIG, SEARCH, '"LINKER:--enable-new-dtags"'),
        places=("environment", "runtime"),
    ),
    Fault(
        name="header that needs what does not ship",
        owners=("E1",),
        says="does not compile alone",
        edit=added("minirt/include/minirt/extra.h", "#pragma once\n#include <re2/re2.h>\n"),
        places=("environment", "image"),
    ),
    Fault(
        name="exemption of a header that needs none",
        owners=("E2",),
        says="compiles alone now: its exemption is stale",
        recipe=table("headers", exempt=(NEEDLESS,)),
        places=("environment", "image"),
    ),
    Fault(
        name="kernel that computes nothing",
        owners=("G1", "G6"),
        says="mismatch: more than 1e-05",
        also={"G6": "mismatch: more than 1e-05"},
        edit=elf(OPTIMIZED, lambda data: elf_edit.return_at_once(data, own("relu"))),
        places=("environment", "python"),
    ),
    Fault(
        name="runtime brings the operators",
        owners=("G2",),
        says="runs without the operators' component",
        edit=replaced(
            CONFIG,
            "INTERFACE_LINK_LIBRARIES minirt::threadpool)",
            'INTERFACE_LINK_LIBRARIES "minirt::threadpool;minirt::kernels_optimized")',
        ),
        places=("environment",),
    ),
    Fault(
        name="backend that does not register",
        owners=("G1", "G3", "G5", "G6"),
        says="backend 'BlockedBackend' not registered",
        also={
            "G3": "mlp_blocked: does not run with its component",
            "G5": "adds 0 backends to the runtime's 0; the shipped components register 1",
            "G6": "backend 'BlockedBackend' not registered",
        },
        edit=elf(BLOCKED, elf_edit.no_initialisers),
        places=("environment", "python"),
    ),
)
"""Faults of the CPU wheel that only programs show."""
