"""minirt: a small tensor runtime, for Python and (see `cmake_prefix`) for C++."""

from pathlib import Path

from minirt._C import Error, Method, Tensor, backends, operators, thread_count
from minirt.version import __version__

__all__ = ["Error", "Method", "Tensor", "__version__", "backends", "cmake_prefix", "operators", "thread_count"]


def cmake_prefix() -> Path:
    """The folder to put in CMAKE_PREFIX_PATH so that CMake finds this package."""
    return Path(__file__).resolve().parent
