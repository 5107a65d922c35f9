"""The content-addressed store of inputs and results, and the locks that name them."""

from orchestrator.store.fetch import Artefact, fetch_lock, fetch_published, wheelhouse_tar
from orchestrator.store.locks import LockError, Requirement, parse_lock
from orchestrator.store.store import Store, sha256_file
from orchestrator.store.toolchain import Toolchain, cmake_toolchain, known_cmakes, ninja_toolchain

__all__ = [
    "Artefact",
    "LockError",
    "Requirement",
    "Store",
    "Toolchain",
    "cmake_toolchain",
    "fetch_lock",
    "fetch_published",
    "known_cmakes",
    "ninja_toolchain",
    "parse_lock",
    "sha256_file",
    "wheelhouse_tar",
]
