"""Links distributions into a site folder: `python3 -I link_site.py SITE FOLDER NAME...`, in a container.

Standard library only, Python 3.9 or newer.  Each distribution lies in FOLDER/NAME as installed.  What SITE has
already stays; a folder that two of them share becomes a folder of links.
"""

from __future__ import annotations

import sys
from pathlib import Path


def merge(source: Path, target: Path) -> None:
    """Link what is in `source` into `target`."""
    for entry in sorted(source.iterdir()):
        place = target / entry.name
        if not place.is_symlink() and not place.exists():
            place.symlink_to(entry)
        elif entry.is_dir() and place.is_dir() and place.resolve() != entry.resolve():
            if place.is_symlink():
                first = place.resolve()
                place.unlink()
                place.mkdir()
                merge(first, place)
            merge(entry, place)


def main(argv: list[str]) -> int:
    """Link the distributions that the arguments name."""
    site, folder, *names = argv[1:]
    for name in names:
        merge(Path(folder, name), Path(site))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
