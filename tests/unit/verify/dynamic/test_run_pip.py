"""pip from the wheel that comes with Python."""

import subprocess
import sys

from orchestrator.verify.dynamic.install import _PIP


def test_it_is_pip_and_takes_its_arguments() -> None:
    pip = [sys.executable, str(_PIP)]
    done = subprocess.run([*pip, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("pip ")
    assert ".whl" in done.stdout
    refused = subprocess.run(
        [sys.executable, str(_PIP), "no-such-command"], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert 'unknown command "no-such-command"' in refused.stderr
