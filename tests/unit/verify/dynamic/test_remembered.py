"""What the store remembers of an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.report.model import CheckRecord, ImageUse, Note, Pinned, StepRecord, Verdict
from orchestrator.store.store import Store
from orchestrator.verify.dynamic.fileapi import CompileFlags
from orchestrator.verify.dynamic.findings import DynamicResult
from orchestrator.verify.dynamic.remembered import KIND, Made, Memory

RESULT = DynamicResult(
    checks=(CheckRecord(id="G1", name="models", subject="mlp", verdict=Verdict.FAIL, reason="differs", fix="mend"),),
    notes=(Note(id="E2", subject="a.h", text="exempt"),),
    images=(ImageUse(role="test", reference="image:1", digest="sha256:1", origin="stand-in"),),
    toolchains=(Pinned(name="cmake", version="4.4.5", sha256="1" * 64),),
    inputs=(Pinned(name="numpy", version="2.3.5", sha256="2" * 64),),
    steps=(StepRecord(name="bookworm", command="run", seconds=1.0, exit=0),),
)
MADE = Made(CompileFlags(("/i",), ("A=1",), "17"), b"\x7fELF", ("mlp",), {"mlp": "0x1p0"})


def memory(folder: Path, *, key: str = "a", fresh: bool = False) -> Memory:
    return Memory(Store(folder / "store"), key, fresh)


def test_all_of_it_comes_back(tmp_path: Path) -> None:
    first = memory(tmp_path)
    key = first.of("env", {"image": "1"})
    assert first.recall(key) is None
    first.remember(key, RESULT, MADE)
    assert memory(tmp_path).recall(key) == (RESULT, MADE)
    first.remember(key, RESULT, Made())
    assert memory(tmp_path).recall(key) == (RESULT, Made())


def test_fresh_recalls_nothing_and_remembers(tmp_path: Path) -> None:
    fresh = memory(tmp_path, fresh=True)
    key = fresh.of("env", {})
    fresh.remember(key, RESULT, MADE)
    assert fresh.recall(key) is None
    assert memory(tmp_path).recall(key) is not None


def test_what_was_made_of_files_that_changed_meanwhile_is_not_remembered(tmp_path: Path) -> None:
    standing = [True]
    kept = Memory(Store(tmp_path / "store"), "a", holds=lambda: standing[0])
    key = kept.of("env", {})
    standing[0] = False
    kept.remember(key, RESULT, MADE)
    assert kept.recall(key) is None
    standing[0] = True
    kept.remember(key, RESULT, MADE)
    assert kept.recall(key) == (RESULT, MADE)


def test_everything_that_verdicts_depend_on_makes_another_key(tmp_path: Path) -> None:
    one, other = memory(tmp_path), memory(tmp_path, key="b")
    keys = {
        one.of("env", {"image": "1"}), one.of("env", {"image": "2"}), one.of("other", {"image": "1"}),
        other.of("env", {"image": "1"}), one.of("env", {"image": "1", "gpus": "all"}),
    }  # fmt: skip
    assert len(keys) == 5
    assert one.of("env", {"image": "1"}) in keys


def test_a_program_that_the_store_lost_is_asked_anew(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    key = kept.of("env", {})
    kept.remember(key, RESULT, MADE)
    for blob in (tmp_path / "store").rglob("*"):
        if blob.is_file() and blob.read_bytes() == b"\x7fELF":
            blob.unlink()
    assert kept.recall(key) is None


def test_a_record_of_another_form_counts_as_none(tmp_path: Path) -> None:
    kept = memory(tmp_path)
    key = kept.of("env", {})
    kept.remember(key, RESULT, MADE)
    good = kept.store.get_ref(KIND, key) or {}
    made = good["made"]
    broken: list[dict[str, Any]] = [{name: good[name] for name in good if name != lost} for lost in good]
    broken += [good | {"checks": [{}]}, good | {"made": None}, good | {"made": []}, good | {"made": "x"}]
    broken += [good | {"made": made | {name: 1}} for name in ("program", "flags", "running", "outputs")]
    for value in broken:
        kept.store.put_ref(KIND, key, value)
        assert kept.recall(key) is None, value
    kept.store.put_ref(KIND, key, good)
    assert kept.recall(key) is not None
