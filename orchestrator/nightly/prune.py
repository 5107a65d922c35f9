"""Removing what old nights left: reports, wheels and history, by age and size."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from orchestrator.files import writing
from orchestrator.nightly.history import History
from orchestrator.nightly.model import Night, Result
from orchestrator.store.store import sha256_file


@dataclass(frozen=True, kw_only=True)
class Pruned:
    """Nights that were removed, and how many bytes of files that freed."""

    nights: tuple[str, ...]
    size: int


def prune(history: History, folder: Path, *, keep: str, now: datetime, days: float, size: int) -> Pruned:
    """Remove nights of `folder` older than `days`, then the oldest until the rest takes at most `size` bytes.

    The night `keep` stays, and the last one before it that ended, which the next is compared with.  Of dist/ only
    wheels go that such a night put there and that no other has; of reports/ its own and those of its rows.  Of nights
    whose folder is no more the history goes, by age.
    """
    everywhere = history.nights()
    nights = [night for night in everywhere if night.folder == str(folder)]
    results = {night.id: tuple(history.results(night.id).values()) for night in nights}
    folders = {
        night.id: [folder / "reports" / Path(name).name for name in (night.id, *history.runs(night.id))]
        for night in nights
    }
    stays = {keep, next((night.id for night in nights if night.finished and night.id != keep), keep)}
    removed, used, oldest = list[Night](), 0, now - timedelta(days=days)
    for night in nights:
        used += sum(_size(path) for path in folders[night.id])
        if night.id not in stays and (night.started < oldest or used > size):
            removed.append(night)
    gone = {night.id for night in removed}
    wheels = {one.sha256 for id_, found in results.items() if id_ not in gone for one in found}
    freed = 0
    for night in removed:
        for path in folders[night.id]:
            freed += _size(path)
            shutil.rmtree(path, ignore_errors=True)
        for one in results[night.id]:
            freed += _remove_wheel(folder / "dist", one) if one.sha256 not in wheels else 0
    lost = {night.id for night in everywhere if night.started < oldest and not Path(night.folder).is_dir()}
    history.forget(sorted(gone | lost))
    return Pruned(nights=tuple(night.id for night in removed), size=freed)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def _remove_wheel(dist: Path, result: Result) -> int:
    """Remove a row's wheel unless another is there by now; the bytes that freed.

    Raises:
        DiskError: the folder forbids it.
    """
    path = dist / Path(result.wheel).name if result.wheel else None
    if path is None or not path.is_file():
        return 0
    with writing(path):
        if sha256_file(path) != result.sha256:
            return 0
        size = path.stat().st_size
        path.unlink()
    return size
