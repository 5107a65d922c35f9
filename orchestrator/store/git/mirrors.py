"""Local repositories that stand for those that a recipe names by address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.errors import UsageError
from orchestrator.store.git.addresses import same_repository

_FORM = "For example: https://example.org/owner/name=/srv/mirrors/name.git"


@dataclass(frozen=True)
class Mirrors:
    """Folders of repositories by what their addresses have in common.

    What they hold is read by commit and held against it, so that no result depends on where it came from.
    """

    folders: Mapping[str, Path] = field(default_factory=dict)

    def of(self, url: str) -> Path | None:
        """The git folder that stands for a repository, or None."""
        return self.folders.get(same_repository(url))


NO_MIRRORS = Mirrors()


def read_mirrors(words: Iterable[str], file: str | None) -> Mirrors:
    """What `--mirror URL=DIR` and `--mirrors FILE` say; a word comes before a line of the file.

    The file has one `URL=DIR` a line; folders are relative to its own, empty lines and those that begin with `#`
    are passed over.

    Raises:
        UsageError: the file cannot be read; a line is malformed, or names no git repository.
    """
    folders: dict[str, Path] = {}
    for where, text, base in _lines(words, file):
        url, equals, name = text.partition("=")
        if not equals or not url.strip() or not name.strip():
            raise UsageError(f"{where}: '{text}' is not URL=DIR.", advice=_FORM)
        try:
            place = (base / Path(name.strip()).expanduser()).resolve()
            folder = git_folder(place)
            what = "is no git repository" if place.is_dir() else "is no folder"
        except (OSError, ValueError, RuntimeError) as error:  # no such user, links in a circle, no name of a file
            raise UsageError(
                f"{where}: '{name.strip()}' cannot be read: {error}.", advice="Name a bare repository, or a checkout."
            ) from error
        if folder is None:
            raise UsageError(f"{where}: '{place}' {what}.", advice="Name a bare repository, or a checkout.")
        folders.setdefault(same_repository(url.strip()), folder)
    return Mirrors(folders)


def git_folder(place: Path) -> Path | None:
    """The folder with the objects of a bare repository or of a checkout (gitrepository-layout(5)), or None.

    git would look for it too, and refuses one that is another user's, for fear of its settings, which reading
    objects does not heed.
    """
    inner = place / ".git"
    if inner.is_file():  # a worktree's, or a submodule's
        inner = place / inner.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
    for folder in (inner, place):
        if (folder / "HEAD").is_file() and ((folder / "objects").is_dir() or (folder / "commondir").is_file()):
            return folder.resolve()
    return None


def _lines(words: Iterable[str], file: str | None) -> Iterator[tuple[str, str, Path]]:
    """Where each stands, what it says, and to what its folder is relative."""
    for word in words:
        yield "--mirror", word, Path.cwd()
    if file is None:
        return
    try:
        path = Path(file).expanduser()
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(f"--mirrors {file}: cannot be read: {why}.", advice="Name a file of lines URL=DIR.") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield f"{file}, line {number}", line.strip(), path.parent.resolve()
