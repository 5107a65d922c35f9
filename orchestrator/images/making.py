"""Making stand-ins: packages into the store, layers from them, images onto the engine."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.images.archive import save_stream
from orchestrator.images.cpython import compile_python
from orchestrator.images.definition import Overlay
from orchestrator.images.installed import make_installed
from orchestrator.images.layers import Layer, LayerWriter, find_layer, keep_layer
from orchestrator.images.rootfs import build_rootfs
from orchestrator.images.standin import StandInImage, StandInRecipe
from orchestrator.images.unpack import write_overlay, write_system
from orchestrator.store.debian.fetch import fetch_packages
from orchestrator.store.debian.lock import Package
from orchestrator.store.store import Store


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
            overlay = (layers[-1] or self._overlay_layer(recipe, recipe.overlay)) if recipe.overlay else None
            made = [base]
            if recipe.layer:
                made.append(layers[1] or self._python_layer(recipe, recipe.compiler(base, overlay)))
            elif recipe.native:
                made.append(layers[1] or self._installed_layer(recipe, recipe.native))
            return recipe.image([*made, overlay] if overlay else made)

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

    def _installed_layer(self, recipe: StandInRecipe, native: StandInRecipe) -> Layer:
        image = self.ensure(native)
        title = f"compiling the modules of Python {recipe.definition.python} for {recipe.definition.name}"
        with get_console().step(title) as step:
            return make_installed(
                self.store,
                self.engine,
                image=image.reference,
                title=title,
                key=recipe.keys[1],
                on_line=step.update,
            )

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
                arch=recipe.arch,
                on_line=step.update,
            )
