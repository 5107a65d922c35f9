"""How Python is started in containers, and what lies beside the wheel in its site folder then."""

from __future__ import annotations

from pathlib import Path

from orchestrator.verify.dynamic.batch import TOOLS
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Probe, Step
from orchestrator.verify.dynamic.project import INSTALL

MODELS = "python-models"
"""Id of the probe that runs all models but those for a GPU."""

LINK = "neighbours"
"""Id of the probe that links them; also the folder of tools that their volume is mounted at."""
FOLDER = f"{TOOLS}/{LINK}"
LINK_SECONDS = 120.0

_SCRIPT = Path(__file__).with_name("link_site.py")


def python(context: Context) -> tuple[str, ...]:
    """The first words of every run: isolated mode ignores PYTHONPATH, user folders and the current folder.

    Volumes are read-only: what Python compiles of their modules is kept in the work volume, once for all runs.
    """
    kept = ("-X", f"pycache_prefix={context.places.work}/bytecode") if context.neighbours else ()
    return ("python3", "-I", *kept)


def link(context: Context) -> tuple[Probe, ...]:
    """Link the neighbours into the site folder, where the wheel's own files have precedence; none if there are none."""
    if context.neighbours is None or context.neighbours.missing:
        return ()
    argv = ("python3", "-I", _SCRIPT.name, context.places.site, FOLDER, *context.neighbours.names)
    files = {_SCRIPT.name: _SCRIPT.read_text(encoding="utf-8")}
    return (Probe(LINK, files, (Step(argv, LINK_SECONDS),), after=(INSTALL,)),)


def ready(context: Context) -> tuple[str, ...]:
    """What must have ended well before Python imports anything: ids of probes."""
    return (INSTALL, *(probe.id for probe in link(context)))
