"""Whether what is fetched from answers; asked only with `--online`, one short question each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from orchestrator.cli.diagnosis.findings import Notice
from orchestrator.errors import OrchestratorError
from orchestrator.store.debian.index import MIRROR_VARIABLE, mirror
from orchestrator.store.reach import index_address, says

_SUITE = "bookworm"
"""One that images are made of."""

_ADVICE = {
    "index": "Inputs that the store has not cannot be fetched. WHEEL_ORCHESTRATOR_INDEX names another index; PIP_CERT, "
    "SSL_CERT_FILE and PIP_PROXY are this network's certificates and proxy.",
    "debian": f"Stand-in images that are not made yet cannot be made. {MIRROR_VARIABLE} names another mirror; 'nox -s "
    "images -- import FILE' brings images from elsewhere.",
    "registry": "Stand-in images are used in place of official ones; --official-only refuses then. The engine's own "
    "network and proxy count (dockerd's HTTPS_PROXY).",
}


@dataclass(frozen=True, kw_only=True)
class Reach:
    """What was asked, and what it said instead of an answer; empty if it answered."""

    kind: str
    address: str
    said: str


def asked_registries(references: Iterable[str]) -> tuple[str, ...]:
    """One reference of each registry."""
    first: dict[str, str] = {}
    for reference in references:
        first.setdefault(registry_of(reference), reference)
    return tuple(first.values())


def registry_of(reference: str) -> str:
    """The registry of an image's reference (distribution/reference: a domain has a dot, a port, or is localhost)."""
    domain, slash, _ = reference.partition("/")
    return domain if slash and (set(domain) & set(".:") or domain == "localhost") else "docker.io"


def ask(registries: Mapping[str, str | None]) -> tuple[Reach, ...]:
    """Ask the package index and the Debian mirror; `registries` is what the engine heard, by image."""
    index = index_address()
    found = [Reach(kind="index", address=index, said=says(index) or "")]
    try:
        debian = mirror(_SUITE)
        found.append(Reach(kind="debian", address=debian, said=says(f"{debian}/dists/{_SUITE}/Release") or ""))
    except OrchestratorError as error:
        found.append(Reach(kind="debian", address="", said=error.message))
    heard = (Reach(kind="registry", address=registry_of(one), said=said or "") for one, said in registries.items())
    return (*found, *heard)


def reach_notices(found: Iterable[Reach]) -> Iterator[Notice]:
    """What does not answer."""
    for one in found:
        if one.said:
            what = {"index": "The package index", "debian": "The Debian mirror", "registry": "The registry"}[one.kind]
            at = f" {one.address}" if one.address else ""
            yield Notice(kind="network", message=f"{what}{at} does not answer: {one.said}.", advice=_ADVICE[one.kind])
