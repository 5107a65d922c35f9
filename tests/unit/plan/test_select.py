import pytest

from orchestrator.errors import UsageError
from orchestrator.plan.select import interpreter_tag, python_version, row_by_id, select_rows
from orchestrator.recipe.model import Recipe

RECIPE = Recipe.model_validate(
    {
        "project": {"name": "demo", "import": "demo", "source": {"wheel": "demo==1.0"}},
        "variants": {"cpu": {}, "cuda-13.0": {}},
        "matrix": {"python": ["3.10", "3.11", "3.13"], "arch": ["x86_64", "aarch64"]},
    }
)


@pytest.mark.parametrize("text", ["3.11", "311", "cp311"])
def test_spellings_of_a_python(text: str) -> None:
    assert interpreter_tag(text) == "cp311"
    assert python_version("cp311") == "3.11"


@pytest.mark.parametrize("text", ["2.7", "three", "3.x", "cp3.1.1", ""])
def test_what_is_no_python_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a Python version"):
        interpreter_tag(text)


def test_one_row_unless_every_is_asked_for() -> None:
    assert [row.id for row in select_rows(RECIPE, arch="x86_64")] == ["demo/cpu/x86_64/cp311"]
    assert len(select_rows(RECIPE, every=True)) == 2 * 2 * 3
    assert len(select_rows(RECIPE, every=True, variant="cpu", arch="aarch64")) == 3


def test_unknown_words_get_the_nearest_known_one() -> None:
    with pytest.raises(UsageError, match=r"no variant 'cuda-13\.1'") as variant:
        select_rows(RECIPE, variant="cuda-13.1")
    assert "Did you mean 'cuda-13.0'?" in variant.value.advice
    with pytest.raises(UsageError, match="no processor 'x86'") as arch:
        select_rows(RECIPE, arch="x86")
    assert "Did you mean 'x86_64'?" in arch.value.advice
    with pytest.raises(UsageError, match=r"no Python 3\.12") as python:
        select_rows(RECIPE, arch="x86_64", pythons=["3.12"])
    assert "Known: 3.10, 3.11, 3.13." in python.value.advice


def test_a_row_is_found_by_its_id() -> None:
    assert row_by_id(RECIPE, "demo/cuda-13.0/aarch64/cp313").is_cuda
    with pytest.raises(UsageError, match="no row 'demo/cpu/x86_64/cp31'"):
        row_by_id(RECIPE, "demo/cpu/x86_64/cp31")
