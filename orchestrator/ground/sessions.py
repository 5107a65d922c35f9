"""The sessions that exist, and what each needs."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import get_args

from orchestrator.errors import UsageError, nearest
from orchestrator.processor import Processor

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""

DEFAULT_RECIPE = ROOT / "recipes" / "minirt" / "recipe.toml"

_FIXED = (
    *("build", "verify", "inspect", "matrix", "nightly", "reproduce", "diff"),
    *("explain", "doctor", "images", "locks"),
    *("tests", "detection", "corpus", "lint", "bench"),
)
_NEED_CONTAINERS = ("build", "verify", "nightly", "reproduce", "images", "tests", "detection", "corpus", "bench")
BUILDING = frozenset({"A0", "A10", "A11", "A12", "A13", "A14", "A15", "A16", "J2"})
"""Checks of the build itself (`build.guards.catalogue`), which are tried again by building again."""
_MARKERS = ("container", "browser")
"""What tests are marked with by what they need."""
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
        return _may_choose("container", arguments)
    # argparse takes what an option begins with for the option.
    if session == "inspect":
        return any("--probe".startswith(word) for word in arguments if word.startswith("--pr"))
    if session == "reproduce":
        return not _reads_the_wheel_alone(arguments)
    if session == "nightly" and any("--install-timer".startswith(word) for word in arguments if word[:3] == "--i"):
        return False
    return session in _NEED_CONTAINERS or session.startswith("build-")


def _reads_the_wheel_alone(arguments: Sequence[str]) -> bool:
    """Whether `reproduce` is to try a check that needs no container: its command names no environment, and no build."""
    checks = list(_values("--check", arguments))
    return bool(checks) and checks[-1] not in BUILDING and not any(_values("--environment", arguments))


def needs_browser(session: str, arguments: Sequence[str]) -> bool:
    """Whether a session looks at pages in a browser: the tests do, unless they are asked to leave those out."""
    return session == "tests" and not _HELP.intersection(arguments) and _may_choose("browser", arguments)


def _may_choose(marker: str, arguments: Sequence[str]) -> bool:
    """Whether pytest's option -m leaves tests with that marker, of those that have one of `_MARKERS`."""
    expression = re.search(r"(?:^|\s)-m[ =]?\s*(.*?)(?=\s-|$)", " ".join(arguments))
    if expression is None:
        return True
    if re.search(rf"\bnot\s+{marker}\b", expression[1]):
        return False
    named = re.findall(rf"(?<!\bnot )\b({'|'.join(_MARKERS)})\b", expression[1])
    return not named or marker in named


def emulated_processors(session: str, arguments: Sequence[str], native: str) -> frozenset[str]:
    """The other processors whose programs a session runs in containers, unless an engine is named for them.

    They are named by what follows `--arch`, by rows and by wheels; without a name, where all rows are worked on.
    """
    if not needs_containers(session, arguments):
        return frozenset()
    engines = {value.partition("=")[0] for value in _values("--engine", arguments)}
    every = session in ("nightly", "tests", "bench") or "--all" in arguments
    words = " ".join(arguments)
    return frozenset(
        arch for arch in get_args(Processor) if arch not in {native, *engines} and (every or arch in words)
    )


def needs_git(session: str, arguments: Sequence[str], folder: Path, recipes: Path = ROOT / "recipes") -> bool:
    """Whether a session fetches sources from git: it builds a recipe that names a repository, or tests that.

    `folder` is where the person stands, `recipes` where recipes lie by name.
    """
    if _HELP.intersection(arguments) or session not in ("build", "nightly", "tests"):
        return False
    if session == "tests":
        return True
    named = list(_values("--recipe", arguments))
    if session == "nightly" and not named:
        return any(map(_from_git, recipes.glob("*/recipe.toml")))
    for word in named:
        places = (recipes / word, folder / word)
        if any(_from_git(place / "recipe.toml" if place.is_dir() else place) for place in places):
            return True
    return False


def _values(option: str, arguments: Sequence[str]) -> Iterator[str]:
    """What follows an option, which argparse takes by what it begins with too."""
    for word, after in pairwise((*arguments, "")):
        name, equals, value = word.partition("=")
        if len(name) > len("--re") and option.startswith(name):
            yield value if equals else after


def _from_git(recipe: Path) -> bool:
    """Whether a recipe's source is a git repository; whoever builds it says why it cannot be read."""
    try:
        source = tomllib.loads(recipe.read_text(encoding="utf-8"))["project"]["source"]
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return isinstance(source, dict) and "git" in source


def require_session(name: str, known: Sequence[str], *, after: str = "") -> None:
    """Refuse a session that does not exist; `after` is the session before it, for which it may be meant.

    Raises:
        UsageError: it names the nearest session and all that there are.
    """
    if name not in known:
        meant = f"What '{after}' is given follows '--': ./bootstrap {after} -- {shlex.quote(name)}\n" if after else ""
        raise UsageError(f"There is no session '{name}'.", advice=f"{meant}{nearest(name, known)}")
