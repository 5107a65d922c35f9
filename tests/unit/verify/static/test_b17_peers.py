"""B17: symbols that a package of the same process exports too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.recipe.model import Recipe
from orchestrator.report.model import Verdict
from orchestrator.verify.peers import PeerSymbols
from orchestrator.verify.run_static import run_check
from orchestrator.verify.static.tables.b_contents import CHECKS
from tests.support.judge import KERNELS, KERNELS_SOURCE, RECIPE, RUNTIME, Build, Judge

B17 = next(check for check in CHECKS if check.id == "B17")
PEER = PeerSymbols(
    "Other", "2.1", "other-2.1-py3-none-any.whl", {"other/libother.so": frozenset(["pool_create", "main", "_ZSt3foo"])}
)


def recipe(**peer: Any) -> dict[str, Any]:
    declared = {"distribution": "Other", "lock": "peers.lock", "libraries": ["other/*.so"], **peer}
    return {**RECIPE, "peer": [declared]}


def faults(judge: Judge, *peers: PeerSymbols, changes: dict[str, bytes] | None = None, **peer: Any) -> list[str]:
    subject = replace(judge.subject(changes, recipe=recipe(**peer)), peers=peers)
    records, _ = run_check(B17, subject)
    return [f"{one.subject}: {one.verdict.value}: {one.reason}" for one in records if one.verdict is not Verdict.PASS]


def test_symbol_of_both(judge: Judge) -> None:
    assert faults(judge, PEER) == [
        f"{RUNTIME}: fail: a symbol that it exports is exported by Other 2.1 too: pool_create"
    ]
    subject = replace(judge.subject(recipe=recipe()), peers=(PEER,))
    records, _ = run_check(B17, subject)
    assert records[0].evidence == ("other/libother.so: pool_create",)


def test_many_symbols_are_counted_by_library(judge: Judge) -> None:
    names = frozenset(["_ZN4demo16register_backendEi", "_ZN4demo14count_backendsEv", "pool_create"])
    subject = replace(judge.subject(recipe=recipe()), peers=(replace(PEER, exporters={"other/a.so": names}),))
    (record,), _ = run_check(B17, subject)
    assert record.reason == "3 symbols that it exports are exported by Other 2.1 too: demo::count_backends()"
    assert record.evidence == ("other/a.so: demo::count_backends(), demo::register_backend(int), pool_create",)


def test_known_symbols_and_other_subjects_are_left(judge: Judge) -> None:
    assert faults(judge, PEER, known=["pool_*"], reason="it is the same code") == []
    subject = replace(judge.subject(recipe=recipe(subjects=["demo/lib/libdemo_*.so"])), peers=(PEER,))
    (record,), _ = run_check(B17, subject)
    assert record.verdict is Verdict.PASS
    assert record.evidence == ("other-2.1-py3-none-any.whl: other/libother.so",)
    assert faults(judge, PEER, known=["pool_*", "old_*"], reason="it is the same code") == [
        "Other: fail: known symbols that do not meet any more: old_*"
    ]
    assert len(faults(judge, PEER, known=["pool"], reason="it is the same code")) == 2


def test_mangled_names_are_compared_and_shown_readable(judge: Judge) -> None:
    peer = replace(PEER, exporters={"other/a.so": frozenset(["_ZN4demo7kernels3addEi"]), "other/b.so": frozenset()})
    assert faults(judge, peer) == [
        f"{KERNELS}: fail: a symbol that it exports is exported by Other 2.1 too: demo::kernels::add(int)"
    ]


def test_weak_symbols_and_those_of_the_toolchain_do_not_count(judge: Judge, build: Build) -> None:
    made = ["_ZN9__gnu_cxx3oddEv", "_ZN11__gnu_debug3oddEv", "_ZNSt3oddEv", "_init"]
    peer = replace(PEER, exporters={"other/a.so": frozenset([*made, "_ZN4demo4weakEv"])})
    source = (
        KERNELS_SOURCE
        + """
    namespace demo { __attribute__((weak)) int weak() { return 1; } }
    namespace __gnu_cxx { int odd() { return 1; } } namespace __gnu_debug { int odd() { return 1; } }
    namespace std { int odd() { return 1; } }
    """
    )
    assert faults(judge, peer, changes={KERNELS: build("libdemo_kernels.so", source)}) == []


@pytest.mark.parametrize(
    ("peers", "says"),
    [
        ((), "not-run: the wheel of the peer Other was not read"),
        ((replace(PEER, exporters={}, absent="no network"),), "not-run: no wheel of the peer Other: no network"),
        ((replace(PEER, exporters={}),), "fail: no library of the peer matches other/*.so"),
    ],
)
def test_peer_that_cannot_be_compared_is_no_pass(judge: Judge, peers: tuple[PeerSymbols, ...], says: str) -> None:
    assert says in faults(judge, *peers)[0]


def test_globs_that_match_nothing_hide_nothing(judge: Judge) -> None:
    known: dict[str, Any] = {"known": ["pool_*"], "reason": "it is the same code"}
    assert faults(judge, PEER, libraries=["other/*.so", "othr/*.so"], **known) == [
        "other-2.1-py3-none-any.whl: fail: no library of the peer matches othr/*.so"
    ]
    assert faults(judge, PEER, subjects=["gone/*"]) == [
        "Other: fail: no library of the wheel is compared with it: none matches gone/*"
    ]


def test_a_peer_is_declared_once() -> None:
    declared = recipe()["peer"][0]
    with pytest.raises(ValidationError, match="the peer 'other' is declared twice"):
        Recipe.model_validate({**RECIPE, "peer": [declared, {**declared, "distribution": "other", "libraries": ["b"]}]})


def test_known_symbols_need_a_reason() -> None:
    with pytest.raises(ValidationError, match="'known' of the peer 'Other' needs a reason"):
        Recipe.model_validate(recipe(known=["pool_*"]))


def test_applies_where_the_recipe_names_peers(judge: Judge) -> None:
    assert not judge.applies("B17")
