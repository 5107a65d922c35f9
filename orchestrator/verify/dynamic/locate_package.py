"""Finds a package without importing it: `python3 -I locate_package.py SITE PACKAGE DISTRIBUTION`, in a container.

Standard library only, Python 3.9 or newer.  SITE becomes a site folder as pip's is: what its .pth files say is done.
Prints a line for each answer, words separated by tabs: `holds FOLDER` for each entry of the search path that has the
package, `spec FILE` what would be imported, `distribution FOLDER` for each installed distribution of that name,
`foreign FILE` for what another distribution has put into the package's folder, as its RECORD lists it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import importlib.util
import re
import site
import sys
from pathlib import Path


def has_package(folder: str, package: str) -> bool:
    """Whether an entry of the search path has a package or a module of that name."""
    endings = importlib.machinery.all_suffixes()
    return Path(folder, package).is_dir() or any(Path(folder, package + ending).is_file() for ending in endings)


def plain(name: str) -> str:
    """A distribution's name as compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(argv: list[str]) -> None:
    """Print what the arguments ask for."""
    folder, package, distribution = argv[1:]
    own = sys.path[:]
    site.addsitedir(folder)
    added = [one for one in sys.path if one not in own]
    sys.path[:] = [*added, *own]
    for entry in dict.fromkeys(sys.path):
        if has_package(entry, package):
            print(f"holds\t{entry}")
    spec = importlib.util.find_spec(package)
    if spec is not None:
        print(f"spec\t{spec.origin or (list(spec.submodule_search_locations or []) or [''])[0]}")
    for one in importlib.metadata.distributions():
        if plain(one.metadata["Name"] or "") == plain(distribution):
            print(f"distribution\t{one.locate_file('')}")
            continue
        for line in (one.read_text("RECORD") or "").splitlines():
            file = line.rpartition(",")[0].rpartition(",")[0].strip('"')  # path, hash, size
            if file.startswith(f"{package}/") and Path(folder, file).exists():
                print(f"foreign\t{file} of {one.metadata['Name']}")


if __name__ == "__main__":
    main(sys.argv)
