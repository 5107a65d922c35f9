"""Which faults the command line chooses."""

from __future__ import annotations

import pytest

from orchestrator.errors import UsageError
from tests.detection.__main__ import EDITS, chosen, main
from tests.detection.faults import FAULTS


def test_faults_are_chosen_by_name_or_check_or_all() -> None:
    assert chosen([], None, 1) == EDITS
    assert set(FAULTS) < set(EDITS)
    assert [one.name for one in chosen(["truncated library"], None, 1)] == ["truncated library"]
    assert chosen(["B5"], None, 1) == tuple(one for one in FAULTS if "B5" in one.owners)
    assert [one.name for one in chosen(["members stored"], None, 1)] == ["members stored"]
    assert len(chosen(["B5", "B5"], None, 1)) == len(chosen(["B5"], None, 1))


def test_a_sample_is_a_seeds() -> None:
    assert chosen([], 5, 1) == chosen([], 5, 1)
    assert chosen([], 5, 1) != chosen([], 5, 2)
    assert len(chosen([], 5, 1)) == 5
    assert chosen(["B5"], 1000, 1) == chosen(["B5"], None, 1)


def test_what_would_plant_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="There is no fault 'truncated librery'") as caught:
        chosen(["truncated librery"], None, 1)
    assert caught.value.advice == "Did you mean 'truncated library'? detection.md in docs lists all of them."
    assert main(["--sample", "0"]) == 2
    assert "A sample has one fault at least." in capsys.readouterr().err
    assert main(["--mutations", "0"]) == 2
    assert "One mutation is the least that says anything." in capsys.readouterr().err
