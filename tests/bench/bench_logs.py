"""A log of 100 MB on its way to its file, while five secrets are looked for: at most three times as long as with none.

`python -m tests.bench.bench_logs`.  Prints one JSON object, in seconds.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

from orchestrator import secrets as module
from orchestrator.containers.logs import STDOUT, LogFile, LogSink
from orchestrator.secrets import Secrets

SIZE = 100_000_000
_LINE = b"[ 12%] Building CXX object src/CMakeFiles/sdk.dir/kernel_17.cpp.o -O3 -DNDEBUG -I/opt/include -std=c++17\n"
_PIECE = _LINE * 150
"""About what an engine hands on at once."""


def log_without_secrets() -> None:
    """Write such a log with and without secrets to look for."""
    five = {f"NUMBER_{number}_TOKEN": os.urandom(20).hex() for number in range(5)}
    none, some = _seconds({}), _seconds(five)
    measured = {"none_seconds": round(none, 2), "five_seconds": round(some, 2), "ratio": round(some / none, 2)}
    print(json.dumps({"bench": "log of 100 MB", **measured}))


def _seconds(environ: Mapping[str, str]) -> float:
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(module._process, "known", Secrets.of(environ)),
        LogFile(Path(folder, "build.log")) as file,
    ):
        sink = LogSink(file=file, on_line=None, capture=False)
        started = time.perf_counter()
        for _ in range(SIZE // len(_PIECE)):
            sink.write(STDOUT, _PIECE)
        sink.finish()
        return time.perf_counter() - started


if __name__ == "__main__":
    log_without_secrets()
