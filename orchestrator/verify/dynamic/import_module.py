"""Imports a module: `python3 -I import_module.py SITE MODULE [BEFORE...]`, in a container.

Standard library only, Python 3.9 or newer.  Isolated mode ignores PYTHONPATH and the current folder:
what is not the interpreter's comes from SITE.  The modules BEFORE are imported first.  Prints in one
line what was imported and the file that it is, a package without one its first folder; ends with a
traceback if the import raises.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys

IMPORTED = "imported"


def main(argv: list[str]) -> None:
    """Import what the arguments name."""
    site, module, *before = argv[1:]
    sys.path.insert(0, site)
    for name in before:
        importlib.import_module(name)
    spec = importlib.util.find_spec(module)
    importlib.import_module(module)
    folders = list(spec.submodule_search_locations or []) if spec else []
    origin = spec.origin if spec else None
    # At once: what is imported may end the process without a flush.
    print(f"\n{IMPORTED}\t{module}\t{origin or (folders or [''])[0]}", flush=True)


if __name__ == "__main__":
    main(sys.argv)
