"""`docs/tutorial.md`, followed from an empty folder as it is written: every block, in its order.

What an info string says to this test: `file=PATH` is written, `append=PATH` appended, `sh` is run and ends with
`exit=CODE` or zero, `text` is part of what the command before it shows, with `...` for what varies (ELLIPSIS of
doctest), and `given` is where the checkout lies, which is elsewhere on each machine.
"""

from __future__ import annotations

import doctest
import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.ground.sessions import ROOT
from tests.support.markdown import Block, blocks

pytestmark = pytest.mark.container

PAGE = ROOT / "docs" / "tutorial.md"
SHOWN = doctest.OutputChecker()


def test_the_tutorial_works_as_it_is_written(tmp_path: Path) -> None:
    printed: subprocess.CompletedProcess[str] | None = None
    commands = 0
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        place = f"{PAGE.name}, line {block.line}"
        if (path := block.value("file") or block.value("append")) is not None:
            target = tmp_path / path
            assert target.exists() == (block.value("append") is not None), f"{place}: {path}"
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("a", encoding="utf-8") as file:
                file.write(block.text)
        elif "given" in block.words:
            assert block.text.startswith("TOOL="), place
        elif block.language == "sh":
            printed = _run(block, tmp_path)
            commands += 1
            wanted = int(block.value("exit") or 0)
            assert printed.returncode == wanted, f"{place}: exit {printed.returncode}\n{printed.stdout}"
            assert "Traceback" not in printed.stdout, place
        else:
            assert block.language == "text", f"{place}: is neither a file nor a command nor what one shows"
            assert printed is not None, place
            assert _shown(block.text, printed.stdout), f"{place}: it shows\n{printed.stdout}"
    assert commands == 7
    assert [path.name.split("-")[0] for path in (tmp_path / "dist").iterdir()] == ["tally"]


def test_another_output_is_noticed() -> None:
    """The negative control of what is compared."""
    printed = "FAIL  C1 search-path\n  one\n  two\n"
    assert _shown("FAIL  C1 search-path\n", printed)
    assert _shown("FAIL  C1 ...\n  two\n", printed)
    assert not _shown("FAIL  C2 ...\n  two\n", printed)
    assert not _shown("FAIL  C1 ...\n  three\n", printed)
    assert not _shown("  two\n...\n  one\n", printed)


def _run(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env={**os.environ, "TOOL": str(ROOT), "CI": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def _shown(wanted: str, printed: str) -> bool:
    return SHOWN.check_output(f"...{wanted.strip()}...", printed, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
