"""Stand-in images: from definition and lock to an image on the engine, each layer made once a store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import RecipeError
from orchestrator.images.archive import image_config, image_id
from orchestrator.images.cpython import SCRIPT
from orchestrator.images.definition import ImageDefinition, Overlay, PythonLayer
from orchestrator.images.installed import SCRIPT as INSTALLED
from orchestrator.images.layers import Layer, recorded_layer
from orchestrator.processor import ENGINE_NAMES, Processor
from orchestrator.store.debian.lock import Package, read_lock
from orchestrator.store.store import Store

_FORMAT = 1
"""Raised when this code makes other layers from the same inputs."""

_EMULATION = {"aarch64": {"QEMU_CPU": "max,pauth=off"}}
"""What QEMU's user mode is told of the processor (its -cpu): all but pointer authentication, which programs of newer
suites use at every call, and which takes most of the time under emulation; without it these instructions do nothing."""

REPOSITORY = "wheel-orchestrator"
"""Images of ours are called wheel-orchestrator/NAME:TAG on an engine."""


def lock_path(folder: Path, name: str, arch: str) -> Path:
    """The Debian lock of an image for a processor."""
    return folder / "debian" / f"{name}.{ENGINE_NAMES[arch]}.lock"


def overlay_lock_path(folder: Path, name: str, arch: str, host: str) -> Path:
    """The Debian lock of what an engine of processor `host` gets on top of an image of `arch`."""
    return lock_path(folder, name if arch == host else f"{name}-for-{ENGINE_NAMES[arch]}", host)


def python_lock_path(folder: Path) -> Path:
    """The lock of the source archives that interpreter layers are compiled from."""
    return folder / "debian" / "python.lock"


@dataclass(frozen=True)
class StandInImage:
    """A stand-in whose layers are known: its configuration, layers, id and name on an engine."""

    config: bytes
    layers: tuple[Layer, ...]
    id: str
    reference: str


class StandInRecipe:
    """Everything that decides one stand-in: definition, locks, script.  Reads files, makes nothing.

    `arch` is the image's processor, `host` that of the engine.  Where they differ, no program of the packages
    runs while the image is made, and the overlay that the definition has for such images goes on top.

    Raises:
        RecipeError: a lock is missing, malformed, or lacks a package of the definition.
    """

    def __init__(
        self, folder: Path, definition: ImageDefinition, python: str | None, arch: Processor, host: Processor
    ) -> None:
        self.definition = definition
        self.arch = arch
        self.architecture = ENGINE_NAMES[arch]
        self.foreign = arch != host
        self.host_architecture = ENGINE_NAMES[host]
        self.script = folder / SCRIPT
        self.packages = self._locked(lock_path(folder, definition.on, arch), definition.stand_in.packages)
        self.layer: PythonLayer | None = definition.layer(python)
        self.source: Package | None = None
        self.overlay: Overlay | None = definition.stand_in.overlay
        if self.foreign:
            self.overlay = definition.stand_in.foreign.get(arch)
        self.overlay_packages: tuple[Package, ...] = ()
        self.keys: tuple[str, ...] = (self._key("unpacked" if self.foreign else "rootfs", self._base_inputs()),)
        top: tuple[str, ...] = ()
        if self.overlay:
            path = overlay_lock_path(folder, definition.name, arch, host)
            self.overlay_packages = self._locked(path, self.overlay.packages)
            top = (self._key("overlay", self._overlay_inputs(self.overlay)),)
        if self.layer:
            self.source = self._locked_source(python_lock_path(folder), self.layer.source)
            below = (*self.keys, *top) if self.foreign else self.keys
            inputs = [*below, self.source.sha256, self.layer.tag, self.script.read_text("utf-8")]
            self.keys = (*self.keys, self._key(self.layer.tag, inputs))
        self.native: StandInRecipe | None = None
        if self.foreign and definition.python:
            self.native = StandInRecipe(folder, definition, python, host, host)
            self.keys = (*self.keys, self._key("installed", [self.keys[0], self.native.keys[0], INSTALLED]))
        self.keys = (*self.keys, *top)

    def known(self, store: Store) -> StandInImage | None:
        """The image, if the hashes of all its layers are known to the store; needs no engine."""
        layers = [recorded_layer(store, key) for key in self.keys]
        present = tuple(layer for layer in layers if layer)
        return self.image(present) if len(present) == len(self.keys) else None

    def compiler(self, base: Layer, overlay: Layer | None) -> StandInImage:
        """The image in which an interpreter is compiled: the base, for another processor with compilers of this one."""
        if not self.foreign or overlay is None:
            return self.image([base])
        return self.image([base, overlay], keys=(self.keys[0], self.keys[-1]))

    def image(self, layers: Sequence[Layer], *, keys: Sequence[str] = ()) -> StandInImage:
        """The image of all layers or, for an interpreter to be compiled in, of the first, or of those of `keys`."""
        whole = len(layers) == len(self.keys)
        name = self.definition.name if whole else self.definition.on
        config = image_config(
            layers,
            name=name,
            keys=keys or self.keys[: len(layers)],
            architecture=self.architecture,
            environment=self.definition.stand_in.environment | (_EMULATION.get(self.arch, {}) if self.foreign else {}),
        )
        identity = image_id(config)
        short = identity.removeprefix("sha256:")[:12]
        words = [self.architecture] if self.foreign else []
        if self.layer and whole:
            words.append(self.layer.tag.partition("-")[0])
        return StandInImage(config, tuple(layers), identity, f"{REPOSITORY}/{name}:{'-'.join([*words, short])}")

    def _base_inputs(self) -> object:
        stand_in = self.definition.stand_in
        return [stand_in.suite, stand_in.path_excludes, [[p.name, p.version, p.sha256] for p in self.packages]]

    def _overlay_inputs(self, overlay: Overlay) -> object:
        stand_in, packages = self.definition.stand_in, self.overlay_packages
        return [stand_in.suite, stand_in.path_excludes, overlay.bare, [[p.name, p.version, p.sha256] for p in packages]]

    def _key(self, kind: str, inputs: object) -> str:
        text = json.dumps([_FORMAT, self.architecture, inputs], separators=(",", ":"))
        name = self.definition.name if kind == "overlay" else self.definition.on
        return f"{name}/{self.architecture}/{kind}/{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def _locked(self, path: Path, wanted: Sequence[str]) -> tuple[Package, ...]:
        packages = read_lock(path)
        if absent := set(wanted) - {package.name for package in packages}:
            raise RecipeError(
                f"{path}: the lock lacks {', '.join(sorted(absent))}, which the image's definition asks for.",
                advice="Refresh it with 'nox -s locks -- --debian'.",
            )
        return packages

    def _locked_source(self, path: Path, name: str) -> Package:
        for package in read_lock(path):
            if package.name == name:
                return package
        raise RecipeError(f"{path}: the lock lacks {name}.", advice="Refresh it with 'nox -s locks -- --debian'.")
