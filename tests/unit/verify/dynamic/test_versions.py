"""Version requests."""

from orchestrator.verify.dynamic.versions import requests, required


def accepted(release: tuple[int, ...]) -> dict[str, bool]:
    return {request.text: request.accepted for request in requests(release)}


def test_a_package_answers_for_its_own_major_version() -> None:
    asked = accepted((1, 5, 1))
    assert {text for text, yes in asked.items() if yes} == {
        "1", "1.4", "1.5", "1.5.0", "1.5.1", "1.5.1 EXACT", "1.0...<2", "1.0...1.5.1", "1.5.1...<1.6",
    }  # fmt: skip
    assert {text for text, yes in asked.items() if not yes} == {
        "2", "0.5", "1.6", "1.5.2", "1.5.2 EXACT", "1.5 EXACT", "1.0...<1.5.1", "1.0...<1.5", "1.5.2...<2",
        "1.0...1.4",
    }  # fmt: skip


def test_no_request_is_below_zero_or_empty() -> None:
    assert not any("-1" in text for text in accepted((0, 1, 0)))
    assert "1.0...<1.0.0" not in accepted((1, 0, 0))
    assert "0.1.0...<0.1.0" not in accepted((0, 1, 0))


def test_before_its_first_major_version_a_package_may_refuse_older_minor_ones() -> None:
    asked = accepted((0, 3, 2))
    assert {text for text, yes in asked.items() if yes} == {
        "0.3", "0.3.1", "0.3.2", "0.3.2 EXACT", "0.3.0...<0.4", "0.3.0...0.3.2", "0.3.2...<0.4",
    }  # fmt: skip
    assert {text for text, yes in asked.items() if not yes} == {
        "1", "0.4", "0.3.3", "0.3.3 EXACT", "0.3 EXACT", "0.3.0...<0.3.2", "0.0...<0.3", "0.0...0.2", "0.3.3...<1",
    }  # fmt: skip


def test_what_is_refused_is_required_too() -> None:
    assert [request.text for request in required((1, 5, 1))] == ["2", "1.5.2 EXACT", "1.5.2...<2"]
    assert not any(request.accepted for request in required((0, 0, 0)))
