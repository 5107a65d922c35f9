"""Names of libraries, and families of symbols."""

from __future__ import annotations

import pytest

from orchestrator.diff.names import family, shared, shown, stem, stem_path


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/_C.cpython-311-x86_64-linux-gnu.so", "_C.so"),
        ("a/_C.abi3.so", "_C.so"),
        ("a/_C.pypy310-pp73-x86_64-linux-gnu.so", "_C.so"),
        ("a/_C.cpython-313t-aarch64-linux-gnu.so", "_C.so"),
        ("a.libs/libgomp-24e2ab19.so.1.0.0", "libgomp.so"),
        ("a/libx.so.2", "libx.so"),
        ("a/libfoo-1.so", "libfoo-1.so"),
        ("a/tool", "tool"),
    ],
)
def test_stems(path: str, name: str) -> None:
    assert stem(path) == name
    assert stem_path(path) == f"{path.rpartition('/')[0]}/{name}"


def test_shown_names_are_short_unless_two_share_one() -> None:
    path = "a/b/_C.cpython-311-x86_64-linux-gnu.so"
    assert shown(path) == "_C.*.so"
    assert shown("a/libx.so", shared(("a/libx.so", "a/liby.so"))) == "libx.so"
    assert shown("a/libx.so", shared(("a/libx.so", "b/libx.so"))) == "a/libx.so"


@pytest.mark.parametrize(
    ("symbol", "word"),
    [
        ("xnn_create_runtime", "xnn_"),
        ("caxpy_", "(C names)"),
        ("abort", "(C names)"),
        ("_start", "(C names)"),
        ("_ZN5torch8executor6native7add_outERNS0_1AE", "torch::executor"),
        ("_Z3foov", "(no namespace)"),
        ("_ZN4demo3fooEv", "demo"),
        ("_ZTIN4demo3FooE", "demo"),
        ("_ZN4demo3FooIiE3barEv", "demo::Foo"),
        ("_ZN4demo3getIiEEPNS_1AEv", "demo"),
        ("_ZN4demo12_GLOBAL__N_13fooEv", "demo::{anonymous}"),
        ("_ZN4demo1AcvbEv", "demo::A"),
    ],
)
def test_families(symbol: str, word: str) -> None:
    assert family(symbol) == word
