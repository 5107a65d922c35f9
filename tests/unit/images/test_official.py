from pathlib import Path

import pytest

from orchestrator.errors import EngineError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import refresh_official
from orchestrator.images.official import pinned_reference
from orchestrator.store.store import Store

IMAGES = Path(__file__).parents[3] / "images"
DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("reference", "pinned"),
    [("example/image:1", "example/image"), ("host.example:5000/image:1", "host.example:5000/image")],
)
def test_a_tag_is_pinned_by_what_the_store_recorded(tmp_path: Path, reference: str, pinned: str) -> None:
    store = Store(tmp_path)
    assert pinned_reference(store, reference) is None
    store.put_ref("official-digest", reference, {"digest": DIGEST})
    assert pinned_reference(store, reference) == f"{pinned}@{DIGEST}"


def test_a_digest_needs_no_record(tmp_path: Path) -> None:
    assert pinned_reference(Store(tmp_path), f"example/image@{DIGEST}") == f"example/image@{DIGEST}"


def test_refreshing_needs_an_engine(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="none is connected"):
        refresh_official(ImageSet(IMAGES, Store(tmp_path), None, arch="x86_64"))
