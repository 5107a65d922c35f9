"""K: what holds for any CMake package, without a recipe's contract."""

from __future__ import annotations

from orchestrator.verify.dynamic import k7_paths_exist
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
)
"""The strongest first."""
