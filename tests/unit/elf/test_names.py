"""Matching names by whole components, and demangling for evidence."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.elf import demangle as module
from orchestrator.elf.demangle import demangle
from orchestrator.elf.names import matcher
from orchestrator.elf.read import read_elf


@pytest.mark.parametrize(
    ("qualified", "declaration"),
    [
        ("demo::register_backend", "demo::register_backend(int)"),
        ("demo::register_backend_v2", "demo::register_backend_v2(int)"),
        ("demo::Pool::Pool", "demo::Pool::Pool()"),
        ("demo::Pool::~Pool", "demo::Pool::~Pool()"),
        ("demo::Pool::size", "demo::Pool::size() const"),
        ("demo::Box::get", "demo::Box<int>::get(int)"),
        ("demo::Box<int>::get", "demo::Box<int>::get(int)"),
        ("demo::register_backend(int)", "demo::register_backend(int)"),
        ("demo::slot", "demo::slot"),
        ("demo_plain", "demo_plain"),
    ],
)
def test_compiled_symbols(library: Path, qualified: str, declaration: str) -> None:
    names = [symbol.name for symbol in read_elf(library.read_bytes()).symbols if symbol.is_export]
    assert {demangle(name) for name in filter(matcher(qualified), names)} == {declaration}


def test_a_class_matches_its_members(library: Path) -> None:
    names = [symbol.name for symbol in read_elf(library.read_bytes()).symbols if symbol.is_export]
    found = {demangle(name).split("(")[0] for name in filter(matcher("demo::Pool"), names)}
    assert found == {"demo::Pool::Pool", "demo::Pool::~Pool", "demo::Pool::size", "demo::Pool::label[abi:cxx11]"}


@pytest.mark.parametrize(
    ("qualified", "mangled", "expected"),
    [
        ("a::f", "_ZN1a1fEv", True),
        ("a::f", "_ZN1a1fB5cxx11Ev", True),
        ("a::f", "_ZN1aB3tag1fB5cxx11Ev", True),
        ("a::f", "_ZN1a1fIiEEvT_", True),
        ("a::f", "_ZNK1a1fEv", True),
        ("a::f", "_ZNO1a1fEv", True),
        ("a::f", "_ZN1a2f2Ev", False),
        ("a::f", "_ZN1b1a1fEv", False),
        ("a::f", "_ZN1a1b1fEv", False),
        ("a::f", "_ZZN1a1fEvE1n", False),
        ("a::f", "_ZN1a1gENS_1fE", False),
        ("a::f", "_ZTVN1a1fE", False),
        ("a::f", "_ZTIN1a1fE", False),
        ("a::f", "f", False),
        ("f", "_Z1fv", True),
        ("f", "_ZL1fv", True),
        ("f", "_Z2f2v", False),
        ("f", "f", True),
        ("f", "ff", False),
        ("f", "_ZN1a1fEv", False),
        ("a", "_Z1av", True),
        ("std::terminate", "_ZSt9terminatev", True),
        ("std::string::size", "_ZNKSs4sizeEv", False),
        ("std::basic_string::size", "_ZNKSs4sizeEv", True),
        ("std::vector", "_ZNSt6vectorIiSaIiEE4sizeEv", True),
        ("A::B::B", "_ZN1A1BC1Ev", True),
        ("A::B::B", "_ZN1A1BC2Ei", True),
        ("A::B::~B", "_ZN1A1BD0Ev", True),
        ("A::B::B", "_ZN1A1BD0Ev", False),
        ("A::B::B", "_ZN1A1B1BEv", True),
        ("A::B::C", "_ZN1A1BC1Ev", False),
        ("::a::f", "_ZN1a1fEv", True),
        ("a::f", "_ZN1a", False),
        ("a::f", "_ZN1a1f", True),
        ("a::f", "_ZN99999999999999999999991fEv", False),
        ("a::f", "_Z", False),
        ("a::f", "", False),
    ],
)
def test_whole_names(qualified: str, mangled: str, expected: bool) -> None:
    assert matcher(qualified)(mangled) is expected


@pytest.mark.parametrize("name", ["plain", "_Znope", "_ZN1a", "_Z" + "1a" * 9000, "_Zé", ""])
def test_what_is_no_mangled_name_stays(name: str) -> None:
    assert demangle(name) == name


def test_demangles() -> None:
    assert demangle("_ZNK4demo4Pool4sizeEv") == "demo::Pool::size() const"


def test_a_name_that_spells_out_to_gigabytes_stays() -> None:
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    parts = [f"S_IS{digits[n]}_S{digits[n]}_E" for n in range(1, 30)]
    name = "_Z1f1AI1B1BE" + "".join(parts)
    started = time.process_time()
    assert demangle(name) == name
    assert time.process_time() - started < 1


@pytest.fixture
def no_runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def absent(name: str | None) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", absent)
    module.demangle.cache_clear()
    module._demangler.cache_clear()
    yield
    module.demangle.cache_clear()
    module._demangler.cache_clear()


@pytest.mark.usefixtures("no_runtime")
def test_without_a_runtime_names_stay_mangled_and_still_match() -> None:
    assert demangle("_ZN1a1fEv") == "_ZN1a1fEv"
    assert matcher("a::f")("_ZN1a1fEv")
    assert not matcher("a::g")("_ZN1a1fEv")
