"""Real ELF files, compiled once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.elves import build_library

SOURCE = """
#include <string>
namespace demo {
  namespace { int hidden_by_namespace() { return 3; } }
  int register_backend(int x) { return x + hidden_by_namespace(); }
  int register_backend_v2(int x) { return x; }
  struct __attribute__((visibility("default"))) Pool {
    Pool(); ~Pool();
    int size() const;
    std::string label() const;
    int n;
  };
  Pool::Pool() : n(2) {}
  Pool::~Pool() {}
  int Pool::size() const { static int calls = 0; return n + ++calls; }
  std::string Pool::label() const { return std::string(100, char(n)); }
  template <class T> struct Box { T get(T x); };
  template <class T> T Box<T>::get(T x) { return x; }
  template struct Box<int>;
  __attribute__((weak)) int replaceable() { return 1; }
  __attribute__((visibility("hidden"))) int hidden() { return 1; }
  __attribute__((visibility("protected"))) int guarded() { return hidden(); }
  thread_local int slot = 7;
  int use_slot() { return slot; }
}
extern "C" int demo_c_call(int);
extern "C" int demo_plain() { return demo_c_call(1); }
extern "C" void* PyInit_demo() { return nullptr; }
inline int unique_counter() { static int n = 0; return ++n; }
extern "C" int demo_unique() { return unique_counter(); }
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared library with symbols of every kind, a SONAME, and a RUNPATH."""
    flags = ["-Wl,-soname,libdemo.so", "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN:$ORIGIN/../lib::/opt/lib", "-g"]
    return build_library(tmp_path_factory.mktemp("elf"), "libdemo.so", SOURCE, flags)
