"""Stand-in images: from definition and lock to an image on the engine, each layer made once a store."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import RecipeError
from orchestrator.images.archive import image_config, image_id, save_stream
from orchestrator.images.cpython import SCRIPT, compile_python
from orchestrator.images.definition import ImageDefinition, Overlay, PythonLayer
from orchestrator.images.layers import Layer, LayerWriter, find_layer, keep_layer, recorded_layer
from orchestrator.images.rootfs import build_rootfs
from orchestrator.images.unpack import write_overlay, write_system
from orchestrator.processor import ENGINE_NAMES, Processor
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.debian.lock import Package, read_lock
from orchestrator.store.store import Store

_FORMAT = 1
"""Raised when this code makes other layers from the same inputs."""

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
        if self.layer:
            self.source = self._locked_source(python_lock_path(folder), self.layer.source)
            inputs = [self.keys[0], self.source.sha256, self.layer.tag, self.script.read_text("utf-8")]
            self.keys = (*self.keys, self._key(self.layer.tag, inputs))
        if self.overlay:
            path = overlay_lock_path(folder, definition.name, arch, host)
            self.overlay_packages = self._locked(path, self.overlay.packages)
            self.keys = (*self.keys, self._key("overlay", self._overlay_inputs(self.overlay)))

    def base(self, store: Store) -> StandInImage | None:
        """The image without its interpreter layer, if that layer's hash is known to the store."""
        layer = recorded_layer(store, self.keys[0])
        return self.image((layer,)) if layer else None

    def known(self, store: Store) -> StandInImage | None:
        """The image, if the hashes of all its layers are known to the store; needs no engine."""
        layers = [recorded_layer(store, key) for key in self.keys]
        present = tuple(layer for layer in layers if layer)
        return self.image(present) if len(present) == len(self.keys) else None

    def image(self, layers: Sequence[Layer]) -> StandInImage:
        """The image of the first layers, one or all."""
        name = self.definition.name if len(layers) == len(self.keys) else self.definition.on
        config = image_config(
            layers,
            name=name,
            keys=self.keys[: len(layers)],
            architecture=self.architecture,
            environment=self.definition.stand_in.environment,
        )
        identity = image_id(config)
        short = identity.removeprefix("sha256:")[:12]
        words = [self.architecture] if self.foreign else []
        if self.layer and len(layers) > 1:
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


class StandInMaker:
    """Makes what is missing: packages into the store, layers from them, images onto the engine."""

    def __init__(self, store: Store, engine: Engine) -> None:
        self.store = store
        self.engine = engine
        self.cancelled = threading.Event()
        self._fetching = threading.Lock()

    def ensure(self, recipe: StandInRecipe) -> StandInImage:
        """The image, on the engine.  Nothing is done twice, by whichever process.

        Raises:
            FetchError: a package cannot be fetched, or the disk is full.
            EngineError: a tool is missing or failed, or the engine is gone.
        """
        image = recipe.known(self.store)
        if image is None or not self._present(image):
            image = self.make(recipe)
            self._load(image)
        return image

    def make(self, recipe: StandInRecipe) -> StandInImage:
        """The image, its layers in the store; an interpreter's layer needs the engine.

        Raises as `ensure`.
        """
        with self.store.lock(f"image-{recipe.definition.on}-{recipe.architecture}"):
            layers = [find_layer(self.store, key, verify=True) for key in recipe.keys]
            if None in layers:
                with_overlay = recipe.overlay is not None and layers[-1] is None
                self._fetch(recipe, with_packages=layers[0] is None, with_overlay=with_overlay)
            base = layers[0] or self._root_layer(recipe)
            made = [base]
            if recipe.layer:
                made.append(layers[1] or self._python_layer(recipe, recipe.image([base])))
            if recipe.overlay:
                made.append(layers[-1] or self._overlay_layer(recipe, recipe.overlay))
            return recipe.image(made)

    def _present(self, image: StandInImage) -> bool:
        found = self.engine.images.inspect(image.reference)
        return found is not None and found.id == image.id

    def _load(self, image: StandInImage) -> None:
        if self._present(image):
            return
        if self.engine.images.exists(image.id):
            self.engine.images.tag(image.id, image.reference)
            return
        stream = save_stream(self.store, image.config, image.layers, image.reference)
        with stream, get_console().step(f"loading {image.reference}"):
            self.engine.images.load(stream)

    def _fetch(self, recipe: StandInRecipe, *, with_packages: bool, with_overlay: bool) -> None:
        name, suite, architecture = recipe.definition.name, recipe.definition.stand_in.suite, recipe.architecture
        wanted: list[tuple[str, str, str, Sequence[Package]]] = []
        if with_packages:
            wanted.append((f"packages of {name}", suite, architecture, recipe.packages))
        if recipe.layer and recipe.source:
            title = f"source of Python {recipe.layer.version}"
            wanted.append((title, recipe.layer.suite, architecture, [recipe.source]))
        if with_overlay:
            wanted.append((f"overlay of {name}", suite, recipe.host_architecture, recipe.overlay_packages))
        # One at a time: images share packages, and the network is no faster for two.
        with self._fetching:
            for title, origin, architecture, packages in wanted:
                fetch_packages(
                    self.store,
                    packages,
                    suite=origin,
                    architecture=architecture,
                    title=title,
                    cancelled=self.cancelled,
                    verify=True,
                )

    def _root_layer(self, recipe: StandInRecipe) -> Layer:
        stand_in = recipe.definition.stand_in
        title = f"building the file system of {recipe.definition.name} ({stand_in.suite})"
        with get_console().step(title) as step, self.store.temporary(title) as folder:
            writer = LayerWriter(folder / "layer")
            if recipe.foreign:
                write_system(
                    self.store, stand_in, recipe.packages, writer, on_line=step.update, cancelled=self.cancelled
                )
            else:
                build_rootfs(
                    self.store,
                    stand_in,
                    recipe.packages,
                    architecture=recipe.architecture,
                    consume=writer.copy,
                    on_line=step.update,
                    cancelled=self.cancelled,
                )
            diff_id, size = writer.finish()
            return keep_layer(self.store, recipe.keys[0], folder / "layer", diff_id, size)

    def _overlay_layer(self, recipe: StandInRecipe, overlay: Overlay) -> Layer:
        title = f"unpacking {', '.join(overlay.packages)} for {recipe.definition.name}"
        with get_console().step(title) as step, self.store.temporary(title) as folder:
            writer = LayerWriter(folder / "layer")
            write_overlay(
                self.store,
                recipe.definition.stand_in,
                overlay,
                recipe.overlay_packages,
                writer,
                on_line=step.update,
                cancelled=self.cancelled,
            )
            diff_id, size = writer.finish()
            return keep_layer(self.store, recipe.keys[-1], folder / "layer", diff_id, size)

    def _python_layer(self, recipe: StandInRecipe, base: StandInImage) -> Layer:
        assert recipe.layer is not None
        assert recipe.source is not None
        self._load(base)
        with get_console().step(f"compiling Python {recipe.layer.version} on {recipe.definition.name}") as step:
            return compile_python(
                self.store,
                self.engine,
                recipe.layer,
                recipe.source,
                image=base.reference,
                script=recipe.script,
                key=recipe.keys[1],
                on_line=step.update,
            )
