from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.ground.packages import distribution


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ID=debian\nVERSION_ID=12\n", {"debian"}),
        ('ID=ubuntu\nID_LIKE="debian"\n', {"ubuntu", "debian"}),
        ('ID="fedora"\n', {"fedora"}),
        ("", set()),
    ],
)
def test_the_distribution_is_read_from_os_release(tmp_path: Path, text: str, words: set[str]) -> None:
    path = tmp_path / "os-release"
    path.write_text(text)
    assert distribution(path) == words


def test_no_os_release_is_no_distribution(tmp_path: Path) -> None:
    assert distribution(tmp_path / "absent") == set()
