"""A wheel taken apart, edited, and put together again with a RECORD that fits."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.wheels import record, write_zip


@dataclass
class Draft:
    """What a wheel holds.  RECORD is made when the wheel is written, from `files`."""

    filename: str
    files: dict[str, bytes]
    executables: set[str]
    unrecorded: list[tuple[str, bytes]] = field(default_factory=list)
    """Members that are added behind RECORD and are not in it; names may repeat."""
    edit_record: Callable[[bytes], bytes] = bytes
    zipped: Callable[..., None] = write_zip
    """How the archive is written: see `tests.support.zips`."""

    @classmethod
    def of(cls, wheel: Path) -> Draft:
        """Take a correct wheel apart."""
        with zipfile.ZipFile(wheel) as archive:
            entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/RECORD")]
            files = {entry.filename: archive.read(entry) for entry in entries}
            executables = {entry.filename for entry in entries if (entry.external_attr >> 16) & 0o100}
        return cls(wheel.name, files, executables)

    @property
    def dist_info(self) -> str:
        """The name of the .dist-info folder."""
        return next(name for name in self.files if name.endswith(".dist-info/WHEEL")).partition("/")[0]

    def find(self, ending: str) -> str:
        """The one member whose name ends so."""
        found = [name for name in self.files if name.endswith(ending)]
        assert len(found) == 1, f"{ending}: {found}"
        return found[0]

    def change(self, ending: str, edit: Callable[[bytes], bytes]) -> None:
        """Edit one member; an edit that changes nothing is a mistake of the test."""
        name = self.find(ending)
        before = self.files[name]
        self.files[name] = edit(before)
        assert self.files[name] != before, f"the edit of {name} changed nothing"

    def replace(self, ending: str, old: str, new: str) -> None:
        """Replace a text that occurs in one member."""
        self.change(ending, lambda data: data.replace(old.encode(), new.encode()))

    def append(self, ending: str, text: str) -> None:
        """Add text at the end of one member."""
        self.change(ending, lambda data: data + text.encode())

    def retag(self, tag: str) -> None:
        """Give file name and WHEEL file another tag such as `py3-none-any`."""
        stem = self.filename.removesuffix(".whl")
        old = "-".join(stem.split("-")[-3:])
        self.filename = f"{stem.removesuffix(old)}{tag}.whl"
        self.tag_lines(tag)

    def tag_lines(self, tag: str) -> None:
        """Give the WHEEL file alone another tag."""
        name = f"{self.dist_info}/WHEEL"
        kept = [line for line in self.files[name].decode().splitlines() if line and not line.startswith("Tag:")]
        self.files[name] = "".join(f"{line}\n" for line in [*kept, f"Tag: {tag}"]).encode()

    def write(self, folder: Path) -> Path:
        """Write the wheel and give its path."""
        path = f"{self.dist_info}/RECORD"
        members = [*self.files.items(), (path, self.edit_record(record(self.files, path))), *self.unrecorded]
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / self.filename
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Duplicate name", category=UserWarning)
            self.zipped(target, members, executables=self.executables)
        return target
