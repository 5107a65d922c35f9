"""Runs in the builder's container and prints, as JSON, which tools are there and what they answer.

Needs the standard library only.  The argument is the folder of a CUDA toolkit, if there should be one.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

SECONDS = 60


def program(path: Path) -> dict[str, object]:
    """What kind of file a program is and what it answers when asked for its version."""
    found: dict[str, object] = {"path": str(path), "kind": "program", "status": None, "output": ""}
    if not path.exists():
        return {**found, "kind": "missing"}
    if not path.is_file():
        return {**found, "kind": "directory" if path.is_dir() else "special"}
    try:
        done = subprocess.run(
            [str(path), "--version"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except PermissionError:
        return {**found, "kind": "not-executable"}
    except (OSError, subprocess.TimeoutExpired) as error:
        return {**found, "kind": "not-running", "output": str(error)}
    return {**found, "status": done.returncode, "output": done.stdout.decode("utf-8", "replace").strip()}


def runtime_version(root: Path) -> int | None:
    """CUDART_VERSION of the toolkit's headers (1000 * major + 10 * minor), None where they do not say it."""
    try:
        text = (root / "include" / "cuda_runtime_api.h").read_text(errors="replace")
    except OSError:
        return None
    match = re.search(r"^\s*#\s*define\s+CUDART_VERSION\s+(\d+)", text, re.MULTILINE)
    return int(match[1]) if match else None


def look(root: Path | None) -> dict[str, object]:
    """All that is asked."""
    found: dict[str, object] = {name: shutil.which(name) for name in ("ccache", "patchelf")}
    if root is not None:
        found |= {name: program(root / "bin" / name) for name in ("nvcc", "ptxas")}
        found["cudart"] = runtime_version(root)
    return found


if __name__ == "__main__":
    print(json.dumps(look(Path(sys.argv[1]) if len(sys.argv) > 1 else None)))
