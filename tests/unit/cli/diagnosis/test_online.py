"""Who is asked, and what is said of one who does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli.diagnosis.online import Reach, ask, asked_registries, reach_notices, registry_of
from orchestrator.cli.doctor import examine
from orchestrator.store.store import Store


@pytest.mark.parametrize(
    ("reference", "registry"),
    [
        ("quay.io/pypa/a:1", "quay.io"),
        ("pypa/a:1", "docker.io"),
        ("a", "docker.io"),
        ("localhost/a", "localhost"),
        ("host:5000/a@sha256:0", "host:5000"),
    ],
)
def test_the_registry_of_a_reference(reference: str, registry: str) -> None:
    assert registry_of(reference) == registry


def test_each_registry_is_asked_once() -> None:
    assert asked_registries(["quay.io/a", "b", "quay.io/c", "d"]) == ("quay.io/a", "b")


def test_nobody_is_asked_unless_a_person_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: str) -> None:
        raise AssertionError(f"asked {address}")

    monkeypatch.setattr("orchestrator.cli.diagnosis.online.says", refuse)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    assert examine(Store(tmp_path / "store")).online is None
    with pytest.raises(AssertionError, match="asked "):
        examine(Store(tmp_path / "store"), online=True)


def test_what_does_not_answer_is_told_with_what_it_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_INDEX", "http://127.0.0.1:1/simple/")
    monkeypatch.setenv("WHEEL_ORCHESTRATOR_DEBIAN_MIRROR", "http://127.0.0.1:1/debian")
    for name in ("HTTP_PROXY", "http_proxy", "PIP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    found = ask({"quay.io/a": "no such host", "b": None})
    assert [(one.kind, one.address, bool(one.said)) for one in found] == [
        ("index", "http://127.0.0.1:1/simple/", True),
        ("debian", "http://127.0.0.1:1/debian", True),
        ("registry", "quay.io", True),
        ("registry", "docker.io", False),
    ]
    index, debian, registry = reach_notices(found)
    assert index.message.startswith("The package index http://127.0.0.1:1/simple/ does not answer: ")
    assert "WHEEL_ORCHESTRATOR_INDEX" in index.advice
    assert "WHEEL_ORCHESTRATOR_DEBIAN_MIRROR" in debian.advice
    assert registry.message == "The registry quay.io does not answer: no such host."
    assert list(reach_notices([Reach(kind="index", address="x", said="")])) == []
