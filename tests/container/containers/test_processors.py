"""Images of another processor than the engine's: what is refused, and when."""

import hashlib
import json
from collections.abc import Iterator

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import Volume
from orchestrator.containers.owner import LABEL_KIND
from orchestrator.errors import EngineError
from orchestrator.processor import ENGINE_NAMES
from orchestrator.tarstream import tar_of
from tests.support.elves import MACHINES, tiny_elf

pytestmark = pytest.mark.container

# A machine that the gABI reserves: no kernel and no interpreter runs its programs.
_NOBODYS = 0xFFFF


@pytest.fixture
def foreign(engine: Engine) -> str:
    """The processor that the engine's is not."""
    return next(arch for arch in ENGINE_NAMES if arch != engine.info.arch)


@pytest.fixture
def unrunnable(engine: Engine, foreign: str) -> Iterator[str]:
    """An image that says it is for the foreign processor, whose programs run nowhere."""
    shell = bytearray(tiny_elf(machine="x86_64"))
    assert shell[18] == MACHINES["x86_64"]
    shell[18:20] = _NOBODYS.to_bytes(2, "little")
    layer = tar_of({"bin/sh": bytes(shell), "bin/true": bytes(shell)}, mode=0o755)
    digest = hashlib.sha256(layer).hexdigest()
    config = json.dumps(
        {
            "architecture": ENGINE_NAMES[foreign],
            "os": "linux",
            "config": {"Labels": {LABEL_KIND: "test"}},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        }
    ).encode()
    name = "wheel-orchestrator/unrunnable:1"
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    archive = tar_of({"manifest.json": json.dumps(manifest).encode(), "config.json": config, "layer.tar": layer})
    (reference,) = engine.images.load([archive])
    yield reference
    engine.images.remove(reference)


def test_an_image_for_another_processor_than_was_asked_is_refused(
    engine: Engine, runtime_image: str, work: Volume, foreign: str
) -> None:
    with pytest.raises(
        EngineError, match=rf"is for {engine.info.arch}, and step 's' is to run on {foreign}\."
    ) as caught:
        engine.run(image=runtime_image, command=["true"], row="r", step="s", work=work, arch=foreign)
    assert f"made anew for {foreign}" in caught.value.advice
    same = engine.run(image=runtime_image, command=["true"], row="r", step="s", work=work, arch=engine.info.arch)
    assert same.exit == 0


def test_a_foreign_image_that_nobody_asked_for_is_refused(
    engine: Engine, unrunnable: str, work: Volume, foreign: str
) -> None:
    with pytest.raises(EngineError, match=f"is for {foreign}, the engine runs on {engine.info.arch}"):
        engine.run(image=unrunnable, command=["true"], row="r", step="s", work=work)


def test_an_engine_without_an_interpreter_is_told_before_the_step_runs(
    engine: Engine, unrunnable: str, work: Volume, foreign: str
) -> None:
    with pytest.raises(EngineError, match=rf"does not run programs for {foreign} \(step 's'\)") as caught:
        engine.run(image=unrunnable, command=["true"], row="r", step="s", work=work, arch=foreign)
    assert "qemu-user-static" in caught.value.advice
    assert f"--engine {foreign}=" in caught.value.advice
    assert "xec format error" in caught.value.detail
