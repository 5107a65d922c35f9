"""The dynamic checks of CUDA rows over minirt's real wheel: right, and with faults whose text is asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import WORK
from orchestrator.images.imageset import ImageSet, Policy, ReadyImage
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.model import Recipe
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.store.cuda_toolkit import runtime_wheels
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of
from orchestrator.verify.dynamic import h6_python_gpu
from orchestrator.verify.dynamic.batch import Place, run_batch
from orchestrator.verify.dynamic.beside import beside
from orchestrator.verify.dynamic.context import Context, Places
from orchestrator.verify.dynamic.gpu import NO_GPU
from orchestrator.verify.dynamic.python_models import _results, gpu_group
from orchestrator.verify.dynamic.run_dynamic import run_dynamic
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.read import read_wheel
from tests.support import elf_edit
from tests.support.wheel_draft import Draft

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[3]
ROW = Row(recipe="minirt", variant="cuda-13.0", arch="x86_64", python="cp311")
KERNELS = "/libminirt_kernels_cuda.so"
BACKEND = "/libminirt_backend_cuda.so"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
ENVIRONMENT = "bookworm/cmake-4.4.5/ninja"

Verify = Callable[..., tuple[CheckRecord, ...]]


class WithToolkit(ImageSet):
    """Images whose loader knows the CUDA runtime, as on a machine with a toolkit; `close` removes them."""

    made: str | None = None

    def ensure(self, name: str, *, python: str | None = None, policy: Policy = "auto") -> ReadyImage:
        ready = super().ensure(name, python=python, policy=policy)
        if name != "bookworm" or self.engine is None:
            return ready
        if self.made is None:
            self.made = self._make(self.engine, ready.reference)
        return replace(ready, reference=self.made)

    def _make(self, engine: Engine, reference: str) -> str:
        api = engine._session.api
        (wheel,) = runtime_wheels(self.store, "13.0", ["nvidia-cuda-runtime>=13.0,<14"])
        path = self.store.require(wheel.sha256, wheel.filename)
        draft = Draft.of(path)
        runtime = draft.files[draft.find("/libcudart.so.13")]
        labels = engine._session.labels("container")
        alone = api.create_host_config(network_mode="none")
        command = ["/sbin/ldconfig"]
        container = api.create_container(reference, command, user="0:0", labels=labels, host_config=alone)["Id"]
        try:
            api.put_archive(container, LIBRARIES, tar_of({"libcudart.so.13": runtime}, mode=0o755))
            api.start(container)
            assert api.wait(container)["StatusCode"] == 0
            return str(api.commit(container)["Id"])
        finally:
            api.remove_container(container, force=True)

    def close(self) -> None:
        if self.made is not None and self.engine is not None:
            self.engine._session.api.remove_image(self.made)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine.connect() as connected:
        yield connected


@pytest.fixture(scope="module")
def toolkit_images(engine: Engine) -> Iterator[WithToolkit]:
    images = WithToolkit(ROOT / "images", Store.default(), engine)
    yield images
    images.close()


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    """Minirt's recipe with one environment and no header sweep."""
    recipe = load_recipe("minirt", ROOT / "recipes")
    assert recipe.cmake is not None
    chosen = tuple(
        one
        for one in recipe.cmake.environments
        if one.cmake == "4.4.5" and one.generator == "Ninja" and one.image is None
    )
    cmake = recipe.cmake.model_copy(update={"environments": chosen})
    return recipe.model_copy(update={"cmake": cmake, "headers": None})


@pytest.fixture
def verify(engine: Engine, recipe: Recipe, minirt_cuda_wheel: Path, tmp_path: Path) -> Verify:
    """Edit the wheel and run every dynamic check over it."""

    def run(edit: Callable[[Draft], None] = lambda _: None, images: ImageSet | None = None) -> tuple[CheckRecord, ...]:
        draft = Draft.of(minirt_cuda_wheel)
        edit(draft)
        subject = StaticSubject(read_wheel(draft.write(tmp_path)), ROW, recipe)
        store = Store.default()
        images = images or ImageSet(ROOT / "images", store, engine)
        return run_dynamic(engine, images, store, subject, policy="stand-in", logs=tmp_path / "logs").checks

    return run


def without_hop(draft: Draft) -> None:
    for name in (KERNELS, BACKEND):
        draft.change(name, lambda data: elf_edit.run_path(data, "$ORIGIN"))


def failures(checks: tuple[CheckRecord, ...]) -> dict[str, list[str]]:
    """Subjects and reasons of what fails, by check."""
    found: dict[str, list[str]] = {}
    for one in checks:
        if one.verdict is Verdict.FAIL:
            found.setdefault(one.id, []).append(f"{one.subject.rpartition('/')[2]}: {one.reason}")
    return found


def by_id(checks: tuple[CheckRecord, ...], id_: str) -> CheckRecord:
    (found,) = (one for one in checks if one.id == id_)
    return found


