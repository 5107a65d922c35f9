"""One session a verb.  `nox --list` is the menu; options follow `--`, as in `nox -s build-cpu -- --python 3.13`.

Needs nox and the standard library only; what does the work runs in `.venv`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import nox

if sys.version_info < (3, 11):  # noqa: UP036 - a person's nox may be of an older Python
    sys.exit("This needs nox with Python 3.11 or newer; ./bootstrap finds one if this machine has it.")

sys.path.insert(0, str(Path(__file__).resolve().parent))

from orchestrator.errors import EXIT_INTERRUPTED, OrchestratorError
from orchestrator.ground.child import exit_with, run_child
from orchestrator.ground.emulation import ensure_emulation
from orchestrator.ground.engine import ensure_engine
from orchestrator.ground.environment import ensure_environment, python_environment
from orchestrator.ground.packages import ensure_browser, ensure_compiler, ensure_git
from orchestrator.ground.screen import say
from orchestrator.ground.sessions import (
    ROOT,
    emulated_processors,
    needs_browser,
    needs_containers,
    needs_git,
    variants,
)
from orchestrator.processor import native_arch

# What a bare `nox` runs; without a choice it would run every session.
nox.options.sessions = [f"build-{variant}" for variant in variants()[:1]] or ["lint"]
nox.options.default_venv_backend = "none"


def _run(session: nox.Session, *commands: Sequence[str], folder: Path | None = None) -> None:
    """Run the interpreter of `.venv` with each of these arguments; the first code that is not zero is the session's."""
    environment = python_environment(ROOT, os.environ)
    try:
        python = ensure_environment(ROOT)
        if session.name in ("tests", "detection"):
            ensure_compiler()
        if needs_browser(session.name, session.posargs):
            ensure_browser()
        if needs_git(session.name, session.posargs, Path(session.invoked_from)):
            ensure_git()
        if needs_containers(session.name, session.posargs):
            environment |= ensure_engine()
            ensure_emulation(emulated_processors(session.name, session.posargs, native_arch()), environment)
    except OrchestratorError as error:
        say(str(error))
        _fail(session, error.exit_code)
    failed = 0
    for command in commands:
        # -P: modules that lie where the user stands are none of ours.
        code = run_child([python, "-P", *command], folder=folder or Path(session.invoked_from), environment=environment)
        if code == EXIT_INTERRUPTED:
            _fail(session, code)
        failed = failed or code
    if failed:
        _fail(session, failed)


def _fail(session: nox.Session, code: int) -> None:
    exit_with(code)
    if code == EXIT_INTERRUPTED:
        raise KeyboardInterrupt
    session.error(f"exit code {code}")


def _orchestrate(session: nox.Session, *arguments: str) -> None:
    _run(session, ["-m", "orchestrator", *arguments, *session.posargs])


def _add_variant(variant: str) -> None:
    def build_variant(session: nox.Session) -> None:
        _orchestrate(session, "build", "--variant", variant)

    build_variant.__doc__ = f"Build and verify minirt's {variant} wheel: dist/ gets it if its verdict is pass."
    nox.session(name=f"build-{variant}")(build_variant)


for _variant in variants():
    _add_variant(_variant)


@nox.session
def build(session: nox.Session) -> None:
    """Build and verify any recipe: -- --recipe NAME|PATH [--variant V] [--python 3.13]."""
    _orchestrate(session, "build")


@nox.session
def verify(session: nox.Session) -> None:
    """Verify a wheel against its recipe: -- --recipe NAME FILE.whl|NAME==VERSION."""
    _orchestrate(session, "verify")


@nox.session
def inspect(session: nox.Session) -> None:
    """Judge any wheel without a recipe: -- FILE.whl|NAME==VERSION; --probe tries its CMake packages in containers."""
    _orchestrate(session, "inspect")


@nox.session
def matrix(session: nox.Session) -> None:
    """Show a recipe's rows and their state, filter a release matrix, write a workflow: -- --help."""
    _orchestrate(session, "matrix")


@nox.session
def nightly(session: nox.Session) -> None:
    """Build and verify every row of every recipe, and compare with the last night: -- --recipe NAME --only GLOB."""
    _orchestrate(session, "nightly")


@nox.session
def reproduce(session: nox.Session) -> None:
    """Try again what failed, from a report or its bundle: -- bundle.zip [--row R] [--check ID] [--shell]."""
    _orchestrate(session, "reproduce")


@nox.session
def diff(session: nox.Session) -> None:
    """Say what a reviewer asks of a release: -- OLD.whl NEW.whl, or two reports."""
    _orchestrate(session, "diff")


@nox.session
def explain(session: nox.Session) -> None:
    """Say what a check asserts, why, and what to do: -- B1; without an id, list all checks."""
    _orchestrate(session, "explain")


@nox.session
def doctor(session: nox.Session) -> None:
    """Say what this machine has, which versions are pinned, and what is broken."""
    _orchestrate(session, "doctor")


@nox.session
def images(session: nox.Session) -> None:
    """List, build, export, import, refresh and prune the container images: -- --help."""
    _orchestrate(session, "images")


@nox.session
def locks(session: nox.Session) -> None:
    """Refresh the locks and show what changed: -- --check only shows it."""
    _orchestrate(session, "locks")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests; without an engine: -- -m "not container"."""
    # Containers share the engine and are timed, so only the others run side by side.
    apart = ["-m", "pytest", "--numprocesses=auto"]
    if not session.posargs:
        _run(session, [*apart, "-m", "not container"], ["-m", "pytest", "-m", "container"], folder=ROOT)
    elif needs_containers(session.name, session.posargs):
        _run(session, ["-m", "pytest", *session.posargs], folder=ROOT)
    else:
        _run(session, [*apart, *session.posargs], folder=ROOT)


@nox.session
def detection(session: nox.Session) -> None:
    """Plant every fault, one at a time, and say which checks caught it: -- --only NAME; -- --mutations 5000."""
    _run(session, ["-m", "tests.detection", *session.posargs], folder=ROOT)


@nox.session
def corpus(session: nox.Session) -> None:
    """Judge published wheels of which it is known what is wrong with them: -- --only NAME."""
    _run(session, ["-m", "tests.corpus", *session.posargs], folder=ROOT)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and the direction of imports."""
    _run(
        session,
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["-m", "mypy", "orchestrator", "tests", "noxfile.py", "bootstrap"],
        [str(ROOT / ".venv" / "bin" / "lint-imports")],
        folder=ROOT,
    )


@nox.session
def bench(session: nox.Session) -> None:
    """Measure what must be fast, as ratios of one run."""
    _run(session, ["-m", "tests.bench", *session.posargs], folder=ROOT)
