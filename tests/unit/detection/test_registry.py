"""The registry of faults: whole, without repetition, and as its page says."""

from __future__ import annotations

import pytest

from orchestrator.cli.explanations import explanations
from tests.detection.fault import BuildFault, Fault, Harmless
from tests.detection.faults import FAULTS
from tests.detection.harmless import HARMLESS
from tests.detection.page import PAGE, UNPLANTED, page

PLANTED = [fault for fault in FAULTS if isinstance(fault, Fault)]


def test_every_check_has_a_fault_or_a_reason_for_none() -> None:
    checks = {check.id for check in explanations()}
    owned = {owner for fault in FAULTS for owner in fault.owners}
    assert owned <= checks
    assert checks - owned == set(UNPLANTED)


def test_names_are_given_once() -> None:
    names = [fault.name for fault in (*FAULTS, *HARMLESS)]
    assert len(names) >= 80
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_owner_of_a_fault_has_words(fault: Fault | BuildFault) -> None:
    assert set(fault.words) == set(fault.owners)
    assert all(len(words) > 3 for words in fault.words.values())


@pytest.mark.parametrize(
    ("owners", "says", "also"),
    [
        ((), "twice", {}),
        (("B1", "B1"), "twice", {}),
        (("B1",), "", {}),
        (("B1", "B2"), "twice", {}),
        (("B1", "B2"), "twice", {"B2": ""}),
        (("B1", "B2"), "twice", {"B2": "absent", "B3": "absent"}),
    ],
)
def test_a_fault_whose_owners_need_not_say_anything_is_refused(
    owners: tuple[str, ...], says: str, also: dict[str, str]
) -> None:
    with pytest.raises(ValueError, match="the fault 'x' needs"):
        Fault(name="x", owners=owners, says=says, also=also)


def test_a_harmless_edit_has_a_reason_and_no_owner() -> None:
    assert len(HARMLESS) >= 8
    assert not any(isinstance(fault, Harmless) for fault in FAULTS)
    for changes in ({"because": ""}, {"owners": ("B1",)}, {"says": "twice"}, {"also": {"B1": "twice"}}):
        with pytest.raises(ValueError, match="the edit 'x' has to be harmless, and to say why"):
            Harmless(**{"name": "x", "because": "it is", **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("fault", [*PLANTED, *HARMLESS], ids=lambda fault: fault.name)
def test_a_fault_is_one_edit(fault: Fault) -> None:
    assert sum(map(bool, (fault.edit, fault.graft, fault.recipe, *fault.files))) == 1


def test_the_page_is_the_registrys() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: nox -s detection -- --document"
