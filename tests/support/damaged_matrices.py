"""Matrices made at random, and what must come of each: the property of the guard (A22)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from orchestrator.plan.guard.choose import Chosen, choose_pull_request, choose_release
from orchestrator.plan.guard.given import GivenRow, read_matrix
from orchestrator.plan.guard.refusal import RefusedMatrixError
from tests.support.matrices import Fields, matrix_text, policy, row, rows

WHOLE = {
    ("cuda", "12.6", "cu126", "3.10"),
    ("cuda", "12.6", "cu126", "3.11"),
    ("cuda", "12.6", "cu126", "3.12"),
    ("cuda", "13.0", "cu130", "3.10"),
    ("cuda", "13.0", "cu130", "3.11"),
    ("cuda", "13.0", "cu130", "3.12"),
}
"""The policy's rows for x86_64 as the generator names them."""
NAMES = ("gpu_arch_type", "gpu_arch_version", "desired_cuda", "python_version")

KINDS = ("cpu", "cuda", "cuda-aarch64", "CUDA", "rocm", "cu126", "cu130", "cu13", "cu134", "manywheel-cuda")
VERSIONS = (
    "12.6",
    "13.0",
    "13.0-aarch64",
    "3.9",
    "3.10",
    "3.11",
    "3.12",
    "3.13",
    "3.13t",
    "3.1",
    "",
    " 3.10",
    "3.10\n",
)
WORDS = st.sampled_from([*KINDS, *VERSIONS])
VALUES = st.one_of(WORDS, st.text(max_size=6), st.none(), st.floats(), st.integers(), st.lists(st.none(), max_size=2))
FIELDS = st.sampled_from([*NAMES, "build_name", "channel"])


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A whole matrix that up to four things happened to."""
    made: list[Any] = draw(st.permutations(rows()))
    for _ in range(draw(st.integers(0, 4))):
        draw(st.sampled_from(DAMAGES))(draw, made)
    text = matrix_text(made)
    return draw(st.sampled_from(ENCODINGS))(draw, text)


def _place(draw: st.DrawFn, made: list[Any]) -> int:
    return draw(st.integers(0, len(made) - 1))


def _drop(draw: st.DrawFn, made: list[Any]) -> None:
    if made:
        made.pop(_place(draw, made))


def _drop_all_of(draw: st.DrawFn, made: list[Any]) -> None:
    name, value = draw(
        st.sampled_from([("desired_cuda", "cu130"), ("python_version", "3.11"), ("gpu_arch_type", "cuda")])
    )
    made[:] = [one for one in made if not (isinstance(one, dict) and one.get(name) == value)]


def _repeat(draw: st.DrawFn, made: list[Any]) -> None:
    if made:
        made.append(made[_place(draw, made)])


def _change(draw: st.DrawFn, made: list[Any]) -> None:
    if made:
        place = _place(draw, made)
        if isinstance(made[place], dict):
            made[place] = made[place] | {draw(FIELDS): draw(VALUES)}


def _lose(draw: st.DrawFn, made: list[Any]) -> None:
    if made:
        place = _place(draw, made)
        if isinstance(made[place], dict):
            field = draw(FIELDS)
            made[place] = {key: value for key, value in made[place].items() if key != field}


def _swap(draw: st.DrawFn, made: list[Any]) -> None:
    if len(made) > 1:
        one, other, field = _place(draw, made), _place(draw, made), draw(FIELDS)
        if (
            isinstance(made[one], dict)
            and isinstance(made[other], dict)
            and field in made[one]
            and field in made[other]
        ):
            value = made[one][field]
            made[one] = made[one] | {field: made[other][field]}
            made[other] = made[other] | {field: value}


def _add_other(draw: st.DrawFn, made: list[Any]) -> None:
    variant = draw(st.sampled_from(["cpu", "cuda-13.4", "cuda-13.0", "cuda-12.6", "rocm-7.2", "xpu"]))
    made.append(
        row(
            variant,
            draw(st.sampled_from(["3.9", "3.10", "3.12", "3.14"])),
            draw(st.sampled_from(["x86_64", "aarch64"])),
        )
    )


def _replace(draw: st.DrawFn, made: list[Any]) -> None:
    if made:
        made[_place(draw, made)] = draw(st.one_of(VALUES, st.dictionaries(FIELDS, VALUES, max_size=4)))


DAMAGES: list[Callable[[st.DrawFn, list[Any]], None]] = [
    _drop,
    _drop_all_of,
    _repeat,
    _change,
    _lose,
    _swap,
    _add_other,
    _replace,
]


def _plain(_draw: st.DrawFn, text: bytes) -> bytes:
    return text


def _cut(draw: st.DrawFn, text: bytes) -> bytes:
    return text[: draw(st.integers(0, len(text)))]


def _other_byte(draw: st.DrawFn, text: bytes) -> bytes:
    place = draw(st.integers(0, len(text) - 1))
    return text[:place] + draw(st.binary(min_size=0, max_size=3)) + text[place + 1 :]


def _other_form(draw: st.DrawFn, text: bytes) -> bytes:
    rows_ = json.loads(text)["include"]
    forms = [rows_, {"include": rows_, "exclude": []}, {"matrix": rows_}, {"include": {"row": rows_}}, {}, None]
    return json.dumps(draw(st.sampled_from(forms))).encode()


ENCODINGS = [_plain, _plain, _plain, _plain, _plain, _cut, _other_byte, _other_form]


def _often(examples: int, *, again: bool) -> settings:
    """So many examples; the same ones each time, unless other ones are wanted `again` and again."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=not again,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def chosen_whole_or_refused(examples: int, *, again: bool = False) -> Counter[str]:
    """Try so many matrices of a release; how often each outcome was met.

    Raises:
        AssertionError: a matrix was neither refused nor gave the whole policy.
    """
    outcomes: Counter[str] = Counter()

    @_often(examples, again=again)
    @given(damaged())
    def asked(data: bytes) -> None:
        chosen = _tried(data, outcomes, lambda rows_: choose_release(rows_, policy(), "demo", "m", arch="x86_64"))
        if chosen is not None:
            found = [tuple(one.fields[name] for name in NAMES) for one in chosen.rows]
            assert sorted(found) == sorted(WHOLE)
            _are_the_matrixs(chosen, data)

    asked()
    return outcomes


