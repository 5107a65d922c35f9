"""A summary that is cut stays Markdown, fits, and says what is missing."""

from __future__ import annotations

from orchestrator.report.step_summary import fitting

BLOCK = """## Failing: é

- `a`: b
  ````text
  <details>
  ```
  ````
<details><summary>Passed</summary>

- c

</details>

"""
WHOLE = BLOCK * 40


def test_what_fits_is_whole() -> None:
    assert fitting(WHOLE, len(WHOLE.encode()), "x") == WHOLE
    assert "Cut here" in fitting(WHOLE, len(WHOLE.encode()) - 1, "x")


def test_what_does_not_fit_is_cut_between_blocks_whatever_the_room() -> None:
    for room in range(0, 1500, 7):
        text = fitting(WHOLE, room, "reports/x/summary.md")
        assert len(text.encode()) <= room
        if not text:
            continue
        kept, _, note = text.partition("\n**Cut here: ")
        assert WHOLE.startswith(kept)
        assert kept.count("````") % 2 == 0
        assert kept.count("\n<details>") == kept.count("\n</details>")
        left = WHOLE.count("\n") - kept.count("\n")
        assert note == (
            f"{left} of {WHOLE.count(chr(10))} lines are left out, since GitHub takes 1 MiB.** "
            "All of it is in reports/x/summary.md.\n"
        )
    assert len(fitting(WHOLE, 1500, "x")) > 1200


def test_no_room_at_all_gives_nothing() -> None:
    assert fitting(WHOLE, 0, "x") == ""
    assert fitting(WHOLE, -5, "x") == ""
