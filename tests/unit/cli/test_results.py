"""What a remembered result depends on."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli import results
from orchestrator.cli.results import recall_verdict, remember_verdict, result_key, verdict_key
from orchestrator.cli.run_context import Run
from orchestrator.errors import WheelError
from orchestrator.plan.rows import Row
from orchestrator.recipe.load import load_recipe
from orchestrator.recipe.sdk import Document
from orchestrator.report.model import RowReport, Verdict
from orchestrator.store.store import Store
from tests.support.tiny import tiny_recipe

ROW = Row(recipe="tiny", variant="cpu", arch="x86_64", python="cp311")
ASKED: dict[str, Any] = {"version": None, "policy": "auto", "gpus": None, "source": None}


def test_what_is_asked_and_what_is_there_make_the_key(tmp_path: Path) -> None:
    folder, store, run = tiny_recipe(tmp_path), Store(tmp_path / "store"), Run("a command")
    recipe = load_recipe(str(folder), tmp_path)

    def key(**changes: Any) -> str:
        return result_key(store, recipe, ROW, run, **(ASKED | changes))

    first = key()
    assert key() == first
    keys = {first, key(version="2"), key(policy="stand-in"), key(gpus="all"), key(source=folder), key(emulate=True)}
    assert len(keys) == 6
    # An engine of the processor builds natively, wherever it is.
    board, *others = (key(engines=[f"aarch64={address}"]) for address in ("ssh://me@board", "tcp://board:2376"))
    assert board not in keys
    assert others == [board]
    (folder / "build.lock").write_text("# another\n")
    edited = key()
    assert edited not in keys
    # An official image's tag was accepted as another image.
    store.put_ref("official-change", "last", {"reference": "example/image@sha256:1", "when": 1.0})
    assert key() != edited


def test_a_verdict_is_of_one_wheel_and_what_was_asked_of_it(tmp_path: Path) -> None:
    folder, store, run = tiny_recipe(tmp_path), Store(tmp_path / "store"), Run("a command")
    recipe = load_recipe(str(folder), tmp_path)
    wheel = tmp_path / "demo-1-py3-none-any.whl"
    wheel.write_bytes(b"one")

    def key(file: Path = wheel, variant: str | None = None, *, published: bool = False) -> str:
        asked: dict[str, Any] = {"variant": variant, "policy": "auto", "gpus": None, "published": published}
        return verdict_key(store, recipe, file, run, asked=ROW, **asked)

    first = key()
    assert key() == first
    renamed = tmp_path / "demo-2-py3-none-any.whl"
    renamed.write_bytes(b"one")
    assert len({first, key(renamed), key(variant="cpu"), key(published=True)}) == 4
    assert recall_verdict(store, first) is None
    remember_verdict(store, first, RowReport(row=ROW.id, verdict=Verdict.FAIL), run)
    known = recall_verdict(store, first)
    assert known is not None
    assert (known.verdict, [note.text for note in known.notes]) == (
        Verdict.FAIL,
        [f"answered from the store; worked on in run {run.id}"],
    )
    wheel.write_bytes(b"two")
    assert recall_verdict(store, key()) is None
    with pytest.raises(WheelError, match="cannot be read: No such file"):
        key(tmp_path / "gone.whl")


def test_what_lies_behind_a_link_to_a_folder_counts(tmp_path: Path) -> None:
    folder, store, run = tiny_recipe(tmp_path), Store(tmp_path / "store"), Run("a command")
    shared = tmp_path / "shared"
    shared.mkdir()
    (folder / "docs").symlink_to(shared)
    found = load_recipe(str(folder), tmp_path)
    recipe = found.model_copy(update={"document": Document(file="docs/cpp.md", heading="# Use")})
    keys = {result_key(store, recipe, ROW, run, **ASKED)}
    for text in ("one", "two"):
        (shared / "cpp.md").write_text(text)
        keys.add(result_key(store, recipe, ROW, run, **ASKED))
    assert len(keys) == 3


def test_a_record_of_another_form_counts_as_none(tmp_path: Path) -> None:
    store, run = Store(tmp_path / "store"), Run("a command")
    report = RowReport(row="tiny/cpu/x86_64/cp311", verdict=Verdict.PASS)
    (tmp_path / "w.whl").write_bytes(b"wheel")
    results.remember(store, "good", report, tmp_path / "w.whl", run)
    assert results.recall(store, "good", tmp_path) is not None
    good = store.get_ref(results.KIND, "good") or {}
    broken: list[dict[str, Any]] = [{key: good[key] for key in good if key != lost} for lost in good]
    broken += [{}, good | {"report": []}, good | {"report": {"row": 1}}, good | {"wheel": "x"}, good | {"wheel": 1}]
    for value in broken:
        for kind in (results.KIND, results.VERDICT_KIND):
            store.put_ref(kind, "bad", value)
        assert results.recall(store, "bad", tmp_path) is None
        assert (recall_verdict(store, "bad") is None) == (value.get("report") != good["report"] or "run" not in value)


def test_a_waiver_that_ended_makes_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, store, run = tiny_recipe(tmp_path), Store(tmp_path / "store"), Run("a command")
    file = folder / "recipe.toml"
    waiver = '[[waiver]]\ncheck = "K1"\nsubject = "*"\nreason = "known, and soon repaired"\nuntil = 2031-05-01\n'
    file.write_text(f"{file.read_text()}\n{waiver}")
    recipe = load_recipe(str(folder), tmp_path)
    keys = []
    for day in ("2031-04-30", "2031-05-01", "2031-05-02", "2031-05-03"):
        monkeypatch.setattr(results, "today", lambda day=day: datetime.date.fromisoformat(day))
        keys.append(result_key(store, recipe, ROW, run, **ASKED))
    assert keys[0] == keys[1] != keys[2] == keys[3]


@pytest.mark.parametrize(("module", "loaded"), [("build_verb", False), ("build_row", True)])
def test_what_the_store_answers_does_not_wait_for_the_engines_client(module: str, loaded: bool) -> None:
    code = f"import sys, orchestrator.cli.{module}; print('docker' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{loaded}\n"