def one_row_or_refused(examples: int, *, again: bool = False) -> Counter[str]:
    """As `chosen_whole_or_refused`, of matrices of a pull request: one row of a release comes out."""
    outcomes: Counter[str] = Counter()

    @_often(examples, again=again)
    @given(damaged())
    def asked(data: bytes) -> None:
        chosen = _tried(data, outcomes, lambda rows_: choose_pull_request(rows_, policy(), "m"))
        if chosen is not None:
            (one,) = chosen.rows
            assert tuple(one.fields[name] for name in NAMES) in WHOLE
            _are_the_matrixs(chosen, data)

    asked()
    return outcomes


def noise_is_dropped(examples: int, *, again: bool = False) -> None:
    """Try matrices that are whole, in any order, with some rows that the policy does not name: all give the policy."""

    @_often(examples, again=again)
    @given(st.data())
    def asked(data: st.DataObject) -> None:
        others = [
            row(variant, python)
            for variant in ("cpu", "rocm-7.2", "xpu", "cuda-13.4", "cuda-13.0")
            for python in ("3.9", "3.13", "3.13t")
        ]
        some: list[Fields] = data.draw(st.lists(st.sampled_from(others), unique_by=str))
        made = data.draw(st.permutations([*rows(["cuda-12.6", "cuda-13.0"]), *some]))
        chosen = choose_release(read_matrix(matrix_text(made), "m"), policy(), "demo", "m")
        assert {tuple(one.fields[name] for name in NAMES) for one in chosen.rows} == WHOLE
        assert [one.fields for one in chosen.dropped] == [one for one in made if one in some]

    asked()


def _tried(data: bytes, outcomes: Counter[str], choose: Callable[[tuple[GivenRow, ...]], Chosen]) -> Chosen | None:
    try:
        chosen = choose(read_matrix(data, "m"))
    except RefusedMatrixError as error:
        outcomes[error.record.id] += 1
        return None
    outcomes["kept"] += 1
    return chosen


def _are_the_matrixs(chosen: Chosen, data: bytes) -> None:
    """Nothing was completed or changed: all that is kept or dropped is what the matrix holds."""
    rows_ = [*chosen.rows, *chosen.dropped]
    assert sorted(json.dumps(one.fields, sort_keys=True) for one in rows_) == sorted(
        json.dumps(one, sort_keys=True) for one in json.loads(data)["include"]
    )
