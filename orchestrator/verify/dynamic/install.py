"""Installing the wheel in a container: by pip, from the file alone, without a network."""

from __future__ import annotations

from pathlib import Path

from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.probe import Answers, Probe, Step
from orchestrator.verify.dynamic.project import INSTALL, see_site

_PIP = Path(__file__).with_name("run_pip.py")


def install(context: Context) -> Probe:
    """Install into the site folder with the image's Python and pip.

    pip is told the row's Python, since a consumer in C++ needs none and the image's may be another;
    whether the wheel fits the image's platform is left to pip.  Where distributions lie beside the
    wheel it takes what the wheel requires from these alone, elsewhere it is told not to look.  Where
    the CMake package needs a Python that can import it, the virtual environment's can.
    """
    requires = ("--find-links", context.places.beside) if context.beside else ("--no-deps",)
    python = context.subject.row.python.removeprefix("cp")
    version = f"{python[0]}.{python[1:]}"
    importing = (see_site(context),) if context.recipe.cmake and context.recipe.cmake.python else ()
    return Probe(
        id=INSTALL,
        files={_PIP.name: _PIP.read_text(encoding="utf-8")},
        steps=(
            Step(("python3", "-m", "venv", "--without-pip", "venv"), 120.0),
            Step(
                (
                    *("venv/bin/python", _PIP.name, "install", "--disable-pip-version-check", "--no-input"),
                    *("--no-index", *requires, "--no-compile", "--no-cache-dir", "--only-binary=:all:"),
                    *("--implementation", "cp", "--python-version", version),
                    *("--target", context.places.site, f"{context.places.file}/{context.subject.wheel.filename}"),
                ),
                300.0,
            ),
            *importing,
        ),
    )


def why_not_installed(answers: Answers) -> str | None:
    """Why pip did not install the wheel, None if it did."""
    answer = answers[INSTALL]
    if answer.failed is None:
        return None
    return f"the wheel does not install ({answer.failed.ending})"