def test_the_real_wheel_loads_registers_and_misses_only_the_device(verify: Verify) -> None:
    checks = verify()
    assert failures(checks) == {}
    loads = by_id(checks, "H5")
    assert (loads.verdict, loads.environment, loads.reason) == (Verdict.PASS, ENVIRONMENT, "inspected 3 CUDA libraries")
    assert "backend_cuda maps /work/site/nvidia/cu13/lib/libcudart.so.13" in loads.evidence
    assert any(line.startswith("mlp_cuda without a GPU: ") and "no CUDA device" in line for line in loads.evidence)
    assert by_id(checks, "C10").evidence == (
        "libcudart.so.13 => /work/site/minirt/lib/../../nvidia/cu13/lib/libcudart.so.13",
    )
    layout = "nvidia/cu13/lib/libcudart.so.13 of nvidia-cuda-runtime 13.0.96"
    assert by_id(checks, "H10").evidence == (layout,)
    assert {one.id: one.reason for one in checks if one.verdict is Verdict.NOT_RUN} == {"H6": NO_GPU, "H9": NO_GPU}
    assert by_id(checks, "F3").verdict is Verdict.PASS  # the runtime travelled with the program


def test_without_the_hop_nothing_loads(verify: Verify) -> None:
    checks = verify(without_hop)
    found = failures(checks)
    assert set(found) == {"C6", "C10", "H5"}, found
    assert found["C6"] == ["minirt: does not import"]
    assert "libminirt_kernels_cuda.so: the loader does not find libcudart.so.13" in found["C10"]
    assert "libminirt_backend_cuda.so: does not load without a GPU and a toolkit" in found["H5"]
    assert any(
        "libcudart.so.13: cannot open shared object file" in one.evidence[-1] for one in checks if one.id == "H5"
    )
    assert by_id(checks, "G1").reason == "a CUDA component does not load: see H5"


def test_an_image_with_a_toolkit_hides_that_and_is_told(verify: Verify, toolkit_images: WithToolkit) -> None:
    checks = verify(without_hop, images=toolkit_images)
    found = failures(checks)
    assert found["C10"] == [
        "image: the loader of the image knows CUDA libraries: it hides what the wheel lacks",
        "image: the image has a CUDA toolkit: it hides what the wheel lacks",
    ]
    outside = "loads libcudart.so.13 from outside of what is installed with the wheel"
    assert f"libminirt_kernels_cuda.so: {outside}" in found["H5"]
    assert f"{LIBRARIES}/libcudart.so.13" in {line for one in checks if one.id == "H5" for line in one.evidence}


def test_a_backend_that_does_not_register_is_missed(verify: Verify) -> None:
    found = failures(verify(lambda draft: draft.change(BACKEND, elf_edit.no_initialisers)))
    assert set(found) == {"G5", "H5"}, found
    assert found["H5"] == [
        "CudaBackend: is not registered, although its component is linked",
        "mlp_cuda: fails as 'not registered', although its component is linked",
    ]


def test_a_requirement_that_nothing_satisfies_is_shown_in_pips_words(verify: Verify) -> None:
    checks = verify(lambda draft: draft.replace(".dist-info/METADATA", "\nName: ", "\nRequires-Dist: numpy\nName: "))
    assert failures(checks) == {"D2": ["pip: the wheel does not install"]}
    assert any("No matching distribution found for numpy" in line for line in by_id(checks, "D2").evidence)
    assert by_id(checks, "H5").reason == "the wheel does not install (exit 1): see D2"


def test_python_runs_a_model_and_rejects_wrong_references(
    engine: Engine, recipe: Recipe, minirt_cuda_wheel: Path, tmp_path: Path
) -> None:
    """H6's own way, over a model of the CPU that is declared as a GPU's: only the device is not asked for."""
    plain = next(model for model in recipe.model if model.name == "mlp").model_copy(update={"gpu": True})
    changed = recipe.model_copy(update={"model": (plain,)})
    subject = StaticSubject(read_wheel(minirt_cuda_wheel), ROW, changed)
    context = Context(subject, changed, "bookworm/python-3.11", Places(WORK), beside=True, gpus="all")
    store = Store.default()
    ready = ImageSet(ROOT / "images", store, engine).ensure("bookworm", policy="stand-in")
    place = Place(engine, ready.reference, engine.volume("python", row=ROW.id), {}, tmp_path / "log", keep=False)
    files = {f"models/{path}": (recipe.folder / path).read_bytes() for path in (plain.file, plain.reference)}
    files[minirt_cuda_wheel.name] = minirt_cuda_wheel.read_bytes()
    for one in beside(store, changed, ROW):
        files[f"beside/{one.filename}"] = store.require(one.sha256, one.filename).read_bytes()
    answers = run_batch(place, context, h6_python_gpu.probes(context), files).answers
    assert answers is not None
    outcome = h6_python_gpu.judge(context, answers)
    assert (outcome.not_run, outcome.faults, outcome.inspected) == (None, (), 1)
    wrong = _results(context, answers, gpu_group(context))["mlp-wrong"]
    assert not wrong.ok
    assert "mismatch" in wrong.output
