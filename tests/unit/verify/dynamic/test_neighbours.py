"""Which locked distributions a wheel gets: what it declares, what users bring, and what those require."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.store.artefact import Artefact
from orchestrator.store.sites import Sites
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.neighbours import Neighbours, resolve
from tests.support.answers import RECIPE, make_context

LOCKED = {
    "numpy": ("2.3.0", ()),
    "torch": ("2.13.0+cpu", ("sympy>=1.13", "jinja2[fast]", "triton; platform_machine == 'nowhere'")),
    "sympy": ("1.14.0", ("mpmath<1.4",)),
    "mpmath": ("1.3.0", ("sympy; extra == 'tests'",)),
    "jinja2": ("3.1", ("speed; extra == 'fast'",)),
    "speed": ("1.0", ()),
    "unused": ("1.0", ()),
    "openvino": ("2025.4", ("numpy", "telemetry")),
    "telemetry": ("1.0", ()),
}
TEST = {"requires": ["torch==2.13.0", "openvino>=2025"], "peers-lock": "peers.lock"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    for name, (_, requires) in LOCKED.items():
        store.put_ref("requires-dist", name, {"requires": list(requires)})
    return store


def resolved(store: Store, folder: Path, requires: list[str], **changes: Any) -> Neighbours:
    models = [RECIPE["model"][0], {**RECIPE["model"][1], "optional": "openvino"}]
    context = make_context(folder, requires=requires, changes={"test": TEST, "model": models, **changes})
    locked = tuple(
        Artefact(name=name, version=version, filename=f"{name}.whl", sha256=name)
        for name, (version, _) in LOCKED.items()
    )
    return resolve(store, context.recipe, context.subject, locked, Sites(sha256="", store=store, artefacts=tuple))


def test_what_is_declared_and_what_users_bring_are_there_with_what_they_require(store: Store, tmp_path: Path) -> None:
    found = resolved(store, tmp_path, ["NumPy>=2"])
    assert found.names == ("jinja2", "mpmath", "numpy", "speed", "sympy", "torch")
    assert found.optional == ("openvino", "telemetry")  # the runtime of a delegate is nobody's requirement
    assert found.lacking == ()
    assert {one.name for one in found.used} == {*found.names, *found.optional}


def test_a_requirement_that_the_wheel_lost_is_not_there(store: Store, tmp_path: Path) -> None:
    found = resolved(store, tmp_path, [])
    assert "numpy" not in found.names
    assert found.optional == ("numpy", "openvino", "telemetry")


def test_what_nothing_locked_satisfies_is_told(store: Store, tmp_path: Path) -> None:
    found = resolved(store, tmp_path, ["numpy>=3", "scipy", "gone; python_version < '3'"])
    assert found.lacking == ("numpy>=3", "scipy")
