"""Where a project's source comes from: a folder, a published sdist, a git revision, or a published wheel."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from orchestrator.recipe.part import Part, Reason, RelativePath

Pinned = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+]+$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
"""A full object name of git (git-rev-parse(1)): a branch or a tag may be another commit tomorrow."""


def _git_url(url: str) -> str:
    if url != url.strip() or not url or url.startswith("-") or not url.isprintable():
        raise ValueError(f"{url!r} is no address of a git repository")
    return url


GitUrl = Annotated[str, AfterValidator(_git_url)]


class Tree(Part):
    """One tree that is put into the checkout: a submodule's in place of its own pin, or one that it does not have."""

    path: RelativePath = Field(description="Folder in the checkout.")
    git: GitUrl | None = Field(default=None, description="Repository that has `rev`.")
    rev: Commit | None = Field(default=None, description="The commit, by its full name.")
    sdist: Pinned | None = Field(default=None, description="Published source distribution, `name==version`.")
    sha256: Sha256 | None = Field(default=None, description="SHA-256 of the sdist's file, in hexadecimal.")
    folder: RelativePath | None = Field(default=None, description="Only this folder of it.")
    reason: Reason = Field(description="Why it stands there: shown in every report.")

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if (self.git is None) == (self.sdist is None):
            raise ValueError("give 'git' and 'rev', or 'sdist' and 'sha256'")
        if (self.git is None) != (self.rev is None) or (self.sdist is None) != (self.sha256 is None):
            raise ValueError("'git' and 'rev' go together, as do 'sdist' and 'sha256'")
        return self


class LeftOut(Part):
    """Files of the checkout that stay out of it: a mirror need not have them, and no build can use them."""

    path: RelativePath = Field(description="Glob over paths of files in the checkout, in which `*` stands for `/` too.")
    reason: Reason = Field(description="Why nothing needs them: shown in every report.")


class Source(Part):
    """Where the project comes from: exactly one of a folder, a published sdist, a git revision, a published wheel."""

    path: RelativePath | None = Field(default=None, description="Folder inside the recipe's.")
    sdist: Pinned | None = Field(default=None, description="Published source distribution, `name==version`.")
    sha256: Sha256 | None = Field(default=None, description="SHA-256 of the sdist's file, in hexadecimal.")
    git: GitUrl | None = Field(default=None, description="Repository, of which mirrors may stand in.")
    rev: Commit | None = Field(default=None, description="The commit, by its full name.")
    submodules: tuple[RelativePath, ...] = Field(
        default=(), description="Paths of the submodules that the build needs, nested ones too; others stay empty."
    )
    substitute: tuple[Tree, ...] = Field(
        default=(), description="Trees in place of pins that mirrors lack, each with its reason."
    )
    extra: tuple[Tree, ...] = Field(default=(), description="Trees that the checkout itself does not have.")
    without: tuple[LeftOut, ...] = Field(
        default=(), description="Files that stay out of the checkout, such as pictures that a mirror lacks."
    )
    wheel: str | None = Field(default=None, description="Published `name==version`: the recipe only verifies.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(one is not None for one in (self.path, self.sdist, self.git, self.wheel)) != 1:
            raise ValueError("give exactly one of 'path', 'sdist', 'git' and 'wheel'")
        if (self.sdist is None) != (self.sha256 is None):
            raise ValueError("'sdist' and 'sha256' go together: a published source is used by its hash only")
        if (self.git is None) != (self.rev is None):
            raise ValueError("'git' and 'rev' go together: a source is used by its commit only")
        if self.git is None and (self.submodules or self.substitute or self.extra or self.without):
            raise ValueError("'submodules', 'substitute', 'extra' and 'without' belong to a source from 'git'")
        places = [tree.path for tree in (*self.substitute, *self.extra)]
        if twice := {path for path in places if places.count(path) > 1}:
            raise ValueError(f"two trees are to be put at '{min(twice)}'")
        if unasked := {tree.path for tree in self.substitute} - set(self.submodules):
            raise ValueError(f"'{min(unasked)}' is substituted, and is none of 'submodules'")
        return self
