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

from orchestrator.cli.diagnosis.engine import EngineFacts
from orchestrator.cli.diagnosis.findings import Notice, Problem
from orchestrator.cli.diagnosis.kept import HistoryFacts
from orchestrator.cli.doctor import Diagnosis, ImageFacts, Pin, examine
from orchestrator.cli.output import print_json, standard_output
from orchestrator.console import visible
from orchestrator.errors import EXIT_PASS
from orchestrator.ground.emulation import advice
from orchestrator.nightly.room import NEED
from orchestrator.processor import Processor
from orchestrator.report.words import number
from orchestrator.secrets import secrets
from orchestrator.store.store import Store


def run(options: argparse.Namespace) -> int:
    """Look and tell; the exit code is that of the first problem."""
    found = examine(Store.default(), deep=options.deep, online=options.online)
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
    yield from (_finding("BROKEN", "bold red", one) for one in found.problems)
    yield from (_finding("NOTE", "bold yellow", one) for one in found.notices)
    if not found.problems:
        yield Text("Nothing is broken.", style="bold green")


def _finding(word: str, style: str, found: Problem | Notice) -> Table:
    # A column of its own: detail, advice and what is wrapped stay beside the word, so that findings stay apart.
    table = Table.grid(Column(style=style, width=len("BROKEN")), Column(overflow="fold"), padding=(0, 2))
    table.add_row(word, _text("\n".join(filter(None, (found.message, found.advice)))))
    return table


def _machine(found: Diagnosis) -> Iterator[Sequence[str]]:
    machine, store = found.machine, found.store
    gpus = "no NVIDIA driver" if machine.gpus is None else number(machine.gpus, "GPUs")
    yield "tool", found.tool
    yield "python", f"{found.python} ({found.interpreter})"
    yield "machine", f"{machine.system}, {machine.arch}, {number(machine.cores, 'cores')}, {gpus}"
    yield "memory", f"{decimal(machine.memory)}, {decimal(machine.available)} available; {_need(found.nights)}"
    yield "processors", f"{machine.arch}: native"
    for arch in (one for one in get_args(Processor) if one != machine.arch):
        program = machine.emulated.get(arch)
        yield "", f"{arch}: emulated by {program}" if program else f"{arch}: its programs do not run. {advice(arch)}"
    if found.engine:
        engine = found.engine
        yield "engine", f"{engine.name} {engine.version}, API {engine.api}, for {engine.arch} at {engine.address}"
        yield "", f"{number(engine.cores, 'cores')}, {decimal(engine.memory)} of memory; {_limits(engine)}"
        yield "", f"GPUs for containers by {engine.gpus}" if engine.gpus else "no GPUs for containers"
        if engine.free is not None:
            yield "", f"{decimal(engine.free)} free on its disk, {engine.root}"
    else:
        yield "engine", found.no_engine or "none"
    files = f"{number(store.files, 'files')}, {decimal(store.size)}"
    yield "store", f"{store.folder}: {files}; {decimal(store.free)} free on its disk"
    yield "", "each file held against its hash" if store.deep else "--deep holds each file against its hash"
    if found.online is None:
        yield "network", "not asked: --online asks index, Debian mirror and registries"
    for place, one in enumerate(found.online or ()):
        yield "" if place else "network", f"{one.kind} {one.address}: {'does not answer' if one.said else 'answers'}"


def _need(nights: HistoryFacts | None) -> str:
    if nights is None or not nights.measured:
        return f"a row is taken to need {decimal(nights.need if nights else NEED)}: none was measured yet"
    return f"a row needs up to {decimal(nights.need)}, measured of {number(nights.measured, 'rows')}"


def _limits(engine: EngineFacts) -> str:
    works = [name for name, there in engine.limits.items() if there]
    version = f"control groups {engine.cgroups}" if engine.cgroups else "control groups of a version it does not tell"
    return f"{version}, limits of {', '.join(works)}" if works else f"{version}, no limits"


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
        table.add_row(*map(_text, row))
    return table


def _text(words: str) -> Text:
    # Hidden before it is wrapped: a secret of which half stands on the next line would not be found.
    return Text(visible(secrets().hide(words)))
