"""CMake's own account of a generated project (CMake manual, cmake-file-api, codemodel version 2)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CompileFlags:
    """How one target's C++ sources are compiled: absolute include folders, `NAME[=VALUE]`, standard such as `17`."""

    includes: tuple[str, ...]
    defines: tuple[str, ...]
    standard: str | None

    @property
    def arguments(self) -> tuple[str, ...]:
        """The same as arguments of a GCC-like compiler."""
        return (
            *((f"-std=c++{self.standard}",) if self.standard else ()),
            *(f"-D{define}" for define in self.defines),
            *(f"-I{include}" for include in self.includes),
        )


def compile_flags(collected: Mapping[str, bytes], target: str) -> CompileFlags | None:
    """The flags of the target's C++ sources in the collected reply; None where the reply has none."""
    for name, data in collected.items():
        if not name.rpartition("/")[2].startswith(f"target-{target}-"):
            continue
        described: dict[str, Any] = json.loads(data)
        for group in described.get("compileGroups", ()):
            if group.get("language") == "CXX":
                return CompileFlags(
                    includes=tuple(entry["path"] for entry in group.get("includes", ())),
                    defines=tuple(entry["define"] for entry in group.get("defines", ())),
                    standard=_standard(group),
                )
    return None


def link_line(collected: Mapping[str, bytes], target: str) -> tuple[str, ...] | None:
    """The fragments of the target's link line as the reply has them; None where it has none."""
    for name, data in collected.items():
        if name.rpartition("/")[2].startswith(f"target-{target}-"):
            described: dict[str, Any] = json.loads(data)
            fragments = described.get("link", {}).get("commandFragments", ())
            return tuple(str(one.get("fragment", "")) for one in fragments)
    return None


def _standard(group: dict[str, Any]) -> str | None:
    """The standard that is in effect: by name, or by the flag that a compile feature made."""
    named = group.get("languageStandard", {}).get("standard")
    if named:
        return str(named)
    for fragment in group.get("compileCommandFragments", ()):
        for word in str(fragment.get("fragment", "")).split():
            if word.startswith(("-std=c++", "-std=gnu++")):
                return word.rpartition("+")[2]
    return None
