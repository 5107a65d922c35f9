"""Whether a symbol defines what a recipe names, by whole name components.

Recipes write `minirt::register_backend`, without parameters and template arguments; symbols are
mangled (Itanium C++ ABI, chapter 5.1).  Comparing components of the mangled name means that
`register_backend` never takes `register_backend_v2` for itself, whatever the parameters are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from orchestrator.elf.demangle import demangle

_LENGTH = re.compile(r"[0-9]+")
_NESTED = re.compile(r"_ZNH?[rVK]*[RO]?")
_CONSTRUCTOR = re.compile(r"C[1-59]")
_DESTRUCTOR = re.compile(r"D[0-24-5]")
_STANDARD = {
    "St": ("std",),
    "Sa": ("std", "allocator"),
    "Sb": ("std", "basic_string"),
    "Ss": ("std", "basic_string"),
    "Si": ("std", "basic_istream"),
    "So": ("std", "basic_ostream"),
    "Sd": ("std", "basic_iostream"),
}
_FOLLOWS = ("(", "@", "[", "<", "::")
"""What may come after a whole name in a declaration."""


@lru_cache(maxsize=4096)
def matcher(qualified: str) -> Callable[[str], bool]:
    """Whether a symbol defines `qualified`: a function to be used on many symbol names.

    `qualified` is a C name, or a C++ name with its namespaces: then every overload, template instance,
    constructor and const member matches, and everything inside it (the members of a class).  Special
    symbols (a class's table of virtual functions, its type information, static variables inside a
    function) do not.  With parameters or template arguments, the declaration is compared instead.
    """
    if any(character in qualified for character in "(<[ "):
        return lambda mangled: _is_whole(demangle(mangled), qualified)
    wanted = tuple(qualified.removeprefix("::").split("::"))
    # A constructor or destructor is spelled C1, D2, …: only the class's own name can be looked for.
    last = next((part for part in reversed(wanted[:-1]) if part == wanted[-1].removeprefix("~")), wanted[-1])
    needle = f"{len(last)}{last}"
    standard = wanted[0] == "std"

    def match(mangled: str) -> bool:
        if needle not in mangled and not standard:
            return mangled == qualified
        return _defines(mangled, wanted) or mangled == qualified

    return match


def _is_whole(declaration: str, qualified: str) -> bool:
    rest = declaration[len(qualified) :]
    return declaration.startswith(qualified) and (not rest or rest.startswith(_FOLLOWS))


def _defines(mangled: str, wanted: tuple[str, ...]) -> bool:
    """Whether the mangled name begins with these components."""
    nested = _NESTED.match(mangled)
    if nested is None and not mangled.startswith("_Z"):
        return False
    position = nested.end() if nested else 2
    found: list[str] = []
    while len(found) < len(wanted):
        if mangled.startswith("I", position):
            return _defines_by_declaration(mangled, wanted)
        parts, position = _component(mangled, position, found[-1] if found else "")
        if not parts:
            return False
        found += parts
        if tuple(found) != wanted[: len(found)]:
            return False
        if nested is None and found != ["std"]:
            break
    return tuple(found) == wanted


def _component(mangled: str, position: int, before: str) -> tuple[tuple[str, ...], int]:
    """The name components at a position, and where the next begins; none if it is no plain name."""
    position += mangled.startswith("L", position)  # internal linkage
    length = _LENGTH.match(mangled, position)
    if length is not None:
        # The length of an identifier has a few digits; int() refuses thousands of them.
        end = length.end() + int(length[0][:6])
        name = mangled[length.end() : end]
        while (tag := _LENGTH.match(mangled, end + 1)) is not None and mangled[end] == "B":
            end = tag.end() + int(tag[0][:6])
        return (name,), end
    if (standard := _STANDARD.get(mangled[position : position + 2])) is not None:
        return standard, position + 2
    if before and _CONSTRUCTOR.match(mangled, position):
        return (before,), position + 2
    if before and _DESTRUCTOR.match(mangled, position):
        return (f"~{before}",), position + 2
    return (), position


def _defines_by_declaration(mangled: str, wanted: tuple[str, ...]) -> bool:
    """The same by the declaration's text, for names with template arguments inside them."""
    plain, size = demangle(mangled), -1
    while size != len(plain):
        size = len(plain)
        plain = re.sub(r"<[^<>]*>", "", plain)
    name = plain.split("(", 1)[0].rsplit(" ", 1)[-1]
    return tuple(name.split("::"))[: len(wanted)] == wanted
