"""Faults of the Python package, of which C++ finds nothing."""

from __future__ import annotations

from tests.detection.fault import Fault, WheelEdit
from tests.support import elf_edit
from tests.support.faults import EXTENSION
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


def _appended(text: str) -> WheelEdit:
    return lambda draft: draft.append(_INIT, text)


def _absent_symbol(draft: Draft) -> None:
    """The extension calls a function of Python's that no Python has."""
    draft.change(EXTENSION, lambda data: data.replace(b"\0PyList_New\0", b"\0PyList_Old\0"))


def _lost_init(draft: Draft) -> None:
    """A module beside the extension, which the package does not import, and whose init function nobody can find."""
    own = draft.find(EXTENSION)
    hidden = elf_edit.hide(draft.files[own], lambda name: name.startswith("PyInit"))
    draft.files[own.replace("/_C.", "/_more.")] = hidden


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="package that raises",
        owners=("C6",),
        says="does not import",
        edit=_appended("import no_such_module\n"),
        places=("python",),
    ),
    Fault(
        name="extension that needs an absent symbol",
        owners=("C6",),
        says="does not import",
        edit=_absent_symbol,
        places=("python",),
    ),
    Fault(
        name="module that lost its init function",
        owners=("C6",),
        says="dynamic module does not define module export function (PyInit__more)",
        edit=_lost_init,
        places=("python",),
    ),
    Fault(
        name="package that computes nothing",
        owners=("G6",),
        says="does not run in Python, or does not match its reference",
        edit=_appended(_COMPUTES_NOTHING),
        places=("python",),
    ),
    Fault(
        name="package that ends every process well",
        owners=("G6",),
        says="it compares nothing",
        edit=_appended(_ENDS_WELL),
        places=("python",),
    ),
)
"""Faults of the Python package, of which C++ finds nothing."""
