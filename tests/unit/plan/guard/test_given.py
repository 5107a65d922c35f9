"""Matrices that cannot be read, or have an unknown form: each is refused in its own words."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from orchestrator.plan.guard.given import MOST_BYTES, read_matrix
from orchestrator.plan.guard.refusal import SHOWN, RefusedMatrixError
from tests.support.matrices import REAL, matrix_text, row, rows


def refused(data: bytes) -> RefusedMatrixError:
    with pytest.raises(RefusedMatrixError) as error:
        read_matrix(data, "some.json")
    return error.value


@pytest.mark.parametrize("file", sorted(REAL.iterdir()), ids=lambda file: file.stem)
def test_real_matrices_are_read_and_their_rows_kept_as_found(file: Any) -> None:
    given = read_matrix(file.read_bytes(), file.name)
    assert [one.fields for one in given] == json.loads(file.read_bytes())["include"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is no JSON: Expecting value"),
        (b"\xff\xfe", "it is no JSON: 'utf-8' codec can't decode byte 0xff"),
        (matrix_text(rows())[:-1], "it is no JSON: Expecting ',' delimiter"),
        (matrix_text(rows()) + b"{}", "it is no JSON: Extra data"),
        (b"[" * 100_000, "it is no JSON: nested too deeply"),
        (b'{"include": [], "include": []}', "it is no JSON: an object has the key 'include' twice"),
        (b'{"include": [NaN]}', "it is no JSON: NaN is no number of JSON"),
        (b'{"include": [1e999]}', "it is no JSON: 1e999 is too large"),
        (b'{"include": [' + b"1" * 5000 + b"]}", "it is no JSON: Exceeds the limit"),
        (b"[]", 'its form is unknown: it is a list, not {"include": [row, …]}'),
        (b'"include"', "its form is unknown: it is neither object nor list"),
        (b"{}", "its form is unknown: it is an object with the keys: none"),
        (b'{"include": [{}], "python": ["3.10"]}', "it is an object with the keys: include, python"),
        (b'{"include": {}}', "its form is unknown: it is one whose 'include' is no list"),
        (b'{"include": [null]}', "row 1 has an unknown form: it is no object"),
    ],
)
def test_what_is_no_matrix_is_refused(data: bytes, said: str) -> None:
    error = refused(data)
    assert error.exit_code == 8
    assert error.message.startswith("some.json is refused (A5 matrix-readable): ")
    assert said in error.message
    assert error.record.id == "A5"


def test_a_matrix_without_rows_is_refused_as_that() -> None:
    error = refused(b'{"include": []}')
    assert error.message == "some.json is refused (A4 not-empty): it has no rows at all."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"python_version": 3.1}, "its field 'python_version' is no text"),
        ({"python_version": None}, "its field 'python_version' is no text"),
        ({"gpu_arch_version": ["12.6"]}, "its field 'gpu_arch_version' is no text"),
        ({"desired_cuda": ""}, "its field 'desired_cuda' is empty"),
        ({"build_name": ""}, "its field 'build_name' is empty"),
        ({"python_version": ""}, "'' is no version of Python"),
        ({"python_version": "3.10 "}, "'3.10 ' is no version of Python"),
        ({"python_version": "3.010"}, "'3.010' is no version of Python"),
        ({"python_version": "cp310"}, "'cp310' is no version of Python"),
        ({"python_version": "3.1٠"}, "is no version of Python"),
        ({"python_version": "3.1\n\x1b[2J"}, "'3.1\\u000a\\u001b[2J' is no version of Python"),
    ],
)
def test_a_row_of_another_form_is_refused(changes: dict[str, object], said: str) -> None:
    made = rows()
    made[3] |= changes
    error = refused(matrix_text(made))
    assert error.message.startswith("some.json is refused (A5 matrix-readable): row 4 has an unknown form: ")
    assert said in error.message
    assert "\x1b" not in str(error)


@pytest.mark.parametrize("field", ["python_version", "gpu_arch_type", "gpu_arch_version", "desired_cuda", "build_name"])
def test_a_field_that_names_a_row_must_be_there(field: str) -> None:
    made = rows()
    del made[1][field]
    assert f"row 2 has an unknown form: its field '{field}' is missing." in refused(matrix_text(made)).message


def test_other_fields_may_be_anything() -> None:
    strange = row("cpu", "3.10") | {"channel": None, "more": {"a": [1, 2.5, "\ud800"]}}
    del strange["package_type"]
    (given,) = read_matrix(matrix_text([strange]), "some.json")
    assert given.fields == strange


def test_all_strange_rows_are_told_but_not_without_end() -> None:
    made = [row("cpu", "x") for _ in range(100)]
    lines = refused(matrix_text(made)).detail.splitlines()
    assert len(lines) == SHOWN + 1
    assert lines[0].startswith("row 2 has an unknown form")
    assert lines[-1] == f"and {99 - SHOWN} more"


def test_a_source_cannot_steer_a_terminal() -> None:
    with pytest.raises(RefusedMatrixError, match=re.escape("a\\u001bb is refused")):
        read_matrix(b"", "a\x1bb")


def test_a_key_twice_is_found_at_once_among_any_number_of_keys() -> None:
    keys = ",".join(f'"{place}": 1' for place in range(200_000))
    assert "has the key '199999' twice" in refused(f'{{{keys}, "199999": 2}}'.encode()).message
    assert "its form is unknown" in refused(f"{{{keys}}}".encode()).message


def test_what_no_generator_prints_is_refused_unread() -> None:
    text = matrix_text(rows())
    assert "is refused (A5 matrix-readable): it has more than 16 MiB" in refused(text.ljust(MOST_BYTES + 1)).message
    assert len(read_matrix(text.ljust(MOST_BYTES), "some.json")) == len(rows())
