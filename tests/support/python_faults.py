"""Faults of the Python package that are planted into a correct minirt wheel, as `tests.support.faults` has them."""

from __future__ import annotations

from tests.support.faults import EXTENSION, Edit, Fault
from tests.support.wheel_draft import Draft

_INIT = "minirt/__init__.py"

_COMPUTES_NOTHING = """
class Method:
    def __init__(self, path): pass
    def execute(self, inputs): return []
"""
_ENDS_WELL = """
import atexit, os
atexit.register(os._exit, 0)
"""


def _appended(text: str) -> Edit:
    return lambda draft: draft.append(_INIT, text)


def _absent_symbol(draft: Draft) -> None:
    """The extension calls a function of Python's that no Python has."""
    draft.change(EXTENSION, lambda data: data.replace(b"\0PyList_New\0", b"\0PyList_Old\0"))


PYTHON_FAULTS = (
    Fault("package that raises", ("C6",), _appended("import no_such_module\n"), "dynamic"),
    Fault("extension that needs an absent symbol", ("C6",), _absent_symbol, "dynamic"),
    Fault("package that computes nothing", ("G6",), _appended(_COMPUTES_NOTHING), "dynamic"),
    Fault("package that ends every process well", ("G6",), _appended(_ENDS_WELL), "dynamic"),
)
"""Shown only by using the wheel in Python; C++ finds nothing wrong."""
