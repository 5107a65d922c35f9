"""Runs the pip that comes with this Python, from its wheel: installing pip itself first takes seconds.

Standard library only, because it is copied into containers.  The wheel is where ensurepip has it
(Python library, ensurepip), which distributions may move.  Images of another processor have it unpacked and
compiled: what is imported from a wheel is compiled at each start, which takes long under emulation.
"""

from __future__ import annotations

import ensurepip
import runpy
import sys
from pathlib import Path

UNPACKED = Path("/usr/lib/wheel-orchestrator/pip")


def main() -> None:
    """Run pip with the arguments of this script."""
    sys.path.insert(0, str(UNPACKED if UNPACKED.is_dir() else wheel()))
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


def wheel() -> Path:
    """The wheel of pip."""
    moved = getattr(ensurepip, "_WHEEL_PKG_DIR", None)
    folder = Path(moved) if moved else Path(ensurepip.__file__).parent / "_bundled"
    wheels = sorted(folder.glob("pip-*.whl"))
    if not wheels:
        sys.exit(f"run_pip: no pip in {folder}")
    return wheels[-1]


if __name__ == "__main__":
    main()
