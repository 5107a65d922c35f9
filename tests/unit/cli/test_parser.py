import pytest

from orchestrator.cli.parser import parse
from orchestrator.errors import UsageError


def test_build_has_the_documented_defaults() -> None:
    options = parse(["build"])
    assert (options.recipe, options.variant, options.python, options.policy) == ("minirt", None, [], "auto")
    assert not (options.json)
    assert not (options.release)
    assert not (options.fresh)
    assert not (options.keep)
    assert not (options.shell)


def test_image_policies_exclude_each_other() -> None:
    assert parse(["build", "--stand-in"]).policy == "stand-in"
    assert parse(["verify", "x.whl", "--official-only"]).policy == "official-only"
    with pytest.raises(UsageError, match="not allowed with argument"):
        parse(["build", "--stand-in", "--official-only"])


def test_an_unknown_session_gets_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="no session 'veryfy'") as refused:
        parse(["veryfy"])
    assert "Did you mean 'verify'?" in refused.value.advice


def test_an_unknown_option_gets_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="--pyton") as refused:
        parse(["build", "--pyton", "3.13"])
    assert "Did you mean '--python'?" in refused.value.advice


def test_a_missing_word_is_named() -> None:
    with pytest.raises(UsageError, match="WHEEL"):
        parse(["inspect"])
    with pytest.raises(UsageError, match="VERB"):
        parse([])


def test_gpus_are_given_in_dockers_words() -> None:
    assert parse(["build"]).gpus is None
    assert parse(["build", "--gpus", "all"]).gpus == "all"
    assert parse(["verify", "x.whl", "--gpus", "device=0,1"]).gpus == "device=0,1"
    with pytest.raises(UsageError, match="'0' names no GPUs: give all, how many, or device=0,1"):
        parse(["build", "--gpus", "0"])


@pytest.mark.parametrize("option", ["--source", "--row", "--recipe", "--variant", "--arch", "--python", "--version"])
@pytest.mark.parametrize("given", [("{}", ""), ("{}=",)])
def test_an_empty_value_is_refused_and_not_left_out(option: str, given: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=f"Argument {option}: is empty") as refused:
        parse(["build", *(word.format(option) for word in given)])
    assert "build -- --help" in refused.value.advice
    assert parse(["build", option, "x"]).verb == "build"


def test_an_empty_word_is_refused_beside_others() -> None:
    with pytest.raises(UsageError, match="Argument --python: is empty"):
        parse(["build", "--python", "3.11", "--python", ""])
    with pytest.raises(UsageError, match="Argument --gpus: '' names no GPUs"):
        parse(["build", "--gpus", ""])
    for verb in ("verify", "inspect"):
        with pytest.raises(UsageError, match=r"Argument WHEEL.*: is empty"):
            parse([verb, ""])
    for words in (["explain", "B1", ""], ["images", "build", ""], ["locks", ""], ["images", "export", "", "x"]):
        with pytest.raises(UsageError, match="is empty"):
            parse(words)
    assert parse(["verify"]).wheel is None
    assert parse(["explain"]).check == []
