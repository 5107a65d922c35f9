"""With the store filled, everything works without a network."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.recipe.load import load_recipe
from orchestrator.store.store import Store
from orchestrator.store.toolchain import cmake_toolchain, ninja_toolchain
from tests.support.command import ROOT, run

OWN_NETWORK = ("unshare", "-n")

pytestmark = [
    pytest.mark.container,
    pytest.mark.usefixtures("engine"),
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("unshare"), reason="only root can take the network from a process"
    ),
]


def test_the_network_is_really_gone() -> None:
    program = "import socket; socket.create_connection(('192.0.2.1', 9), 2)"
    done = subprocess.run([*OWN_NETWORK, "python3", "-c", program], capture_output=True, text=True, check=False)
    assert "Network is unreachable" in done.stderr


def test_minirt_is_built_and_verified_offline_from_another_place(minirt_wheel: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "a checkout"
    shutil.copytree(ROOT / "recipes" / "minirt" / "source", checkout)
    build = ("build", "--stand-in", "--fresh", "--json", "--source", str(checkout))
    done = run(*build, cwd=tmp_path, before=OWN_NETWORK).require(0)
    # The same bytes as the wheel that was built before, elsewhere.
    assert json.loads(done.out)["rows"][0]["wheel"]["name"] == minirt_wheel.name
    assert (tmp_path / "dist" / minirt_wheel.name).read_bytes() == minirt_wheel.read_bytes()


def test_a_published_wheel_is_inspected_and_judged_offline(tmp_path: Path) -> None:
    run("inspect", "executorch==1.5.1", cwd=tmp_path)  # fills the store
    done = run("inspect", "--json", "executorch==1.5.1", cwd=tmp_path, before=OWN_NETWORK)
    assert done.code in (0, 1), done.err
    assert json.loads(done.out)["rows"][0]["wheel"]["name"].startswith("executorch-1.5.1-")
    # One environment is enough here: what must not be missed is a fetch.
    recipe = tmp_path / "executorch"
    shutil.copytree(ROOT / "recipes" / "executorch", recipe)
    blocks = (recipe / "recipe.toml").read_text().split("\n\n")
    # Nor need torch be had, which is large: what is loaded beside the wheel is fetched as all else is.
    kept = [block for block in blocks if "[test]" not in block and "[[peer]]" not in block]
    assert len(kept) < len(blocks)
    lines = "\n\n".join(kept).splitlines(keepends=True)
    one = [line for line in lines if 'cmake = "' not in line or 'cmake = "4.4.5", generator = "Ninja" }' in line]
    assert len(one) == len(lines) - 10
    (recipe / "recipe.toml").write_text("".join(one))
    cmake = load_recipe(str(recipe), tmp_path).cmake
    assert cmake is not None
    for version in filter(None, ("4.4.5", cmake.floor_tried, cmake.below_floor)):
        cmake_toolchain(Store.default(), version)
    ninja_toolchain(Store.default())
    done = run(
        "verify", "--stand-in", "--json", "--recipe", "executorch", "executorch==1.5.1", cwd=tmp_path,
        before=OWN_NETWORK, seconds=900,
    )  # fmt: skip
    assert done.code in (0, 1), done.err
    assert len(json.loads(done.out)["rows"][0]["checks"]) > 20


def test_what_the_store_lacks_is_named_offline(tmp_path: Path) -> None:
    empty = {"WHEEL_ORCHESTRATOR_STORE": str(tmp_path / "store")}
    done = run("inspect", "networkit==11.1", cwd=tmp_path, before=OWN_NETWORK, env=empty).require(5)
    assert "networkit==11.1" in done.err
    assert not (tmp_path / "reports").exists()
