"""Official images from a registry that runs here: by digest, and by a tag that moves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.errors import EngineError, RecipeError, UsageError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import list_images, refresh_official
from orchestrator.images.official import last_change
from orchestrator.processor import ENGINE_NAMES, native_arch
from orchestrator.store.debian.lock import Package, format_lock
from orchestrator.store.store import Store
from tests.support.registry import Registry, serve

pytestmark = pytest.mark.container

DEFINITIONS = {
    "runtime": 'role = "runtime"\nsummary = "s"\n[stand-in]\nsuite = "bookworm"\npackages = ["libstdc++6"]\n',
    "cuda": 'role = "builder"\nsummary = "s"\ntoolkit = "/usr/local/cuda"\n[official]\n{arch} = "{reference}"\n'
    '[stand-in]\nsame-as = "runtime"\n',
}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.connect() as engine:
        yield engine


@pytest.fixture
def registry(engine: Engine) -> Iterator[Registry]:
    with serve() as registry:
        yield registry
    for digest in registry.published:
        forget(engine, registry, digest)


def images(folder: Path, engine: Engine, reference: str) -> ImageSet:
    """Two images of one stand-in, and a store that knows nothing yet."""
    for name, text in DEFINITIONS.items():
        (folder / f"{name}.toml").write_text(text.format(arch=native_arch(), reference=reference))
    return ImageSet(folder, Store(folder / "store"), engine)


def forget(engine: Engine, registry: Registry, digest: str) -> None:
    """Remove an image from the engine, whatever its names."""
    if info := engine.images.inspect(f"{registry.repository}@{digest}"):
        engine.images.remove(info.id, force=True)


def tagged(registry: Registry) -> str:
    return f"{registry.repository}:cuda13.0"


def test_an_image_by_digest_is_pulled_once(engine: Engine, registry: Registry, tmp_path: Path) -> None:
    digest = registry.publish("any", b"first")
    known = images(tmp_path, engine, f"{registry.repository}@{digest}")
    ready = known.ensure("cuda", policy="official-only")
    assert (ready.reference, ready.digest) == (f"{registry.repository}@{digest}", digest)
    assert (ready.origin, ready.toolkit) == ("official", "/usr/local/cuda")
    asked = len(registry.asked)
    assert known.ensure("cuda") == ready
    assert len(registry.asked) == asked


def test_what_a_tag_means_first_is_recorded_and_used_from_then_on(
    engine: Engine, registry: Registry, tmp_path: Path
) -> None:
    first = registry.publish("cuda13.0", b"first")
    known = images(tmp_path, engine, tagged(registry))
    (tmp_path / "debian").mkdir()
    package = Package("libstdc++6", "12", "a" * 64, 1, "pool/libstdc++6.deb")
    (tmp_path / "debian" / f"runtime.{ENGINE_NAMES[native_arch()]}.lock").write_text(format_lock([package]))
    assert [row.official for row in list_images(known)] == [tagged(registry), None]
    assert known.ensure("cuda").digest == first
    assert [row.official for row in list_images(known)] == [f"{registry.repository}@{first}", None]
    # The tag moves, and another machine's engine has neither image.
    assert registry.publish("cuda13.0", b"second") != first
    forget(engine, registry, first)
    assert known.ensure("cuda").digest == first


def test_a_tag_that_moved_is_refused_until_it_is_refreshed(engine: Engine, registry: Registry, tmp_path: Path) -> None:
    first = registry.publish("cuda13.0", b"first")
    known = images(tmp_path, engine, tagged(registry))
    known.ensure("cuda")
    forget(engine, registry, first)
    registry.withdraw(first)
    second = registry.publish("cuda13.0", b"second")
    engine.images.pull(tagged(registry))
    for policy in ("auto", "official-only"):
        with pytest.raises(RecipeError, match="names another image now than when it was first used") as caught:
            known.ensure("cuda", policy=policy)
        assert caught.value.detail == f"expected: {first}\nfound:    {second}"
        assert "nox -s images -- refresh" in caught.value.advice
    assert last_change(known.store) is None
    (change,) = refresh_official(known)
    accepted = last_change(known.store)
    assert accepted
    assert accepted["reference"] == f"{registry.repository}@{second}"
    assert (change.reference, change.before, change.after) == (tagged(registry), first, second)
    assert known.ensure("cuda").digest == second
    assert refresh_official(known, ["cuda"])[0].before == second
    assert last_change(known.store) == accepted


def test_an_image_that_no_registry_gave_is_not_taken_for_the_official_one(
    engine: Engine, registry: Registry, tmp_path: Path
) -> None:
    registry.publish("other", b"somebody's own")
    own = engine.images.pull(f"{registry.repository}:other")
    engine.images.tag(own.id, "nobody/builder:cuda13.0")
    try:
        known = images(tmp_path, engine, "nobody/builder:cuda13.0")
        with pytest.raises(EngineError, match="nobody/builder"):
            known.ensure("cuda", policy="official-only")
    finally:
        engine.images.remove("nobody/builder:cuda13.0")


def test_a_registry_without_the_image_is_asked_once_a_day(engine: Engine, registry: Registry, tmp_path: Path) -> None:
    known = images(tmp_path, engine, tagged(registry))
    # What a stand-in is made from is missing here too, which tells that it was turned to.
    for _ in range(2):
        with pytest.raises(RecipeError, match=r"runtime\.\w+\.lock' does not exist"):
            known.ensure("cuda")
    assert len([path for path in registry.asked if "/manifests/" in path]) <= 2
    with pytest.raises(EngineError):
        refresh_official(known)


def test_only_a_tag_is_refreshed(engine: Engine, registry: Registry, tmp_path: Path) -> None:
    known = images(tmp_path, engine, f"{registry.repository}@{registry.publish('any', b'first')}")
    assert refresh_official(known) == ()
    with pytest.raises(UsageError, match="Image 'cuda' has no official image by tag"):
        refresh_official(known, ["cuda"])
