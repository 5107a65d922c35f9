"""The source of a recipe that names a git commit, from the store where it was assembled before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.build.assemble import Assembly
from orchestrator.build.source import SourceTree, write_entries
from orchestrator.console import get_console
from orchestrator.errors import FetchError
from orchestrator.recipe.model import Recipe
from orchestrator.recipe.source import Source, Tree
from orchestrator.report.model import Note, Pinned
from orchestrator.store.git.addresses import shown
from orchestrator.store.git.mirrors import Mirrors
from orchestrator.store.git.repositories import Repositories
from orchestrator.store.store import Store

_KIND = "checkout"

# Raise when the same source is laid out in another way.
_LAYOUT = "1"


@dataclass(frozen=True)
class Checkout:
    """A source's tree, what it is of, the trees that were put into it, and what is worth knowing of it."""

    tree: SourceTree
    origin: Pinned
    trees: tuple[Pinned, ...] = ()
    notes: tuple[Note, ...] = ()


def fetch_checkout(store: Store, recipe: Recipe, mirrors: Mirrors) -> Checkout:
    """The checkout of the recipe's commit with all that it asks for, fetched at need.

    With the assembled tree in the store, undamaged, neither mirrors nor a network are asked, nor git.

    Raises:
        FetchError: what cannot be had is named, all of it; or a repository is damaged, or there is no git.
        RecipeError: the recipe names submodules that the commit has not, or trees where it has files.
    """
    source = recipe.project.source
    key, declared = _decides(source), _declared(source)
    with store.lock(f"checkout-{hashlib.sha256(key.encode()).hexdigest()[:16]}"):
        known = _recalled(store, store.get_ref(_KIND, key))
        if known is not None:
            return replace(known, notes=(*declared, *known.notes))
        with (
            get_console().step(f"assemble the source of {recipe.project.name}"),
            Repositories(store, mirrors) as repositories,
        ):
            assembly = Assembly(store, source, repositories)
            if assembly.missing:
                raise _incomplete(recipe, assembly.missing)
            with store.temporary(f"assembling the source of {recipe.project.name}") as folder:
                path = folder / "source.tar"
                with path.open("wb") as stream:
                    write_entries(assembly.entries(), stream)
                sha256 = store.add_file(path, move=True)
        origin = Pinned(
            name=f"{recipe.project.name} ({shown(source.git or '')})", version=source.rev or "", sha256=sha256
        )
        tree = SourceTree(store.require(sha256, "the source"), sha256)
        checkout = Checkout(tree, origin, assembly.pinned(), _pointer_notes(assembly.pointers))
        value = {
            "tar": sha256,
            "pins": [one.model_dump(mode="json") for one in (origin, *checkout.trees)],
            "notes": [one.model_dump(mode="json") for one in checkout.notes],
        }
        store.put_ref(_KIND, key, value)
    return replace(checkout, notes=(*declared, *checkout.notes))


def _declared(source: Source) -> tuple[Note, ...]:
    """What the report says of trees that are not the commit's own, and of files left out, with the recipe's reasons."""
    kinds = (("instead of the submodule's commit", source.substitute), ("in addition", source.extra))
    put = tuple(
        Note(id="source", subject=tree.path, text=f"{_named(tree)} {kind}: {tree.reason}")
        for kind, trees in kinds
        for tree in trees
    )
    return (*put, *(Note(id="source", subject=one.path, text=f"left out: {one.reason}") for one in source.without))


def _pointer_notes(paths: Sequence[str]) -> tuple[Note, ...]:
    text = "a pointer of Git LFS: its content is not in the repository, and is not fetched"
    return tuple(Note(id="source", subject=path, text=text) for path in paths)


def _named(tree: Tree) -> str:
    what = f"commit {tree.rev} of {shown(tree.git)}" if tree.git else f"the sdist {tree.sdist}"
    return f"folder {tree.folder} of {what}" if tree.folder else what


def _decides(source: Source) -> str:
    """What decides the tree: commits, hashes and places; no reason, and no mirror."""
    reasons = {"__all__": {"reason"}}
    values = source.model_dump(mode="json", exclude={"substitute": reasons, "extra": reasons, "without": reasons})
    return json.dumps({"layout": _LAYOUT, **values}, sort_keys=True)


def _recalled(store: Store, value: Mapping[str, Any] | None) -> Checkout | None:
    """The checkout that a record means; one of another form counts as none."""
    if value is None:
        return None
    try:
        origin, *trees = (Pinned.model_validate(one) for one in value["pins"])
        notes = tuple(Note.model_validate(one) for one in value["notes"])
        path = store.blob(value["tar"], verify=True)
    except (KeyError, TypeError, ValueError):
        return None
    return Checkout(SourceTree(path, origin.sha256), origin, tuple(trees), notes) if path else None


def _incomplete(recipe: Recipe, missing: list[str]) -> FetchError:
    return FetchError(
        f"The source of '{recipe.project.name}' cannot be assembled. What cannot be had:",
        detail="\n".join(f"  {line}" for line in missing),
        advice="Run once where there is a network: afterwards the store has everything. Or give local repositories: "
        "--mirror URL=DIR, --mirrors FILE. A submodule's commit that is nowhere to be had needs a substitute with a "
        "reason, in project.source.substitute of the recipe; files that no build needs go into project.source.without.",
    )
