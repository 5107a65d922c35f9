"""The stand-ins as containers see them.  They are made once and stay in the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.model import RunResult
from orchestrator.images.archive import image_config, save_stream
from orchestrator.images.imageset import ImageRequest, ImageSet
from orchestrator.images.layers import Layer, LayerWriter
from orchestrator.images.manage import export_image, import_image, list_images
from orchestrator.processor import native_arch
from orchestrator.store.store import Store
from orchestrator.tarstream import tar_of

pytestmark = pytest.mark.container

IMAGES = Path(__file__).parents[3] / "images"
PROGRAM = "#include <iostream>\\nint main() { std::cout << 6 * 7 << std::endl; }\\n"


@pytest.fixture(scope="module")
def images() -> Iterator[ImageSet]:
    with Engine.connect() as engine:
        yield ImageSet(IMAGES, Store.default(), engine)


def run(images: ImageSet, name: str, script: str, python: str | None = None) -> RunResult:
    engine = images.engine
    assert engine is not None
    image = images.ensure(name, python=python, policy="stand-in")
    assert image.arch == images.arch
    volume = engine.volume("test", row="images")
    try:
        return engine.run(
            image=image.reference,
            command=["/bin/sh", "-c", script],
            row="images",
            step="test",
            work=volume,
            arch=images.arch,
            capture=True,
        )
    finally:
        engine.remove_volume(volume)


def test_the_runtime_image_has_neither_compiler_nor_python(images: ImageSet) -> None:
    script = "for tool in cc gcc g++ c++ ld as make cmake python python3; do command -v $tool; done; ls /opt; true"
    result = run(images, "runtime", script)
    assert (result.exit, result.stdout) == (0, b"")
    libraries = run(images, "runtime", "ls /usr/lib/x86_64-linux-gnu")
    assert b"libstdc++.so.6" in libraries.stdout
    assert b"libgomp.so.1" in libraries.stdout


def test_the_same_question_finds_the_tools_of_bookworm_and_they_compile(images: ImageSet) -> None:
    script = f"printf '{PROGRAM}' > a.cpp && g++ -O1 a.cpp -o a && ./a && python3 -m venv v && v/bin/python --version"
    result = run(images, "bookworm", script)
    assert result.exit == 0, result.output_tail
    assert result.stdout.splitlines() == [b"42", b"Python 3.11.2"]


def test_the_builder_has_interpreters_where_manylinux_has_them(images: ImageSet) -> None:
    script = """
