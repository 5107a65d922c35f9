"""Symbols that linker, interpreter's interface or C++ runtime put into a library, not its project."""

from __future__ import annotations

import re

_LINKER_MADE = frozenset(
    ("_init", "_fini", "_edata", "_end", "__bss_start", "__bss_start__", "__bss_end__", "__end__", "_bss_end__",
     "_start", "main", "__data_start", "data_start", "_IO_stdin_used", "__TMC_END__", "__dso_handle")
)  # fmt: skip

_SPACES = r"(S[tsabiod]|9__gnu_cxx|11__gnu_debug|10__cxxabiv1)"
_RUNTIME = re.compile(rf"_ZZ?N?[KVRO]*{_SPACES}|_ZT[ISVT]N?{_SPACES}")
"""The C++ standard library's own code, which newer compilers link statically for older systems."""


def is_made(symbol: str) -> bool:
    """Whether the project did not put the symbol there."""
    return symbol in _LINKER_MADE or symbol.startswith("PyInit") or _RUNTIME.match(symbol) is not None
