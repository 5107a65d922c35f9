"""Names and values that a recipe hands to a build: environment variables, and settings of its backend."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

RESERVED = frozenset({
    "AR", "CC", "CCACHE_BASEDIR", "CCACHE_DIR", "CMAKE_BUILD_PARALLEL_LEVEL", "CMAKE_CUDA_COMPILER_LAUNCHER",
    "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_TOOLCHAIN_FILE", "CPP", "CUDACXX",
    "CUDAHOSTCXX", "CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH", "CXX", "HOME", "LC_ALL", "LD", "NM", "NVCC_CCBIN",
    "OBJCOPY", "OBJDUMP", "PATH", "PIP_DISABLE_PIP_VERSION_CHECK", "PIP_NO_INDEX", "PYTHONHASHSEED", "PYTHONPATH",
    "PYTHONUNBUFFERED", "PYTORCH_NVCC", "QEMU_LD_PREFIX", "RANLIB", "READELF", "SETUPTOOLS_EXT_SUFFIX",
    "SOURCE_DATE_EPOCH", "STRIP", "_PYTHON_HOST_PLATFORM", "_PYTHON_SYSCONFIGDATA_NAME",
})  # fmt: skip
"""Variables that builds set to what they need themselves, some of them only for CUDA, a compiler cache, or another
processor."""


def _free(name: str) -> str:
    if name in RESERVED:
        raise ValueError(f"'{name}' is what builds set themselves; name a variable that the project alone reads")
    return name


VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""Name of an environment variable (POSIX, Base Definitions 8.1)."""

VariableValue = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""Any text but NUL, which ends it."""

FreeVariableName = Annotated[VariableName, AfterValidator(_free)]
"""Name of a variable that is given a value of ours, so that it must not be one that has another."""

SettingName = Annotated[str, StringConstraints(pattern=r"^[^=\s\x00]+$")]
"""Name of a config setting, or of a variable: pip takes `name=value`."""

NO_OTHER_KEYS: dict[str, JsonValue] = {"additionalProperties": False}
"""For the schema of a table whose keys have a pattern: pydantic refuses others, but its schema does not say so."""

LEAST_MEMORY = 64 << 20
"""Bytes: what an interpreter and a compiler need to start."""


def size_bytes(text: str) -> int:
    """Bytes of a size in binary multiples, such as `500M` or `8G`."""
    return int(text[:-1]) << 10 * " KMGT".index(text[-1])


def size_text(size: int) -> str:
    """The same the other way round, in the largest multiple that is whole."""
    return next(
        f"{size >> 10 * power}{unit}"
        for power, unit in ((4, "T"), (3, "G"), (2, "M"), (1, "K"), (0, ""))
        if size % (1 << 10 * power) == 0
    )


def _enough(text: str) -> str:
    if size_bytes(text) < LEAST_MEMORY:
        raise ValueError(f"'{text}' is less than the 64M that a build needs to start")
    return text


MemorySize = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,5}[MGT]$"), AfterValidator(_enough)]
"""Memory in binary multiples of bytes: `500M`, `8G`, `1T`."""

Environment = Annotated[dict[VariableName, VariableValue], Field(json_schema_extra=NO_OTHER_KEYS)]
Settings = Annotated[dict[SettingName, VariableValue], Field(json_schema_extra=NO_OTHER_KEYS)]
