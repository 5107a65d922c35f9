"""`images`: list, build, export, import, refresh and prune container images."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.filesize import decimal

from orchestrator.cli.output import standard_output
from orchestrator.cli.run_context import IMAGES
from orchestrator.console import get_console
from orchestrator.containers.engine import Engine
from orchestrator.errors import EXIT_PASS
from orchestrator.images import manage
from orchestrator.images.imageset import ImageSet
from orchestrator.store.store import Store


def run(options: argparse.Namespace) -> int:
    """Do one action and return the exit code."""
    store = Store.default()
    with Engine.connect() as engine:
        images = ImageSet(IMAGES, store, engine, arch=getattr(options, "arch", None))
        match options.action:
            case "build":
                for name in options.name or images.names():
                    ready = manage.build(images, name, python=options.python)
                    get_console().message(f"{name}: {ready.reference} {ready.digest}")
            case "export":
                identity = manage.export_image(images, options.name, Path(options.file), python=options.python)
                get_console().message(f"{options.file}: {identity}")
            case "import":
                saved = manage.import_image(store, engine, Path(options.file))
                get_console().message(f"{saved.reference} {saved.id}")
            case "refresh":
                for change in manage.refresh_official(images, options.name):
                    was = "unchanged" if change.before == change.after else f"was {change.before or 'never used'}"
                    get_console().message(f"{change.reference}: {change.after} ({was})")
            case "prune":
                _prune(engine)
            case _:
                listed = manage.table([row for one in images.processors() for row in manage.list_images(one)])
                with standard_output() as console:
                    console.print(listed)
    return EXIT_PASS


def _prune(engine: Engine) -> None:
    volumes = engine.prune()
    pruned = manage.prune(engine)
    console = get_console()
    for name in (*pruned.references, *volumes):
        console.message(f"removed {name}")
    console.message(
        f"{len(pruned.references)} images ({decimal(pruned.size)}, shared layers counted twice), "
        f"{len(volumes)} volumes and containers; the store keeps the images' layers"
    )
