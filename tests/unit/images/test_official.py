from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, cast

import pytest

from orchestrator.errors import EngineError
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import refresh_official
from orchestrator.images.official import OfficialImages, pinned_reference
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from orchestrator.containers.images import Images

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


class Refusing:
    """An engine's images: it has none, and its pulls end as `error`."""

    def __init__(self, error: EngineError) -> None:
        self.error = error

    def inspect(self, _reference: str) -> None:
        return None

    def pull(self, _reference: str, **_options: float) -> NoReturn:
        raise self.error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            EngineError("The container engine refused (pulling a/b:1).", detail="pull access denied for a/b"),
            "The container engine refused (pulling a/b:1). It says: pull access denied for a/b. Using the stand-in",
        ),
        (
            EngineError("No registry answered for a/b:1 within 3 s."),
            "No registry answered for a/b:1 within 3 s. Using the stand-in",
        ),
    ],
)
def test_why_an_image_was_not_pulled_is_told_then_and_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], error: EngineError, said: str
) -> None:
    official = OfficialImages(Store(tmp_path), cast("Images", Refusing(error)))
    assert official.find("a/b:1", required=False) is None
    assert said in " ".join(capsys.readouterr().err.split())
    assert official.find("a/b:1", required=False) is None
    again = " ".join(capsys.readouterr().err.split())
    assert f"a/b:1 is not asked for again today: {said}" in again
    with pytest.raises(EngineError) as caught:
        official.find("a/b:1", required=True)
    assert caught.value is error  # the command line shows its detail too


def test_refreshing_needs_an_engine(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="none is connected"):
        refresh_official(ImageSet(IMAGES, Store(tmp_path), None, arch="x86_64"))
