"""Policies: one that is malformed is refused by file and key; each recipe's is what its test says it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.ground.sessions import ROOT
from orchestrator.plan.policy import load_policy

GOOD = """
[release]
variants = ["cpu", "cuda-13.0"]
arch = ["x86_64", "aarch64"]
python = ["3.10", "3.11"]

[pull-request]
variant = "cpu"
python = "3.10"

[[refused]]
family = "rocm"
reason = "nothing of it is published"

[[may-not-run]]
row = "demo/*/*/cp310"
reason = "the stand-in has no such Python"
"""

EXECUTORCH = """
executorch/cuda-12.6/x86_64/cp310   executorch/cuda-12.6/aarch64/cp310
executorch/cuda-12.6/x86_64/cp311   executorch/cuda-12.6/aarch64/cp311
executorch/cuda-12.6/x86_64/cp312   executorch/cuda-12.6/aarch64/cp312
executorch/cuda-12.6/x86_64/cp313   executorch/cuda-12.6/aarch64/cp313
executorch/cuda-12.6/x86_64/cp314   executorch/cuda-12.6/aarch64/cp314
executorch/cuda-13.0/x86_64/cp310   executorch/cuda-13.0/aarch64/cp310
executorch/cuda-13.0/x86_64/cp311   executorch/cuda-13.0/aarch64/cp311
executorch/cuda-13.0/x86_64/cp312   executorch/cuda-13.0/aarch64/cp312
executorch/cuda-13.0/x86_64/cp313   executorch/cuda-13.0/aarch64/cp313
executorch/cuda-13.0/x86_64/cp314   executorch/cuda-13.0/aarch64/cp314
executorch/cuda-13.2/x86_64/cp310   executorch/cuda-13.2/aarch64/cp310
executorch/cuda-13.2/x86_64/cp311   executorch/cuda-13.2/aarch64/cp311
executorch/cuda-13.2/x86_64/cp312   executorch/cuda-13.2/aarch64/cp312
executorch/cuda-13.2/x86_64/cp313   executorch/cuda-13.2/aarch64/cp313
executorch/cuda-13.2/x86_64/cp314   executorch/cuda-13.2/aarch64/cp314
"""
MINIRT = """
minirt/cpu/x86_64/cp311         minirt/cpu/aarch64/cp311
minirt/cpu/x86_64/cp313         minirt/cpu/aarch64/cp313
minirt/cuda-12.6/x86_64/cp311   minirt/cuda-12.6/aarch64/cp311
minirt/cuda-12.6/x86_64/cp313   minirt/cuda-12.6/aarch64/cp313
minirt/cuda-13.0/x86_64/cp311   minirt/cuda-13.0/aarch64/cp311
minirt/cuda-13.0/x86_64/cp313   minirt/cuda-13.0/aarch64/cp313
minirt/cuda-13.2/x86_64/cp311   minirt/cuda-13.2/aarch64/cp311
minirt/cuda-13.2/x86_64/cp313   minirt/cuda-13.2/aarch64/cp313
"""
"""Both written out, and never made from policy or recipe: what is taken from these must be taken from here too."""


def test_what_executorch_publishes_is_exactly_this() -> None:
    policy = load_policy(ROOT / "recipes" / "executorch")
    assert policy is not None
    assert sorted(row.id for row in policy.rows("executorch")) == sorted(EXECUTORCH.split())
    assert policy.pull_request_row("executorch").id == "executorch/cuda-13.0/x86_64/cp310"
    assert policy.pull_request.python == policy.release.python[0]
    assert (policy.refused, policy.may_not_run) == ((), ())


def test_what_minirt_publishes_is_exactly_this() -> None:
    policy = load_policy(ROOT / "recipes" / "minirt")
    assert policy is not None
    assert sorted(row.id for row in policy.rows("minirt")) == sorted(MINIRT.split())
    assert policy.pull_request_row("minirt").id == "minirt/cpu/x86_64/cp311"
    assert policy.pull_request.python == policy.release.python[0]
    assert policy.refused == ()
    # No row is forgiven, and of CUDA rows only what needs a GPU.
    assert [(one.row, one.check) for one in policy.may_not_run] == [("minirt/cuda-*", "H6"), ("minirt/cuda-*", "H9")]


def test_a_policy_is_read(tmp_path: Path) -> None:
    assert load_policy(tmp_path) is None
    (tmp_path / "policy.toml").write_text(GOOD)
    policy = load_policy(tmp_path)
    assert policy is not None
    assert [row.id for row in policy.rows("demo")][:3] == [
        "demo/cpu/x86_64/cp310",
        "demo/cpu/x86_64/cp311",
        "demo/cpu/aarch64/cp310",
    ]
    assert len(set(policy.rows("demo"))) == 2 * 2 * 2
    first, second, *_ = policy.rows("demo")
    assert policy.permits(first.id) == "the stand-in has no such Python"
    assert policy.permits(second.id) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[release]", "[release", "is not TOML"),
        ("[release]", f"x = {'[' * 100_000}\n[release]", "is not TOML: nested too deeply."),
        ("[release]", f"x = {'9' * 5000}\n[release]", "is not TOML: Exceeds the limit"),
        ("[pull-request]", "[pull_request]", "pull_request: Extra inputs are not permitted"),
        ("[release]", "[releases]", "releases: Extra inputs are not permitted"),
        ("[release]", "[release]\nname = 1", "release.name: Extra inputs are not permitted"),
        ('variants = ["cpu", "cuda-13.0"]', "", "release.variants: Field required"),
        ('["cpu", "cuda-13.0"]', "[]", "release.variants: Tuple should have at least 1 item"),
        ('["cpu", "cuda-13.0"]', '["cpu", "cpu"]', "release: Value error, 'variants' names 'cpu' twice"),
        (
            '["cpu", "cuda-13.0"]',
            f"{[f'v{place}' for place in range(20_000)]}".replace("]", ", 'v0']"),
            "release: Value error, 'variants' names 'v0' twice",
        ),
        ('"aarch64"', '"x86_64"', "release: Value error, 'arch' names 'x86_64' twice"),
        ('"aarch64"', '"arm64"', "release.arch.1: Input should be 'x86_64' or 'aarch64'"),
        ('["3.10", "3.11"]', '["3.10", "3.10"]', "release: Value error, 'python' names '3.10' twice"),
        ('["3.10", "3.11"]', "[3.10]", "release.python.0: Input should be a valid string"),
        ('["3.10", "3.11"]', '["3.010"]', "release.python.0: String should match pattern"),
        ('["3.10", "3.11"]', '["3.100"]', "release.python.0: String should match pattern"),
        ('["3.10", "3.11"]', '"3.10"', "release.python: Input should be a valid tuple"),
        ('variant = "cpu"', "", "pull-request.variant: Field required"),
        ('family = "rocm"', 'family = ""', "refused.0.family: String should have at least 1 character"),
        ("nothing of it is published", "no", "refused.0.reason: String should have at least 10 characters"),
        ("[[may-not-run]]", "[may-not-run]", "may-not-run: Input should be a valid tuple"),
    ],
)
def test_a_malformed_policy_is_refused_by_its_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    (tmp_path / "policy.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(RecipeError) as error:
        load_policy(tmp_path)
    assert said in str(error.value)
    assert error.value.message.startswith(f"{tmp_path / 'policy.toml'}: ")
    assert error.value.advice


def test_a_policy_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_bytes(b"\xff")
    with pytest.raises(RecipeError, match=re.escape("policy.toml: cannot be read: 'utf-8' codec")):
        load_policy(tmp_path)
    (tmp_path / "policy.toml").unlink()
    (tmp_path / "policy.toml").mkdir()
    with pytest.raises(RecipeError, match=r"policy\.toml: cannot be read: .*Is a directory"):
        load_policy(tmp_path)
