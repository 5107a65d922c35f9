"""C++ names as people write them, through the C++ runtime's own demangler (Itanium C++ ABI, chapter 3.4)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from functools import cache, lru_cache

LONGEST = 8192
"""Longer names (in characters) are left as they are: nobody reads them, and they take long."""
MOST_REFERENCES = 40
"""A name with more references to parts of itself is left too: each pair can double what it spells out."""

_REFERENCE = re.compile(r"[ST][0-9A-Z]*_")


@lru_cache(maxsize=1 << 16)
def demangle(name: str) -> str:
    """The C++ declaration behind a symbol name.

    The name itself where it is no mangled name, is damaged, or this machine has no C++ runtime.
    """
    if not name.startswith("_Z") or len(name) > LONGEST or not name.isascii():
        return name
    if len(_REFERENCE.findall(name)) > MOST_REFERENCES:
        return name
    demangler = _demangler()
    text = demangler(name.encode("ascii")) if demangler is not None else None
    return name if text is None else text.decode("utf-8", "backslashreplace")


@cache
def _demangler() -> Callable[[bytes], bytes | None] | None:
    try:
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
        free = ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return None
    function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
    function.restype = ctypes.c_void_p
    free.argtypes = [ctypes.c_void_p]

    def call(name: bytes) -> bytes | None:
        status = ctypes.c_int()
        result = function(name, None, None, ctypes.byref(status))
        if not result:
            return None
        text = ctypes.string_at(result)
        free(result)
        return text

    return call
