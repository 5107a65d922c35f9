from pathlib import Path

import pytest

from orchestrator.errors import UsageError
from orchestrator.images.definition import load_definitions
from orchestrator.images.refresh import refresh_debian_locks
from orchestrator.images.standin import lock_path, overlay_lock_path, python_lock_path
from orchestrator.store.debian.lock import read_lock

IMAGES = Path(__file__).parents[3] / "images"


def test_own_locks_hold_what_the_definitions_ask_for() -> None:
    for definition in load_definitions(IMAGES).values():
        for arch in definition.processors:
            packages = read_lock(lock_path(IMAGES, definition.on, arch))
            assert set(definition.stand_in.packages) <= {package.name for package in packages}
            assert list(packages) == sorted(packages)
            for host in definition.processors:
                stand_in = definition.stand_in
                overlay = stand_in.overlay if host == arch else stand_in.foreign.get(arch)
                if overlay and (host == arch or host == "x86_64"):
                    locked = {
                        one.name for one in read_lock(overlay_lock_path(IMAGES, definition.stand_in_of, arch, host))
                    }
                    assert set(overlay.packages) <= locked
                    # What the image has already lies in no layer twice; another processor's libraries do.
                    assert host != arch or not locked & {package.name for package in packages}
    assert [source.name for source in read_lock(python_lock_path(IMAGES))] == ["python3.11", "python3.13"]


def test_refreshing_the_lock_of_an_unknown_image_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(
        'role = "test"\nsummary = "s"\n[stand-in]\nsuite = "bookworm"\npackages = ["make"]\n'
    )
    with pytest.raises(UsageError, match="There is no image 'tyni', and no other Debian lock") as caught:
        refresh_debian_locks(tmp_path, only=["tyni"])
    assert "Did you mean 'tiny'?" in caught.value.advice
