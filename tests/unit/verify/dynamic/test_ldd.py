"""What ldd's words are taken for: symbols that nobody defines, and those that the interpreter does."""

from __future__ import annotations

import pytest

from orchestrator.verify.dynamic.ldd import Resolved
from tests.support.answers import library, step

PYTHON = "undefined symbol: PyList_New\t(/w/libhelper.so)\nundefined symbol: _Py_NoneStruct\t(/w/libhelper.so)\n"
OTHER = "undefined symbol: Pyre_run\t(/w/libhelper.so)\n"
VERSIONED = "undefined symbol: pool_create, version DEMO_2\t(/w/libhelper.so)\n"


def found(said: str, *, is_linked: bool, exports: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """Reason and evidence of each fault."""
    resolved = Resolved(library("demo/lib/libhelper.so", "libc.so.6", exports=exports), step(0, "", said))
    return [(fault.reason, fault.evidence) for fault in resolved.undefined(is_linked=is_linked)]


@pytest.mark.parametrize("exports", [(), ("PyInit_helper",)])
def test_the_interpreter_defines_its_own_symbols(exports: tuple[str, ...]) -> None:
    """For extensions, and for the libraries that they share: manylinux forbids both to link libpython."""
    assert found(PYTHON, is_linked=False, exports=exports) == []
    assert found(PYTHON + OTHER, is_linked=False, exports=exports) == [
        ("symbols are defined nowhere", (OTHER.rstrip("\n"),))
    ]


def test_no_interpreter_is_there_for_what_programs_link() -> None:
    assert found(PYTHON, is_linked=True) == [("symbols are defined nowhere", tuple(PYTHON.splitlines()))]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (VERSIONED, "symbols are defined nowhere"),
        ("/w/libhelper.so: /w/libdemo.so: version `DEMO_2' not found (required by x)\n", "versions"),
        (
            "symbol pool_create, version DEMO_2 not defined in file libdemo.so with link time reference\t(/w/x.so)\n",
            "symbol versions are defined nowhere",
        ),
    ],
)
def test_versions_count(said: str, reason: str) -> None:
    for is_linked in (False, True):
        ((why, evidence),) = found(said, is_linked=is_linked)
        assert reason in why
        assert evidence
