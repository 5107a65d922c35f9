"""Lists the shared libraries of every installed distribution: `python3 -I list_site.py SITE`, in a container.

Standard library only, Python 3.9 or newer.  A line has distribution, version and path below SITE,
separated by tabs, as RECORD lists it; what RECORD lists but is not there is left out.
"""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """List the folder that the first argument names."""
    for distribution in importlib.metadata.distributions(path=[argv[1]]):
        for file in distribution.files or ():
            if ".so" in file.suffixes and Path(file.locate()).is_file():
                sys.stdout.write(f"{distribution.metadata['Name']}\t{distribution.version}\t{file.as_posix()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
