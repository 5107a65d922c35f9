"""Device code of real CUDA wheels: what the recipe asks for, what we read, what NVIDIA's cuobjdump reads."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.elf.model import Elf
from orchestrator.recipe.load import load_recipe
from orchestrator.store.fetch import fetch_lock
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of
from orchestrator.wheel.read import read_wheel

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[3]
LOCK = ROOT / "images" / "toolchains" / "cuobjdump.lock"
KERNELS = "minirt/lib/libminirt_kernels_cuda.so"
LIST = """
for library in wheel/*.so; do
  echo "library ${library##*/}"
  for what in elf ptx; do
    tool/cuobjdump --list-$what "$library" 2>&1 || echo "exit $?"
  done
done
"""
NONE = re.compile(r"(cuobjdump info +: File '.*' does not contain device code|exit 255)")
FILE = re.compile(r"(ELF|PTX) file +\d+: .*\.sm_(\w+)\.(cubin|ptx)")

Code = Counter[tuple[str, str]]
"""How often each kind and architecture is there."""


@pytest.fixture(scope="module")
def cuobjdump() -> bytes:
    """The program, from its locked wheel."""
    store = Store.default()
    (artefact,) = fetch_lock(store, LOCK)
    with zipfile.ZipFile(store.require(artefact.sha256, artefact.filename)) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/bin/cuobjdump"))
        return wheel.read(name)


def theirs(lines: list[str]) -> dict[str, Code]:
    """What cuobjdump lists, by library; a line that is not understood fails."""
    found: dict[str, Code] = {}
    for line in filter(None, lines):
        if line.startswith("library "):
            current = found[line.removeprefix("library ")] = Counter()
        elif (match := FILE.fullmatch(line)) is not None:
            current[match[3], match[2]] += 1
        else:
            assert NONE.fullmatch(line), line
    return found


def ours(elf: Elf) -> Code:
    """What our reader finds."""
    return Counter((code.kind, code.arch) for code in elf.device_code if code.loadable)


@pytest.mark.parametrize("variant", ["cuda-12.6", "cuda-13.0", "cuda-13.2"])
def test_device_code_is_the_rows_by_both_readers(
    variant: str, wheel_of: Callable[[str], Path], cuobjdump: bytes, runtime_image: str
) -> None:
    path = wheel_of(variant)
    with zipfile.ZipFile(path) as archive:
        files = {Path(name).name: archive.read(name) for name in archive.namelist() if name.endswith(".so")}
    said: list[str] = []
    with Engine.connect() as engine:
        done = engine.run(
            image=runtime_image, command=["/bin/sh", "-c", LIST], row="cuobjdump", step="cuobjdump",
            work=engine.volume("cuobjdump", row="cuobjdump"), on_line=said.append,
            inputs={"wheel": tar_of(files), "tool": tar_of({"cuobjdump": cuobjdump}, mode=0o755)},
        )  # fmt: skip
    assert done.exit == 0, done.output_tail
    listed = theirs(said)
    wheel = read_wheel(path)
    assert {library.name: ours(elf) for library, elf in wheel.readable()} == listed
    architectures = load_recipe("minirt", ROOT / "recipes").variants[variant].arch["x86_64"]
    names = [one.replace(".", "") for one in architectures]
    row = Counter([*(("cubin", name) for name in names), ("ptx", names[-1])])
    assert {library.path: ours(elf) for library, elf in wheel.readable() if elf.device_code} == {KERNELS: row}
