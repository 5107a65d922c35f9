"""Stand-ins for a bundle come from the store, and are what the engine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.bundling import _stand_in
from orchestrator.containers.engine import Engine
from orchestrator.images.imageset import ImageSet
from orchestrator.images.manage import import_image
from orchestrator.report.used import image_use
from orchestrator.reproduce.write_bundle import NotHadError
from orchestrator.store.store import Store

pytestmark = pytest.mark.container

ROOT = Path(__file__).resolve().parents[3]


def test_a_stand_in_is_taken_from_the_store_by_what_the_report_says(engine: Engine, tmp_path: Path) -> None:
    store = Store.default()
    use = image_use("runtime", ImageSet(ROOT / "images", store, engine).ensure("runtime", policy="stand-in"))
    with _stand_in(store, use) as stream:
        (tmp_path / "image.tar").write_bytes(stream.read())
    assert import_image(Store(tmp_path / "store"), None, tmp_path / "image.tar").id == use.digest
    other = use.model_copy(update={"digest": f"sha256:{'0' * 64}"})
    with pytest.raises(NotHadError, match="give another stand-in now"):
        _stand_in(store, other)
    with pytest.raises(NotHadError, match="There is no image 'absent'"):
        _stand_in(store, use.model_copy(update={"name": "absent"}))
    with pytest.raises(NotHadError, match="give another stand-in now"):
        _stand_in(Store(tmp_path / "empty"), use)
