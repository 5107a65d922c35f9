from pathlib import Path

import pytest

from orchestrator.errors import RecipeError
from orchestrator.processor import ENGINE_NAMES
from orchestrator.store.debian.lock import read_lock
from orchestrator.store.debian.selection import load_selection, load_selections

DEBIAN = Path(__file__).parents[4] / "images" / "debian"
GOOD = 'suite = "trixie"\ncomponent = "non-free"\npackages = ["make"]\n'


def test_own_selections_have_locks_of_their_packages() -> None:
    selections = load_selections(DEBIAN)
    assert selections.keys() >= {"cuda-12.6", "python-3.11", "python-3.13"}
    assert selections["cuda-12.6"].packages == ("nvidia-cuda-toolkit",)
    for name, selection in selections.items():
        for arch in selection.arch:
            locked = read_lock(DEBIAN / f"{name}.{ENGINE_NAMES[arch]}.lock")
            assert {package.name for package in locked} == set(selection.packages), name


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("suite =", "siute =", "suite: Field required"),
        ('"non-free"', '"restricted"', "component: Input should be 'main', 'contrib', 'non-free'"),
        ('["make"]', "[]", "packages: Tuple should have at least 1 item"),
        ('["make"]', '["Make"]', "packages.0: String should match pattern"),
        ('"trixie"', '"trixie', "is not TOML"),
    ],
)
def test_malformed_selections_are_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "some.toml"
    path.write_text(GOOD)
    load_selection(path)
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(RecipeError) as caught:
        load_selection(path)
    assert "some.toml" in caught.value.message
    assert said in str(caught.value)
    assert caught.value.advice


def test_a_missing_selection_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"some\.toml', which says where packages of Debian come from"):
        load_selection(tmp_path / "some.toml")


def test_a_selection_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(f"# Größe\n{GOOD}".encode())
    load_selection(path)
    path.write_bytes(f"# Größe\n{GOOD}".encode("latin-1"))
    with pytest.raises(RecipeError, match=r"some\.toml: cannot be read: 'utf-8' codec can't decode"):
        load_selection(path)
