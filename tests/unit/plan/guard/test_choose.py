"""Exactly the policy's rows, or a refusal; the one row of a pull request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.ground.sessions import ROOT
from orchestrator.plan.guard.choose import Chosen, choose_pull_request, choose_release
from orchestrator.plan.guard.given import read_matrix
from orchestrator.plan.guard.refusal import RefusedMatrixError
from orchestrator.plan.policy import Policy, load_policy
from orchestrator.processor import Processor
from tests.support.matrices import POLICY, PYTHONS, REAL, Fields, matrix_text, policy, row, rows

FULL = ("linux-release", "linux-nightly", "linux-aarch64-release", "linux-aarch64-nightly")
CUDA = ("cu126", "cu130", "cu132")
FIVE = ("3.10", "3.11", "3.12", "3.13", "3.14")


def executorch() -> Policy:
    found = load_policy(ROOT / "recipes" / "executorch")
    assert found is not None
    return found


def release(made: list[Fields], *, arch: Processor | None = None, asked: Policy | None = None) -> Chosen:
    return choose_release(read_matrix(matrix_text(made), "m"), asked or policy(), "demo", "m", arch=arch)


def pull_request(made: list[Fields], asked: Policy | None = None, arch: Processor | None = None) -> str:
    (one,) = choose_pull_request(read_matrix(matrix_text(made), "m"), asked or policy(), "m", arch=arch).rows
    return one.text


def refused(made: list[Fields], **options: Any) -> RefusedMatrixError:
    with pytest.raises(RefusedMatrixError) as error:
        release(made, **options)
    return error.value


@pytest.mark.parametrize("name", FULL)
def test_a_real_matrix_comes_down_to_the_policys_rows(name: str) -> None:
    data = (REAL / f"{name}.json").read_bytes()
    chosen = choose_release(read_matrix(data, name), executorch(), "executorch", name)
    kept = [one.fields for one in chosen.rows]
    assert sorted((one["desired_cuda"], one["python_version"]) for one in kept) == sorted(
        (cuda, python) for cuda in CUDA for python in FIVE
    )
    found = json.loads(data)["include"]
    assert kept == [one for one in found if one in kept]
    dropped = {one.named.variant for one in chosen.dropped}
    assert dropped == {"cpu"} | ({"cuda-13.4"} if any(one["desired_cuda"] == "cu134" for one in found) else set())
    assert chosen.arches == (("aarch64",) if "aarch64" in name else ("x86_64",))


@pytest.mark.parametrize("name", FULL)
def test_a_real_matrix_that_lost_any_one_row_is_refused_by_its_name(name: str) -> None:
    whole = read_matrix((REAL / f"{name}.json").read_bytes(), name)
    needed = choose_release(whole, executorch(), "executorch", name).rows
    assert len(needed) == len(CUDA) * len(FIVE)
    for gone in needed:
        with pytest.raises(RefusedMatrixError) as error:
            choose_release([one for one in whole if one is not gone], executorch(), "executorch", name)
        row_id = f"executorch/{gone.named.variant}/{gone.named.arch}/cp{gone.python.replace('.', '')}"
        assert error.value.message == f"{name} is refused (A2 complete): it lacks {row_id}."
        assert error.value.detail == ""


def test_the_real_matrix_of_a_pull_request_gives_one_row() -> None:
    data = (REAL / "linux-nightly-pr.json").read_bytes()
    (one,) = choose_pull_request(read_matrix(data, "pr"), executorch(), "pr").rows
    assert (one.fields["desired_cuda"], one.fields["python_version"]) == ("cu130", "3.10")
    with pytest.raises(RefusedMatrixError, match=r"A2 complete\): it lacks executorch/cuda-12\.6/x86_64/cp311"):
        choose_release(read_matrix(data, "pr"), executorch(), "executorch", "pr")


def test_the_order_is_the_matrixs_and_both_processors_may_stand_in_one() -> None:
    made = [*rows(arch="aarch64"), *rows()]
    made.reverse()
    chosen = release(made)
    assert [one.fields for one in chosen.rows] == [one for one in made if one["desired_cuda"] in ("cu126", "cu130")]
    assert chosen.arches == ("x86_64", "aarch64")
    assert len(release(made, arch="aarch64").rows) == 2 * len(PYTHONS)
    assert release(rows()).arches == ("x86_64",)
    assert "no row at all for cuda-12.6 on aarch64, cuda-13.0 on aarch64" in refused(rows(), arch="all").message
    assert (
        "it has no row at all for cuda-12.6 on aarch64, cuda-13.0 on aarch64"
        in refused([*rows(), row("cpu", "3.10", "aarch64")]).message
    )


def test_rows_of_other_pythons_and_processors_are_dropped() -> None:
    others = [row("cuda-13.0", python) for python in ("3.9", "3.13t", "4.10")]
    others.append(row("cpu", "3.10") | {"gpu_arch_type": "cpu-s390x"})
    chosen = release([*others, *rows()])
    assert [one.fields for one in chosen.dropped[:4]] == others
    assert len(chosen.rows) == 2 * len(PYTHONS)


def test_a_cuda_version_that_is_absent_is_named_before_single_rows() -> None:
    made = [
        one
        for one in rows()
        if one["desired_cuda"] != "cu126" and (one["desired_cuda"], one["python_version"]) != ("cu130", "3.11")
    ]
    error = refused(made)
    assert error.message == "m is refused (A3 variants-there): it has no row at all for cuda-12.6 on x86_64."
    assert error.detail == "it also lacks demo/cuda-13.0/x86_64/cp311"


def test_all_that_is_missing_is_told() -> None:
    made = [one for one in rows() if one["python_version"] != "3.11"]
    error = refused(made)
    assert error.message == "m is refused (A2 complete): it lacks demo/cuda-12.6/x86_64/cp311."
    assert error.detail == "it lacks demo/cuda-13.0/x86_64/cp311"


@pytest.mark.parametrize("twice", ["cpu", "cuda-13.0", "rocm-7.2"])
def test_a_row_that_stands_there_twice_is_refused(twice: str) -> None:
    error = refused([*rows(), row(twice, "3.11") | {"package_type": "libtorch"}])
    assert error.message.startswith("m is refused (A2 complete): it has a row more than once: ")
    assert "3.11: 2 times" in error.message


def test_nothing_of_the_policy_is_refused_as_empty() -> None:
    error = refused(rows(["cpu", "rocm-7.2"]))
    said = "m is refused (A4 not-empty): none of its rows is the policy's for x86_64, so nothing would be built."
    assert error.message == said
    assert error.detail.splitlines() == ["3 of cpu on x86_64", "3 of rocm7.2 on x86_64"]
    only_x86_64 = POLICY["release"] | {"arch": ["x86_64"]}
    asked = policy(POLICY | {"release": only_x86_64})
    assert "the policy's for aarch64" in refused(rows(arch="aarch64"), asked=asked).message


def test_a_refused_family_is_told_by_its_reason_before_anything_else() -> None:
    asked = policy(POLICY | {"refused": [{"family": "JetPack", "reason": "no Python of it is published."}]})
    family = row("cuda-13.0", "3.10") | {"build_name": "wheel-cuda13_0-jetpack6"}
    error = refused([family], asked=asked)
    assert error.message == (
        "m is refused (A7 refused-families): it has rows of 'JetPack', which the policy refuses: "
        "no Python of it is published."
    )
    with pytest.raises(RefusedMatrixError, match="A7 refused-families"):
        pull_request([family], asked)
    other = [one | {"build_name": one["build_name"] + "-jetpacks"} for one in rows()]
    assert release(other, asked=asked).rows


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        ([("cuda-13.0", "3.10"), ("cuda-12.6", "3.10")], "cuda-13.0 on x86_64, Python 3.10"),
        # CUDA counts before Python.
        ([("cuda-13.0", "3.12"), ("cuda-12.6", "3.10")], "cuda-13.0 on x86_64, Python 3.12"),
        ([("cuda-13.0", "3.12"), ("cuda-13.0", "3.11")], "cuda-13.0 on x86_64, Python 3.11"),
        # What is older is nearer than what is newer; of older ones the newest, of newer ones the oldest.
        ([("cuda-13.2", "3.10"), ("cuda-11.8", "3.10")], "cuda-11.8 on x86_64, Python 3.10"),
        ([("cuda-11.8", "3.10"), ("cuda-12.6", "3.12")], "cuda-12.6 on x86_64, Python 3.12"),
        ([("cuda-14.0", "3.10"), ("cuda-13.2", "3.12")], "cuda-13.2 on x86_64, Python 3.12"),
        # No CUDA is older than any; what the policy does not name is never chosen.
        ([("cuda-13.2", "3.10"), ("cpu", "3.12")], "cpu on x86_64, Python 3.12"),
        ([("cuda-13.1", "3.10"), ("cuda-13.0", "3.9"), ("cuda-14.0", "3.12")], "cuda-14.0 on x86_64, Python 3.12"),
    ],
)
def test_a_pull_request_gets_the_nearest_row(offered: list[tuple[str, str]], chosen: str) -> None:
    allowed = ["cpu", "cuda-11.8", "cuda-12.6", "cuda-13.0", "cuda-13.2", "cuda-14.0"]
    asked = policy(POLICY | {"release": POLICY["release"] | {"variants": allowed}})
    made = [row(variant, python) for variant, python in offered]
    assert pull_request(made, asked) == chosen
    assert pull_request(made[::-1], asked) == chosen


def test_a_pull_request_for_an_older_python_takes_no_newer_one_if_it_need_not() -> None:
    asked = policy(POLICY | {"pull-request": {"variant": "cuda-13.0", "arch": "x86_64", "python": "3.11"}})
    assert pull_request([row("cuda-13.0", "3.12"), row("cuda-13.0", "3.10")], asked).endswith("Python 3.10")
    assert pull_request([row("cuda-13.0", "3.12")], asked).endswith("Python 3.12")


def test_a_pull_request_without_cuda_takes_the_oldest_where_there_is_none() -> None:
    release_ = POLICY["release"] | {"variants": ["cpu", "cuda-12.6", "cuda-13.0"]}
    asked = policy({"release": release_, "pull-request": {"variant": "cpu", "python": "3.10"}})
    assert pull_request(rows(), asked) == "cpu on x86_64, Python 3.10"
    assert pull_request(rows(["cuda-13.0", "cuda-12.6"]), asked) == "cuda-12.6 on x86_64, Python 3.10"


def test_a_pull_request_without_any_row_of_a_release_is_refused() -> None:
    for made in (rows(["cpu", "cuda-13.4"]), rows(arch="aarch64")):
        with pytest.raises(RefusedMatrixError) as error:
            pull_request(made)
        assert error.value.message == (
            "m is refused (A6 one-row): none of its rows is one of a release for x86_64, "
            "so a pull request would build nothing."
        )
    assert pull_request(rows(arch="aarch64"), arch="aarch64") == "cuda-13.0 on aarch64, Python 3.10"
