from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.store.cuda_parts import known_trains, read_toolkit_locks, upstream
from orchestrator.store.toolchain import LOCKS
from tests.support.toolkit import NEWER, OLDER, debian_lock, lock


def without(versions: dict[str, str], name: str) -> dict[str, str]:
    return {known: version for known, version in versions.items() if known != name}


def test_trains_are_those_with_a_lock_by_number_and_not_by_letter(tmp_path: Path) -> None:
    for train in ("13.10", "13.2", "12.6"):
        lock(tmp_path, train, {})
    (tmp_path / "toolchains" / "cuda-next.lock").touch()
    assert known_trains(tmp_path / "toolchains") == ("12.6", "13.2", "13.10")


@pytest.mark.parametrize(
    ("train", "claims"),
    [
        ("12.6", {"nvcc": "12.4.131", "ptxas": "12.6.85", "cudart": "12.6.77"}),
        ("13.0", {"nvcc": "13.0.88", "ptxas": "13.0.88", "cudart": "13.0.96"}),
        ("13.2", {"nvcc": "13.2.86", "ptxas": "13.2.86", "cudart": "13.2.86"}),
    ],
)
def test_own_locks_say_what_their_tools_must_answer(train: str, claims: dict[str, str]) -> None:
    assert read_toolkit_locks(train, "x86_64", LOCKS).claims == claims


def test_an_unknown_train_names_the_nearest(tmp_path: Path) -> None:
    locks = lock(tmp_path, "13.0", NEWER)
    with pytest.raises(RecipeError, match=r"There is no toolkit of CUDA 13\.1\.") as caught:
        read_toolkit_locks("13.1", "x86_64", locks)
    assert caught.value.advice == "Did you mean '13.0'? Known: 13.0."


@pytest.mark.parametrize("name", NEWER)
def test_a_lock_that_lost_a_part_is_refused(tmp_path: Path, name: str) -> None:
    locks = lock(tmp_path, "13.0", NEWER)
    assert read_toolkit_locks("13.0", "x86_64", locks).front_end is None
    lock(tmp_path, "13.0", without(NEWER, name))
    with pytest.raises(RecipeError, match=rf"cuda-13\.0\.lock: the toolkit's part {name} is missing") as caught:
        read_toolkit_locks("13.0", "x86_64", locks)
    assert "cuda-13.0.in" in caught.value.advice


def test_a_package_that_is_no_part_is_refused(tmp_path: Path) -> None:
    locks = lock(tmp_path, "13.0", {**NEWER, "nvidia-cublas": "13.0.1"})
    with pytest.raises(RecipeError, match="nvidia-cublas is no part of this toolkit"):
        read_toolkit_locks("13.0", "x86_64", locks)


@pytest.mark.parametrize("name", NEWER)
def test_parts_of_another_version_under_an_nvcc_are_refused(tmp_path: Path, name: str) -> None:
    """What a resolver makes of the compiler's open requirements."""
    locks = lock(tmp_path, "13.0", {**NEWER, name: "13.5.12"})
    with pytest.raises(RecipeError, match=r"the parts of CUDA 13\.0 are not all of that version") as caught:
        read_toolkit_locks("13.0", "x86_64", locks)
    assert f"{name} 13.5.12" in caught.value.detail
    assert "Pin each part in 'cuda-13.0.in'" in caught.value.advice


def test_the_older_toolkit_needs_its_front_end(tmp_path: Path) -> None:
    locks = lock(tmp_path, "12.6", OLDER)
    with pytest.raises(RecipeError, match=r"cuda-12\.6\.amd64\.lock' does not exist"):
        read_toolkit_locks("12.6", "x86_64", locks)
    debian_lock(tmp_path, "12.6")
    found = read_toolkit_locks("12.6", "x86_64", locks)
    assert [(pin.name, pin.version) for pin in found.pins] == [
        *OLDER.items(),
        ("nvidia-cuda-toolkit", "12.4.131~12.4.1-2"),
    ]
    assert (found.suite, found.claims["nvcc"]) == ("trixie", "12.4.131")
    with pytest.raises(RecipeError, match=r"cuda-12\.6\.arm64\.lock' does not exist"):
        read_toolkit_locks("12.6", "aarch64", locks)


def test_a_debian_lock_without_the_front_end_is_refused(tmp_path: Path) -> None:
    locks = lock(tmp_path, "12.6", OLDER)
    debian_lock(tmp_path, "12.6")
    path = tmp_path / "debian" / "cuda-12.6.amd64.lock"
    path.write_text(path.read_text().replace("nvidia-cuda-toolkit 12", "nvidia-cuda-dev 12"))
    with pytest.raises(RecipeError, match="the toolkit's part nvidia-cuda-toolkit is missing") as caught:
        read_toolkit_locks("12.6", "x86_64", locks)
    assert "nox -s locks -- --debian" in caught.value.advice


@pytest.mark.parametrize("version", ["13.1.80~13.1.0-1", "new", "~12.6"])
def test_a_front_end_of_another_major_or_of_none_is_refused(tmp_path: Path, version: str) -> None:
    locks = lock(tmp_path, "12.6", OLDER)
    debian_lock(tmp_path, "12.6", version)
    said = rf"nvidia-cuda-toolkit {re.escape(version)} is not of CUDA 12, as CUDA 12\.6 is"
    with pytest.raises(RecipeError, match=said):
        read_toolkit_locks("12.6", "x86_64", locks)


def test_a_major_whose_packages_nobody_named_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="The packages of CUDA 14 are not known; those of 12, 13 are"):
        read_toolkit_locks("14.0", "x86_64", lock(tmp_path, "14.0", NEWER))


@pytest.mark.parametrize("version", ["12.4.131~12.4.1-2", "12.4.131+dfsg-1", "12.4.131-3", "12.4.131"])
def test_debians_additions_to_a_version_are_left_out(version: str) -> None:
    assert upstream(version) == "12.4.131"
