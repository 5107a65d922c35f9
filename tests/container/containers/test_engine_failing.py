"""An engine that fails midway, fills up, or has no registry: errors that say what to do."""

import gc
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.containers.connect import engine_address
from orchestrator.containers.engine import Engine
from orchestrator.containers.helper import helper_archive
from orchestrator.containers.model import Volume
from orchestrator.containers.owner import LABEL_RUN
from orchestrator.errors import EngineError
from orchestrator.tarstream import tar_of
from tests.support.line import Line

pytestmark = pytest.mark.container


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    address = engine_address()
    if not address.startswith("unix://"):
        pytest.skip("needs an engine on a local socket")
    line = Line(tmp_path / "engine.sock", address.removeprefix("unix://"))
    monkeypatch.setenv("DOCKER_HOST", line.address)
    yield line
    line.cut()
    gc.collect()


# The SDK leaves a socket open whose connection is refused; nothing of ours can close it.
_sdk_leak = pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")


@_sdk_leak
def test_an_engine_that_dies_midway_is_said_to_have_gone(engine: Engine, runtime_image: str, line: Line) -> None:
    run = f"test-{secrets.token_hex(4)}"
    begin = time.monotonic()

    def interrupted() -> None:
        with Engine.connect(run) as dying:
            dying.run(
                image=runtime_image, command=["/bin/sh", "-c", "echo up; sleep 300"], row="row", step="step",
                work=dying.volume("work", row="row"), on_line=lambda _: line.cut(),
            )  # fmt: skip

    with pytest.raises(EngineError, match="engine went away") as caught:
        interrupted()
    assert "start it again" in caught.value.advice
    assert time.monotonic() - begin < 15
    # The lease went with the line.
    deadline = time.monotonic() + 2
    api = engine._session.api
    while api.containers(filters={"label": f"{LABEL_RUN}={run}"}) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not api.containers(filters={"label": f"{LABEL_RUN}={run}"})
    # This process is the owner and lives, so reaping leaves the rest; a later process takes it away.
    for container in api.containers(all=True, filters={"label": f"{LABEL_RUN}={run}"}):
        engine._session.remove_container(container["Id"])
    for volume in api.volumes(filters={"label": f"{LABEL_RUN}={run}"})["Volumes"]:
        engine._session.remove_volume(volume["Name"])


@_sdk_leak
def test_calls_to_a_dead_engine_say_so(line: Line) -> None:
    dying = Engine.connect()
    line.cut()
    with pytest.raises(EngineError, match="engine went away"):
        dying.images.exists("some:image")
    with pytest.raises(EngineError, match="engine went away"):
        dying.close()


def test_a_full_disk_of_the_engine_is_named(engine: Engine) -> None:
    name = f"wo-test-full-{secrets.token_hex(4)}"
    options = {"type": "tmpfs", "device": "tmpfs", "o": "size=1m"}
    engine._session.api.create_volume(name, driver="local", driver_opts=options, labels=engine._session.labels("step"))
    with pytest.raises(EngineError, match=f"disk is full \\(copying into volume {name}\\)") as caught:
        engine.put(Volume(name=name, kind="step"), tar_of({"big": b"x" * 20_000_000}))
    assert "docker system df" in caught.value.advice


def test_a_pull_without_a_registry_ends_soon(engine: Engine) -> None:
    begin = time.monotonic()
    with pytest.raises(EngineError, match=r"registry\.invalid/nobody:1"):
        engine.images.pull("registry.invalid/nobody:1", timeout_s=2)
    assert time.monotonic() - begin < 4


def test_what_is_no_image_is_refused(engine: Engine) -> None:
    with pytest.raises(EngineError, match=r"loading an image|loaded no image"):
        engine.images.load(b"not an archive" * 100)

    def broken() -> Iterator[bytes]:
        yield b"x" * 1000
        raise OSError("the build of the image failed")

    with pytest.raises(OSError, match="the build of the image failed"):
        engine.images.load(broken())


def test_an_image_is_loaded_named_and_removed(engine: Engine) -> None:
    # As long as the reference that it replaces: the archive's entries have their sizes.
    name, other = (f"wo-test/{secrets.token_hex(8)}:12" for _ in range(2))
    archive = helper_archive(engine.info.arch).replace(b"wheel-orchestrator/helper:1", name.encode())
    try:
        assert engine.images.load(archive) == (name,)
        info = engine.images.inspect(name)
        assert info is not None
        assert info.arch == engine.info.arch
        engine.images.tag(info.id, other)
        named = engine.images.inspect(other)
        assert named is not None
        assert named.id == info.id
        engine.images.remove(other)
        assert not engine.images.exists(other)
        assert engine.images.exists(name)
    finally:
        engine.images.remove(name)
    with pytest.raises(EngineError, match=f"does not have the image .tagging image {other}"):
        engine.images.tag(other, name)
