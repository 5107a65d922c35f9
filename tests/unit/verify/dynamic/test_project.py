"""Generated projects."""

from pathlib import Path

import pytest

from orchestrator.verify.dynamic.consumers import ALL, ALL_BY_VARIABLES, LEAN, build, whole
from orchestrator.verify.dynamic.probe import Probe, Step, unique
from tests.support.answers import make_context


def test_targets_are_requested_and_linked(tmp_path: Path) -> None:
    probe = build(make_context(tmp_path), ALL)
    assert probe.files["CMakeLists.txt"].splitlines() == [
        "cmake_minimum_required(VERSION 3.24)",
        "project(consumer LANGUAGES CXX)",
        "find_package(demo REQUIRED COMPONENTS runtime kernels extra delegate)",
        "add_executable(app app/main.cpp)",
        "target_link_libraries(app PRIVATE demo::runtime demo::kernels demo::extra demo::delegate)",
    ]
    assert probe.files["app/main.cpp"] == "int main() { return 0; }\n"


def test_the_lean_consumer_links_the_runtime_alone(tmp_path: Path) -> None:
    text = build(make_context(tmp_path), LEAN).files["CMakeLists.txt"]
    assert "target_link_libraries(app PRIVATE demo::runtime)" in text
    assert "kernels" not in text


def test_an_old_cmake_gets_variables(tmp_path: Path) -> None:
    text = build(make_context(tmp_path, cmake="3.24.3"), ALL).files["CMakeLists.txt"]
    assert text.splitlines()[2:] == [
        "set(CMAKE_CXX_STANDARD 14)",
        "find_package(demo REQUIRED)",
        "add_executable(app app/main.cpp)",
        "set(libraries ${DEMO_LIBRARIES})",
        "list(APPEND libraries ${DEMO_EXTRA_LIBRARY})",
        "target_include_directories(app PRIVATE ${DEMO_INCLUDE_DIRS})",
        "target_link_libraries(app PRIVATE ${libraries})",
        "target_compile_definitions(app PRIVATE ${DEMO_DEFINITIONS})",
        "set_target_properties(app PROPERTIES CXX_STANDARD ${DEMO_STANDARD} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)",  # noqa: E501
    ]


def test_lean_by_variables_leaves_out_what_models_need_and_what_registers(tmp_path: Path) -> None:
    text = build(make_context(tmp_path, cmake="3.24.3"), LEAN).files["CMakeLists.txt"]
    left_out = [line for line in text.splitlines() if "FILTER" in line]
    assert left_out == [
        'list(FILTER libraries EXCLUDE REGEX "(/libdemo_kernels[.]so([,\\" ]|$)|^demo::kernels$)")',
        'list(FILTER libraries EXCLUDE REGEX "(/libdemo_delegate[.]so([,\\" ]|$)|^demo::delegate$)")',
    ]


def test_both_routes_are_tried_where_both_are_promised(tmp_path: Path) -> None:
    assert whole(make_context(tmp_path)) == (ALL, ALL_BY_VARIABLES)
    assert whole(make_context(tmp_path, cmake="3.27.9")) == (ALL,)


def test_probes_of_one_id_are_one_probe() -> None:
    probe = Probe("one", {}, (Step(("a",)),))
    assert unique([probe, probe]) == (probe,)
    with pytest.raises(ValueError, match="two different probes are called 'one'"):
        unique([probe, Probe("one", {}, (Step(("b",)),))])
