"""A CPU row on a builder that has a CUDA toolkit stays a CPU wheel."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.build.inputs import collect_inputs
from orchestrator.build.wheel_build import build_wheel
from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult, Volume
from orchestrator.images.imageset import ImageSet
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.report.model import Verdict
from orchestrator.store.cuda_toolkit import cuda_toolkit
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of
from orchestrator.verify.peers import read_peers
from orchestrator.verify.run_static import run_static
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[3]
ROW = Row(recipe="minirt", variant="cpu", arch="x86_64", python="cp311")
CUDA = "/usr/local/cuda"


class WithToolkit(Engine):
    """An engine in all of whose containers a CUDA toolkit is installed where CMake and people expect one."""

    toolkit: Volume

    def run(self, **settings: Any) -> RunResult:
        env = dict(settings.get("env") or {})
        env |= {
            "PATH": f"{CUDA}/bin:{env.get('PATH', '/usr/bin:/bin')}",
            "CUDACXX": f"{CUDA}/bin/nvcc",
            "CUDA_HOME": CUDA,
            "CUDA_PATH": CUDA,
            "CUDAToolkit_ROOT": CUDA,
        }
        settings["env"] = env
        settings["mounts"] = {**(settings.get("mounts") or {}), CUDA: self.toolkit}
        return super().run(**settings)


@pytest.fixture
def engine() -> Iterator[WithToolkit]:
    with WithToolkit.connect() as engine:
        toolkit = cuda_toolkit(Store.default(), "13.0")
        engine.toolkit = engine.toolchain_volume(toolkit.name, toolkit.sha256, toolkit.tar)
        yield engine


def test_a_cpu_row_stays_one(engine: WithToolkit, minirt_wheel: Path, tmp_path: Path) -> None:
    store = Store.default()
    image = ImageSet(ROOT / "images", store, engine).ensure("builder", python="3.11", policy="stand-in")
    # The toolkit is real: a build that looked for one would find a compiler that works.
    kernel = b"__global__ void twice(float *x) { *x *= 2; }\n"
    works = engine.run(
        image=image.reference, command=["nvcc", "-c", "-arch=sm_80", "kernel.cu", "-o", "kernel.o"], row=ROW.id,
        step="nvcc", work=engine.volume("nvcc", row=ROW.id), inputs={"": tar_of({"kernel.cu": kernel})},
    )  # fmt: skip
    assert works.exit == 0, works.output_tail
    recipe = load_recipe("minirt", ROOT / "recipes")
    built = build_wheel(engine, store, collect_inputs(store, recipe, ROW, image.digest), image, tmp_path)
    wheel = read_wheel(built.path)
    plain = read_wheel(minirt_wheel)
    assert [library.path for library in wheel.libraries] == [library.path for library in plain.libraries]
    subject = StaticSubject(wheel, ROW, recipe, peers=read_peers(store, recipe, ROW))
    verdicts = {check.id: check.verdict for check in run_static(subject)[0]}
    assert verdicts["H8"] is Verdict.PASS
    assert set(verdicts.values()) == {Verdict.PASS}
    assert wheel.sha256 == plain.sha256
