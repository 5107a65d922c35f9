from pathlib import Path

import pytest

from orchestrator.errors import FetchError
from orchestrator.store.debian.index import SuiteIndex
from orchestrator.store.debian.lock import Package

STANZAS = f"""Package: nvidia-cuda-toolkit
Version: 12.4.131~12.4.1-2
Depends: gcc-13
Filename: pool/non-free/n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_12.4.131~12.4.1-2_amd64.deb
Size: 87240108
SHA256: {"c" * 64}

Package: nvidia-cuda-toolkit-gcc
Version: 12.4.1-2
Filename: pool/gcc.deb
Size: 1
SHA256: {"d" * 64}
"""


@pytest.fixture
def index(tmp_path: Path) -> SuiteIndex:
    lists = tmp_path / "var/lib/apt/lists"
    lists.mkdir(parents=True)
    (lists / "mirror_dists_trixie_non-free_binary-amd64_Packages").write_text(STANZAS)
    return SuiteIndex("trixie", "amd64", tmp_path)


def test_a_package_is_selected_by_its_whole_name_without_dependencies(index: SuiteIndex) -> None:
    assert index.select("nvidia-cuda-toolkit") == Package(
        "nvidia-cuda-toolkit",
        "12.4.131~12.4.1-2",
        "c" * 64,
        87240108,
        "pool/non-free/n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_12.4.131~12.4.1-2_amd64.deb",
    )


def test_a_package_that_is_not_there_is_refused(index: SuiteIndex) -> None:
    with pytest.raises(FetchError, match="trixie has no package 'nvidia-cuda' in this component") as caught:
        index.select("nvidia-cuda")
    assert "images/debian" in caught.value.advice
