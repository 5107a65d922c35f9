"""Faults of the CPU wheel in where its libraries are searched for."""

from __future__ import annotations

from tests.detection.fault import Fault
from tests.support.faults import (
    PROFILER,
    patchelf,
    searching,
)

FAULTS: tuple[Fault, ...] = (
    Fault(
        name="absolute search path",
        owners=("C1",),
        says="has an absolute path in its search path: /opt/minirt/lib",
        edit=searching("$ORIGIN:/opt/minirt/lib"),
    ),
    Fault(
        name="build folder in the search path",
        owners=("C1",),
        says="has a build folder in its search path: /home/builder/minirt/build",
        edit=searching("/home/builder/minirt/build:$ORIGIN"),
    ),
    Fault(
        name="empty search-path entry",
        owners=("C1",),
        says="has an empty search-path entry, which means the current folder",
        edit=searching("$ORIGIN:"),
    ),
    Fault(
        name="search path from the current folder",
        owners=("C1",),
        says="has the search path 'lib', relative to the current folder of whoever runs it",
        edit=searching("lib:$ORIGIN"),
    ),
    Fault(
        name="toolkit in the search path",
        owners=("C5",),
        says="has a CUDA toolkit in its search path: /usr/local/cuda-12.6/lib64",
        edit=searching("$ORIGIN:/usr/local/cuda-12.6/lib64"),
    ),
    Fault(
        name="search path that leads nowhere",
        owners=("C9",),
        says="searches a folder that is not in the wheel: $ORIGIN/../plugins",
        edit=searching("$ORIGIN:$ORIGIN/../plugins"),
    ),
    Fault(
        name="search path twice",
        owners=("C9",),
        says="searches minirt/lib 2 times",
        edit=searching("$ORIGIN:$ORIGIN/../lib"),
    ),
    Fault(
        name="search path of all site-packages",
        owners=("C9",),
        says="searches all of site-packages: $ORIGIN/../..",
        edit=searching("$ORIGIN:$ORIGIN/../.."),
    ),
    Fault(
        name="search path out of site-packages",
        owners=("C9",),
        says="searches outside site-packages: $ORIGIN/../../../lib",
        edit=searching("$ORIGIN:$ORIGIN/../../../lib"),
    ),
    Fault(
        name="no search path",
        owners=("C2",),
        says="needs libminirt.so, which ships as minirt/lib/libminirt.so, out of the loader's reach",
        edit=patchelf(PROFILER, "--remove-rpath"),
    ),
    Fault(
        name="needs an absent library",
        owners=("C2",),
        says="needs libabsent.so.1, absent from the wheel and from what manylinux lets it expect",
        edit=patchelf(PROFILER, "--add-needed", "libabsent.so.1"),
    ),
    Fault(
        name="CUDA library needed",
        owners=("C4", "H8", "K10"),
        says="no search-path entry leads to libcudart.so.13, which installs in nvidia/cu13/lib",
        also={
            "H8": "needs libcudart.so.13 in a CPU wheel",
            "K10": "needs libcudart.so.13, which no requirement brings",
        },
        edit=patchelf(PROFILER, "--add-needed", "libcudart.so.13"),
    ),
)
"""Faults of the CPU wheel in where its libraries are searched for."""
