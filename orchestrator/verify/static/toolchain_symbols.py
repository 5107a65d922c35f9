"""Symbols that linker, interpreter's interface or C++ runtime put into a library, not its project."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LINKER_MADE = frozenset(
    ("_init", "_fini", "_edata", "_end", "_etext", "__bss_start", "__bss_start__", "__bss_end__", "__end__",
     "_bss_end__", "_start", "main", "__data_start", "data_start", "_IO_stdin_used", "__TMC_END__", "__dso_handle",
     "__ehdr_start", "__executable_start", "_DYNAMIC", "_GLOBAL_OFFSET_TABLE_", "_PROCEDURE_LINKAGE_TABLE_",
     "__exidx_start", "__exidx_end")
)  # fmt: skip
_LINKER_MADE_FOR_SECTION = ("__start_", "__stop_")
"""GNU ld and LLVM's linker mark so where a section begins and ends whose name is a name of C."""

_SPACES = r"(S[tsabiod]|9__gnu_cxx|11__gnu_debug|10__cxxabiv1)"
_RUNTIME = re.compile(
    rf"_ZZ?N?[KVRO]*{_SPACES}|_ZT[ISVT]N?{_SPACES}|_ZGTtN?K?{_SPACES}|_ZGV(Z?N?K?){_SPACES}|_Z\d+_txnal_|"
    r"__cxa_|__dynamic_cast$|__gxx_personality_v0$|__gcclibcxx_|__once_proxy$|__gcc_personality_v0$|_Unwind_"
)
"""The C++ standard library's own code, which newer compilers link statically for older systems, and the support
library below it (Itanium C++ ABI, chapters 2 and 3; C++ ABI for exception handling)."""
_PERSONALITY = "__gxx_personality_v0"
"""What handles exceptions of C++: a library that defines it holds the whole runtime."""
_ALLOCATION = re.compile(r"_Z(n[wa][jmy]|d[la]P)")
"""The replaceable operators new and delete (Itanium C++ ABI, chapter 5.1.3)."""


def is_made(symbol: str) -> bool:
    """Whether the project did not put the symbol there."""
    return (
        symbol in _LINKER_MADE
        or symbol.startswith(("PyInit", *_LINKER_MADE_FOR_SECTION))
        or _RUNTIME.match(symbol) is not None
    )


def not_made(symbols: Iterable[str]) -> set[str]:
    """Those of a library's strong symbols that the project put there.

    Its own operators new and delete are among them, unless they came with a C++ runtime that is linked in.
    """
    all_ = set(symbols)
    found = {symbol for symbol in all_ if not is_made(symbol)}
    return {one for one in found if not _ALLOCATION.match(one)} if _PERSONALITY in all_ else found
