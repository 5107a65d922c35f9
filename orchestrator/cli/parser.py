"""The words of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

from orchestrator.cli.option_values import count, gpus, size
from orchestrator.cli.refusing import Parser
from orchestrator.processor import Processor

PROGRAM = "nox -s"
DEFAULT_RECIPE = "minirt"


def parser() -> Parser:
    """The parser of all verbs."""
    top = Parser(prog=PROGRAM, description="Build native Python wheels in containers and prove what they carry.")
    top.set_defaults(json=False)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    _build(_verb(verbs, "build", "build the wheel of a row and verify it"))
    _verify(_verb(verbs, "verify", "verify a wheel against a recipe"))
    _inspect(_verb(verbs, "inspect", "judge any wheel without a recipe"))
    _matrix(_verb(verbs, "matrix", "show a recipe's rows, filter a release matrix, write a workflow"))
    _nightly(_verb(verbs, "nightly", "build and verify every row, compare with the last night"))
    _reproduce(_verb(verbs, "reproduce", "try again what failed, from a report or its bundle"))
    _diff(_verb(verbs, "diff", "what differs between two wheels, or two reports"))
    _explain(_verb(verbs, "explain", "what a check asserts, why, and what to do about a failure"))
    _doctor(_verb(verbs, "doctor", "what this machine has, what is pinned, what is broken"))
    _images(_verb(verbs, "images", "list, build, export, import, refresh and prune container images"))
    _locks(_verb(verbs, "locks", "refresh the locks and show what changed"))
    return top


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line.

    Raises:
        UsageError: it has a word that is not known, or lacks one.
    """
    return parser().parse_args(argv)


def _verb(verbs: argparse._SubParsersAction[Parser], name: str, words: str) -> Parser:
    """The parser of one verb, called as people type it: nox takes for its own what stands before `--`."""
    return verbs.add_parser(name, help=words, prog=f"{PROGRAM} {name} --")


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="print the result as JSON, and nothing else, on stdout")


