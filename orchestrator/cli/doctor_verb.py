"""`doctor`: what this machine has, which versions are pinned, and what is broken."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from rich.console import Group, RenderableType
from rich.filesize import decimal
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from orchestrator.cli.doctor import Diagnosis, ImageFacts, Pin, examine
from orchestrator.cli.output import print_json, standard_output
from orchestrator.errors import EXIT_PASS
from orchestrator.ground.emulation import advice
from orchestrator.processor import Processor
from orchestrator.store.store import Store


def run(options: argparse.Namespace) -> int:
    """Look and tell; the exit code is that of the first problem."""
    found = examine(Store.default())
    if options.json:
        print_json(dataclasses.asdict(found))
    else:
        with standard_output() as console:
            console.print(Group(*_parts(found)))
    return found.problems[0].exit_code if found.problems else EXIT_PASS


def _parts(found: Diagnosis) -> Iterator[RenderableType]:
    yield _grid(_machine(found))
    yield from _titled("Images", (_image(image) for image in found.images))
    yield from _titled("Toolchains", map(_pin, found.toolchains))
    for toolkit in found.cuda:
        claims = ", ".join(f"{tool} {version}" for tool, version in toolkit.claims.items())
        yield from _titled(f"CUDA {toolkit.train}: {claims}", map(_pin, toolkit.parts))
    yield Text()
    for problem in found.problems:
        # A column of its own: detail, advice and what is wrapped stay beside the word, so that problems stay apart.
        table = Table.grid(Column(style="bold red"), Column(overflow="fold"), padding=(0, 2))
        table.add_row("BROKEN", Text("\n".join(filter(None, (problem.message, problem.advice)))))
        yield table
    if not found.problems:
        yield Text("Nothing is broken.", style="bold green")


def _machine(found: Diagnosis) -> Iterator[Sequence[str]]:
    machine, store = found.machine, found.store
    gpus = "no NVIDIA driver" if machine.gpus is None else f"{machine.gpus} GPUs"
    yield "tool", found.tool
    yield "python", f"{found.python} ({found.interpreter})"
    yield (
        "machine",
        f"{machine.system}, {machine.arch}, {machine.cores} cores, {decimal(machine.memory)} of memory, {gpus}",
    )
    yield "processors", f"{machine.arch}: native"
    for arch in (one for one in get_args(Processor) if one != machine.arch):
        program = machine.emulated.get(arch)
        yield "", f"{arch}: emulated by {program}" if program else f"{arch}: its programs do not run. {advice(arch)}"
    if found.engine:
        engine = found.engine
        yield "engine", f"{engine.name} {engine.version} for {engine.arch} at {engine.address}"
        yield "", f"GPUs for containers by {engine.gpus}" if engine.gpus else "no GPUs for containers"
    else:
        yield "engine", found.no_engine or "none"
    yield "store", f"{store.folder}: {store.files} files, {decimal(store.size)}; {decimal(store.free)} free on its disk"


def _image(image: ImageFacts) -> Sequence[str]:
    name = f"{image.name}, {image.arch}" + (f", Python {image.python}" if image.python else "")
    ready = f"ready: {' and '.join(image.ready)}" if image.ready else "made or pulled when first used"
    where = f"stand-in in {' and '.join(image.where)}" if image.where else "stand-in not made yet"
    official = "no official image"
    if image.official:
        official = f"official pinned by {'digest' if '@' in image.official else 'tag'}"
    return name, ready, f"{where}; {official}", image.summary


def _pin(pin: Pin) -> Sequence[str]:
    state = "damaged: fetched anew when next used" if pin.damaged else "fetched"
    return pin.name, pin.version, state if pin.fetched else "fetched when first used"


def _titled(title: str, rows: Iterable[Sequence[str]]) -> Iterator[RenderableType]:
    yield Text()
    yield Text(title, style="bold")
    yield Padding(_grid(rows), (0, 0, 0, 2), expand=False)


def _grid(rows: Iterable[Sequence[str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for row in rows:
        while len(table.columns) < len(row):
            table.add_column(overflow="fold", style="" if table.columns else "dim")
        table.add_row(*(Text(cell) for cell in row))
    return table
