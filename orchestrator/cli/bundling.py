"""What a run that failed leaves for another machine: commands in its report, and its bundle."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from orchestrator.cli.run_context import IMAGES, Run
from orchestrator.console import get_console
from orchestrator.errors import OrchestratorError
from orchestrator.report.model import ImageUse, RunReport
from orchestrator.reproduce.write_bundle import BUNDLE_BYTES, NotHadError, needs_bundle
from orchestrator.reproduce.write_bundle import write_bundle as write
from orchestrator.secrets import secrets

__all__ = ["BundleAsked", "bundle_asked", "needs_bundle", "write_bundle"]

if TYPE_CHECKING:
    from orchestrator.store.store import Store


@dataclass(frozen=True)
class BundleAsked:
    """How large a bundle may become, in bytes of sources and wheels, and whether stand-ins are put into it."""

    most: int = BUNDLE_BYTES
    with_images: bool = False


def bundle_asked(options: argparse.Namespace) -> BundleAsked:
    """What the command line says of the bundle."""
    return BundleAsked(options.bundle_bytes, options.with_images)


def write_bundle(report: RunReport, run: Run, asked: BundleAsked) -> None:
    """Write the bundle of a run beside its report.

    Raises:
        DiskError: it cannot be written.
    """
    from orchestrator.store.store import Store

    store = Store.default()
    with get_console().step("bundle"):
        write(
            report,
            run.folder,
            run.kept,
            secrets(),
            most=asked.most,
            open_image=(lambda image: _stand_in(store, image)) if asked.with_images else None,
        )


def _stand_in(store: Store, use: ImageUse) -> IO[bytes]:
    """The docker-save file of a stand-in, from the store's layers.

    Raises:
        NotHadError: the store has it no more, or the definitions give another now.
    """
    from orchestrator.images.archive import save_stream
    from orchestrator.images.imageset import ImageSet
    from orchestrator.images.layers import find_layer

    try:
        recipe = ImageSet(IMAGES, store, None, arch=use.arch).recipe(use.name, use.python)
    except OrchestratorError as error:
        raise NotHadError(error.message) from error
    known = recipe.known(store)
    if known is None or known.id != use.digest:
        raise NotHadError("the images' definitions give another stand-in now")
    if not all(find_layer(store, key, verify=True) for key in recipe.keys):
        raise NotHadError("the store has lost its layers: 'nox -s images -- build' makes them")
    return save_stream(store, known.config, known.layers, known.reference)