def _row(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--recipe", default=DEFAULT_RECIPE, metavar="NAME|PATH", help="default: %(default)s")
    verb.add_argument("--variant", help="default: the recipe's first")
    verb.add_argument("--arch", help="default: this machine's processor")
    verb.add_argument("--release", action="store_true", help="what did not run fails")
    verb.add_argument("--gpus", type=gpus, metavar="all|N|device=0,1", help="run on GPUs what needs one")
    verb.add_argument("--fresh", action="store_true", help="ignore results that the store has")
    _engines(verb)
    _containers(verb)


def _engines(verb: argparse.ArgumentParser) -> None:
    """Where rows of other processors are built and tried."""
    _engine(verb)
    verb.add_argument(
        "--emulate", action="store_true", help="build under emulation what would be cross-compiled: slow, last resort"
    )


def _engine(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--engine",
        action="append",
        default=[],
        dest="engines",
        metavar="ARCH=ADDRESS",
        help="an engine of that processor, such as aarch64=ssh://me@board; may be repeated",
    )


def _mirrors(verb: argparse.ArgumentParser) -> None:
    """Where repositories are had that a recipe names by address."""
    verb.add_argument(
        "--mirror",
        action="append",
        default=[],
        dest="mirrors",
        metavar="URL=DIR",
        help="take this repository from a local one; may be repeated",
    )
    verb.add_argument(
        "--mirrors", dest="mirrors_file", metavar="FILE", help="a file of lines URL=DIR, DIR as seen from its folder"
    )


def _containers(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--keep", action="store_true", help="keep the containers' files")
    _images_policy(verb)


def _images_policy(verb: argparse.ArgumentParser) -> None:
    """Whether images are official ones or stand-ins."""
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--stand-in", dest="policy", action="store_const", const="stand-in", help="never try to pull")
    which.add_argument(
        "--official-only",
        dest="policy",
        action="store_const",
        const="official-only",
        help="no stand-in for an official image",
    )
    verb.set_defaults(policy="auto")


def _bundle(verb: argparse.ArgumentParser) -> None:
    """What the bundle of a run that fails may hold."""
    verb.add_argument("--with-images", action="store_true", help="put the stand-ins into the bundle of what fails")
    verb.add_argument(
        "--bundle-bytes",
        type=size,
        default="256M",
        metavar="SIZE",
        help="of sources and wheels in the bundle; larger ones are named by their hashes; default: %(default)s",
    )


def _build(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    _row(verb)
    verb.add_argument("--python", action="append", default=[], metavar="3.X", help="default: 3.11; may be repeated")
    verb.add_argument("--source", metavar="DIR", help="build this checkout instead of the recipe's own source")
    verb.add_argument("--row", metavar="ID", help="one row by its id, such as minirt/cpu/x86_64/cp311")
    verb.add_argument("--all", action="store_true", dest="every", help="every row of the recipe")
    verb.add_argument("--version", metavar="V", help="public version instead of the recipe's")
    verb.add_argument("--shell", action="store_true", help="after the build, open a shell on its files")
    _mirrors(verb)
    _bundle(verb)


def _verify(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    _row(verb)
    verb.add_argument("wheel", metavar="WHEEL|NAME==VERSION", nargs="?", help="default: the recipe's published wheel")
    verb.add_argument("--python", metavar="3.X", help="default: the wheel's own, else 3.11")
    _bundle(verb)


def _inspect(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    verb.add_argument("wheel", metavar="WHEEL|NAME==VERSION")
    verb.add_argument("--python", default="3.11", metavar="3.X", help="of a published wheel; default: %(default)s")
    verb.add_argument("--arch", help="of a published wheel; default: this machine's processor")
    verb.add_argument(
        "--probe",
        action="store_true",
        help="try its CMake packages (8 at most) in containers, with old and new CMake; "
        "what the wheel requires is not installed there, and what needs that is not run",
    )
    _engine(verb)
    _containers(verb)
    _bundle(verb)


def _matrix(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    verb.add_argument("--recipe", default=DEFAULT_RECIPE, metavar="NAME|PATH", help="default: %(default)s")
    verb.add_argument(
        "--arch",
        metavar="ARCH|all",
        help="rows of this processor, or of 'all', which is the default but for a matrix that is for one",
    )
    verb.add_argument(
        "--filter", metavar="FILE|-", help="of a matrix that a generator printed, the rows of the recipe's policy"
    )
    verb.add_argument("--pull-request", action="store_true", help="one row: the policy's, or the nearest to it")
    verb.add_argument("--github-output", action="store_true", help="add matrix=… to the file $GITHUB_OUTPUT")
    verb.add_argument(
        "--workflow",
        nargs="?",
        const="-",
        metavar="FILE",
        help="write a workflow of GitHub Actions for the policy's rows; without FILE to standard output",
    )
    _engines(verb)
    _images_policy(verb)


def _nightly(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    verb.add_argument(
        "--recipe", action="append", default=[], dest="recipes", metavar="NAME|PATH", help="default: all of recipes/"
    )
    verb.add_argument(
        "--only", action="append", default=[], metavar="GLOB", help="rows of that id, such as 'minirt/*/x86_64/*'"
    )
    verb.add_argument("--jobs", type=count, metavar="N", help="rows at a time; default: cores, as memory allows")
    verb.add_argument("--remembered", action="store_true", help="take the results that the store has")
    verb.add_argument("--anew", action="store_true", help="begin a night, though one was interrupted")
    verb.add_argument("--keep-days", type=count, default=30, metavar="N", help="age of nights kept; default: 30")
    verb.add_argument(
        "--keep-bytes", type=size, default="10G", metavar="SIZE", help="of their reports together; default: 10G"
    )
    verb.add_argument("--install-timer", action="store_true", help="let systemd do this every night, or say how")
    verb.add_argument("--release", action="store_true", help="what did not run fails")
    verb.add_argument("--gpus", type=gpus, metavar="all|N|device=0,1", help="run on GPUs what needs one")
    _engines(verb)
    _mirrors(verb)
    _images_policy(verb)
    _bundle(verb)


def _reproduce(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    verb.add_argument("report", metavar="BUNDLE|REPORT", help="bundle.zip or report.json of a run, or its folder")
    verb.add_argument("--row", metavar="ID", help="default: the first that failed")
    verb.add_argument("--check", metavar="ID", help="default: the first that failed")
    verb.add_argument("--environment", metavar="E", help="default: the first in which it failed")
    verb.add_argument("--from-step", metavar="STEP", help="where to begin; default: the step that failed")
    verb.add_argument("--shell", action="store_true", help="open a shell as it was just before that step")
    verb.add_argument("--closest", action="store_true", help="go on with other inputs where some cannot be had")
    verb.add_argument("--pinned", metavar="DIGEST", help="what the digest of all inputs begins with")
    verb.add_argument("--recipe", metavar="NAME|PATH", help="the recipe, where the bundle lacks it")
    verb.add_argument("--source", metavar="DIR", help="the checkout that was built, where the bundle lacks it")
    verb.add_argument("--wheel", metavar="FILE", help="the wheel that was judged, where the bundle lacks it")
    verb.add_argument("--gpus", type=gpus, metavar="all|N|device=0,1", help="run on GPUs what needs one")
    verb.add_argument("--keep", action="store_true", help="keep the containers' files")
    _engines(verb)
    _mirrors(verb)


def _diff(verb: argparse.ArgumentParser) -> None:
    _common(verb)
    verb.add_argument(
        "old", metavar="OLD", help="a wheel's file, a published name==version, or a run's report, bundle or folder"
    )
    verb.add_argument("new", metavar="NEW", help="likewise")
    verb.add_argument("--recipe", metavar="NAME|PATH", help="says which library owns what; default: none")
    verb.add_argument("--python", default="3.11", metavar="3.X", help="of published wheels; default: %(default)s")
    verb.add_argument("--arch", help="of published wheels; default: this machine's processor")


def _explain(verb: argparse.ArgumentParser) -> None:
    form = verb.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print a JSON list, and nothing else, on stdout")
    form.add_argument("--markdown", action="store_true", help="print all checks as docs/checks.md has them")
    verb.add_argument("check", metavar="ID|NAME", nargs="*", help="such as B1 or owned-once; default: list all")


def _doctor(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="print it as JSON, and nothing else, on stdout")
    verb.add_argument("--deep", action="store_true", help="hold each file of the store against its hash")
    verb.add_argument(
        "--online",
        action="store_true",
        help="ask index, Debian mirror and registries whether they answer; without it nobody is asked",
    )


def _images(verb: argparse.ArgumentParser) -> None:
    actions = verb.add_subparsers(dest="action", metavar="list|build|export|import|refresh|prune")
    actions.add_parser("list", help="show names, digests and sizes")
    build = actions.add_parser("build", help="make stand-ins")
    build.add_argument("name", nargs="*", help="default: all")
    build.add_argument("--python", help="with the CPython layer of this version (builder)")
    build.add_argument("--arch", choices=get_args(Processor), help="for this processor; default: the engine's")
    export = actions.add_parser("export", help="write an image to a file")
    export.add_argument("name")
    export.add_argument("file")
    export.add_argument("--python", help="with the CPython layer of this version (builder)")
    export.add_argument("--arch", choices=get_args(Processor), help="for this processor; default: the engine's")
    import_ = actions.add_parser("import", help="load an image from a file")
    import_.add_argument("file")
    refresh = actions.add_parser("refresh", help="pull official images whose tags move, and accept what they are now")
    refresh.add_argument("name", nargs="*", help="default: all")
    actions.add_parser("prune", help="remove our images, and the volumes that no run uses")


def _locks(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--check", action="store_true", help="show the difference, write nothing")
    verb.add_argument("--debian", action="store_true", help="only the Debian locks; NAME is then an image or a toolkit")
    verb.add_argument(
        "name", nargs="*", metavar="NAME", help="only locks whose path contains this, or a recipe's folder"
    )
