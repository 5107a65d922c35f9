"""Opens a shared library as the loader does for a program and lists what is mapped then.

`python3 -I open_library.py LIBRARY`, in a container: standard library only, Python 3.9 or newer.  Every
symbol is resolved at once.  Prints one path a line; exit status 1, with the loader's words, if it
does not open.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path


def mapped() -> list[str]:
    """Files in this process's memory, in order of their addresses (proc_pid_maps(5))."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    fields = [line.split(maxsplit=5) for line in lines]
    return list(dict.fromkeys(field[5] for field in fields if len(field) == 6 and field[5].startswith("/")))


def main(argv: list[str]) -> int:
    """Open the library that the first argument names."""
    try:
        ctypes.CDLL(argv[1], mode=os.RTLD_NOW)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.writelines(f"{path}\n" for path in mapped())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
