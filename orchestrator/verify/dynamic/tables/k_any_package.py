"""K: what holds for any CMake package, without a recipe's contract."""

from __future__ import annotations

from orchestrator.verify.dynamic import k7_paths_exist, k8_foreign_python
from orchestrator.verify.dynamic.tables.row import DynamicCheck

CHECKS = (
    DynamicCheck(
        id="K7",
        name="paths-exist",
        asserts="Every file and folder that targets and variables name exists.",
        about="CMake packages",
        fix="Ship the path, or stop naming it.",
        why="An imported target whose file is missing configures, and fails when it is built or linked.",
        source="CMake manual, cmake-file-api(7) and IMPORTED_LOCATION",
        scope="environment",
        judge=k7_paths_exist.judge,
        probes=k7_paths_exist.probes,
    ),
    DynamicCheck(
        id="K8",
        name="foreign-python",
        asserts="A project that uses the package configures and builds with a Python that lacks it, and with none.",
        about="CMake packages",
        fix="Find headers and libraries from CMAKE_CURRENT_LIST_DIR; do not ask a Python interpreter where they are.",
        why="A package asked the first Python of CMake's choice for its paths, ignored that this could not import "
        "it, and made targets without a library: the fault shows when generating, and names no Python.",
        source="CMake manual, cmake-packages(7) (relocatable packages) and FindPython",
        scope="environment",
        judge=k8_foreign_python.judge,
        probes=k8_foreign_python.probes,
    ),
)
"""The strongest first."""