set -e
python=/opt/python/cp311-cp311/bin/python
$python -c 'import bz2, ctypes, hashlib, lzma, ssl, sys, zlib; print(*sys.version_info[:2])'
$python -m venv venv
venv/bin/python -m pip --version | cut -d" " -f1
test -f $($python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h
/opt/python/cp311-cp311/bin/pip --version >&2
for tool in g++ make ccache patchelf git; do command -v $tool; done
ldd --version | sed -n '1s/.* //p'
"""
    result = run(images, "builder", script, "3.11")
    assert result.exit == 0, result.output_tail
    tools = [f"/usr/bin/{name}" for name in ("g++", "make", "ccache", "patchelf", "git")]
    assert result.stdout.decode().split("\n")[:-1] == ["3 11", "pip", *tools, "2.31"]


def test_a_wheel_extension_compiles_against_the_builders_interpreter(images: ImageSet) -> None:
    script = """
set -e
python=/opt/python/cp311-cp311/bin/python
cat > answer.c <<'END'
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answer", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_answer(void) { return PyModule_Create(&module); }
END
suffix=$($python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
include=$($python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
cc -shared -fPIC -I"$include" answer.c -o "answer$suffix"
$python -c 'import answer; print(answer.__file__)'
"""
    result = run(images, "builder", script, "3.11")
    assert result.exit == 0, result.output_tail
    assert result.stdout.strip() == b"/work/answer.cpython-311-x86_64-linux-gnu.so"


ARM64 = f"""
set -e
uname -m
python3 -c 'import json, sysconfig; print(sysconfig.get_platform(), json.__cached__.rpartition("/")[2])'
python3 -v -c 'import json' 2>&1 | grep -c 'code object from .*/json/__pycache__/__init__'
printf '{PROGRAM}' > a.cpp
ccache g++ -O1 -c a.cpp -o a.o && c++ a.o -o a && ./a
readelf -h a /usr/bin/g++ | sed -n 's/ *Machine: *//p'
printf 'all:\\n\\t@uname -m\\n' > Makefile && make --silent
ldd a | sed -n 's/.*libstdc.*=> \\([^ ]*\\) .*/\\1/p'
awk 'BEGIN {{ print "awk" }}'
"""
"""Asks an arm64 container of x86_64's engine: programs are arm64's, the compiler is not, and nobody notices."""


@pytest.mark.skipif(native_arch() != "x86_64", reason="compilers for another processor are those of x86_64")
def test_in_an_image_of_another_processor_only_what_is_tried_is_emulated(images: ImageSet) -> None:
    other = ImageSet(IMAGES, images.store, images.engine, arch="aarch64")
    result = run(other, "bookworm", ARM64)
    assert result.exit == 0, result.output_tail
    assert result.stdout.decode().splitlines() == [
        "aarch64",
        "linux-aarch64 __init__.cpython-311.pyc",
        "1",
        "42",
        "AArch64",
        "Advanced Micro Devices X86-64",
        "aarch64",
        "/lib/aarch64-linux-gnu/libstdc++.so.6",
        "awk",
    ]
    bare = run(other, "runtime", "uname -m; command -v g++ python3; find /usr -name '*x86*64*.so*'; true")
    assert bare.stdout == b"aarch64\n"
    cross = (
        f"printf '{PROGRAM}' > a.cpp && aarch64-linux-gnu-g++ a.cpp -o a && aarch64-linux-gnu-readelf -h a; uname -m"
    )
    built = run(images, "builder-cross", cross, "3.11")
    assert b"AArch64" in built.stdout
    assert built.stdout.endswith(b"x86_64\n")


def test_images_are_ready_at_once_when_the_engine_has_them(images: ImageSet) -> None:
    wanted = [ImageRequest("bookworm"), ImageRequest("runtime")]
    first = images.ensure_many(wanted, policy="stand-in")
    assert images.ensure_many(wanted, policy="stand-in") == first
    assert [ready.digest for ready in first] == [images.stand_in_digest(request.name) for request in wanted]
    listed = {(row.name, row.python): row for row in list_images(images)}
    assert listed["runtime", None].on_engine
    assert listed["runtime", None].in_store


def test_official_only_leaves_images_without_an_official_one_as_they_are(images: ImageSet) -> None:
    assert images.definition("runtime").official == {}
    assert images.ensure("runtime", policy="official-only").origin == "stand-in"


def test_an_export_is_imported_under_the_same_id(images: ImageSet, tmp_path: Path) -> None:
    identity = export_image(images, "runtime", tmp_path / "runtime.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["runtime.tar"]
    saved = import_image(Store(tmp_path / "store"), images.engine, tmp_path / "runtime.tar")
    assert saved.id == identity == images.stand_in_digest("runtime")


def test_an_engine_gives_the_id_that_was_computed(images: ImageSet, tmp_path: Path) -> None:
    assert images.engine is not None
    store = Store(tmp_path / "store")
    with store.temporary("packing") as folder:
        writer = LayerWriter(folder / "layer")
        writer.write(tar_of({"hello": b"hello"}))
        diff_id, size = writer.finish()
        layer = Layer(diff_id, store.add_file(folder / "layer", move=True), size)
    config = image_config([layer], name="tiny", keys=["tiny"], architecture="amd64", environment={})
    reference = "wheel-orchestrator/tiny:test"
    ids, labels = [], []
    for _ in range(2):
        with save_stream(store, config, [layer], reference) as stream:
            images.engine.images.load(stream)
        info = images.engine.images.inspect(reference)
        assert info is not None
        ids.append(info.id)
        labels.append(info.labels["io.wheel-orchestrator.kind"])
        images.engine.images.remove(reference)
    assert ids[0] == ids[1]
    assert labels == ["image", "image"]
