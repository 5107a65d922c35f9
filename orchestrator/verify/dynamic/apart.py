"""Runs a script, each time in a process of its own: `python3 -I apart.py RUNS.json RESULTS.json`, in a container.

Standard library only, Python 3.9 or newer.  RUNS.json says where packages are, what is run and how:

    {"site": [FOLDER...], "script": FILE, "ahead": BOOL, "seconds": DEADLINE, "runs": {ID: [ARGUMENT...]}}

Where `ahead`, what the script imports at its top is imported once, and each run is a copy (fork) of that process,
which has run nothing: large packages take ten seconds to import.  An import that raises is left to the runs.
RESULTS.json has `{ID: {"exit", "seconds", "stdout", "stderr"}}`; `exit` is negative for a signal, the alarm's at the
deadline.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

KEPT = 64 * 1024
"""Bytes of each output that are kept: its end."""


def import_ahead(script: str) -> None:
    """Import what the statements at the top of the script import, up to the first that cannot be."""
    tree = ast.parse(Path(script).read_text(encoding="utf-8"))
    for node in tree.body:
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            if name == "__future__":
                continue
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001  whatever it is, each run raises it again and shows it
                return


def tail(path: str) -> str:
    """The end of a file."""
    data = Path(path).read_bytes()
    return data[-KEPT:].decode("utf-8", "replace")


def become(script: str, arguments: list[str], seconds: int, outputs: tuple[str, str]) -> NoReturn:
    """Turn this process into a run: its outputs go into files, and the alarm ends it.

    What is to be called at exit is called.  Objects are not taken apart one by one: for those of large packages that
    takes longer than the run.
    """
    for number, path in enumerate(outputs, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    sys.argv = [script, *arguments]
    code: object = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001  shown as the interpreter does
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def main(argv: list[str]) -> None:
    """Run what the first argument names; write the second."""
    asked: dict[str, Any] = json.loads(Path(argv[1]).read_text(encoding="utf-8"))
    sys.path[:0] = asked["site"]
    if asked["ahead"]:
        import_ahead(asked["script"])
    gc.freeze()  # else collecting garbage copies each page of what was imported, in each run
    results: dict[str, Any] = {}
    for name, arguments in asked["runs"].items():
        started = time.monotonic()
        outputs = (f"{name}.out", f"{name}.err")
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            become(asked["script"], arguments, asked["seconds"], outputs)
        _, status = os.waitpid(child, 0)
        results[name] = {
            "exit": os.waitstatus_to_exitcode(status),
            "seconds": round(time.monotonic() - started, 3),
            "stdout": tail(outputs[0]),
            "stderr": tail(outputs[1]),
        }
    Path(argv[2]).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv)
