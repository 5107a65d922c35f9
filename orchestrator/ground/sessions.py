"""The sessions that exist, and what each needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import UsageError, nearest

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

DEFAULT_RECIPE = ROOT / "recipes" / "minirt" / "recipe.toml"

_FIXED = (
    *("build", "verify", "inspect", "matrix", "nightly", "explain", "doctor", "images", "locks"),
    *("tests", "detection", "corpus", "lint", "bench"),
)
_NEED_CONTAINERS = ("build", "verify", "nightly", "images", "tests", "detection", "corpus", "bench")
_HELP = {"-h", "--help"}


def variants(recipe: Path = DEFAULT_RECIPE) -> tuple[str, ...]:
    """The variants that a recipe declares; none if it cannot be read (whoever builds it says why)."""
    try:
        table = tomllib.loads(recipe.read_text(encoding="utf-8")).get("variants", {})
    except (OSError, ValueError):
        return ()
    return tuple(table) if isinstance(table, dict) else ()


def session_names(recipe: Path = DEFAULT_RECIPE) -> tuple[str, ...]:
    """Every session, those of the recipe's variants first."""
    return (*(f"build-{variant}" for variant in variants(recipe)), *_FIXED)


def needs_containers(session: str, arguments: Sequence[str]) -> bool:
    """Whether a session with these arguments cannot do without a container engine."""
    if _HELP.intersection(arguments):
        return False
    if session == "detection" and re.search(r"--(?:mutations|document)\b", " ".join(arguments)):
        return False
    if session == "tests":
        return not re.search(r"-m[ =]?\s*'?\"?not container\b", " ".join(arguments))
    if session == "inspect":
        # argparse takes what an option begins with for the option.
        return any("--probe".startswith(word) for word in arguments if word.startswith("--pr"))
    return session in _NEED_CONTAINERS or session.startswith("build-")


def require_session(name: str, known: Sequence[str]) -> None:
    """Refuse a session that does not exist.

    Raises:
        UsageError: it names the nearest session and all that there are.
    """
    if name not in known:
        raise UsageError(f"There is no session '{name}'.", advice=nearest(name, known))
