"""What travels with a program: the wheel's libraries, and what these need of the wheels beside it."""

from pathlib import Path

from orchestrator.verify.dynamic.bundle import carried, contents, everything
from tests.support.answers import cuda_context, library, make_context
from tests.support.elves import tiny_elf
from tests.support.wheels import make_wheel

GPU = "demo/lib/libdemo_gpu.so"


def test_needed_libraries_come_along_from_beside_the_wheel(tmp_path: Path) -> None:
    read = [
        library("demo/lib/libdemo.so", "libc.so.6"),
        library(GPU, "libdemo.so", "libcudart.so.13"),
        library("demo/_C.so", "libdemo.so", exports=("PyInit__C",)),
    ]
    wheel = make_wheel(tmp_path, {one.path: one.path.encode() for one in read})
    runtime = make_wheel(
        tmp_path,
        {"nvidia/cu13/lib/libcudart.so.13": tiny_elf(), "nvidia/cu13/lib/libother.so.13": b""},
        name="runtime",
    )
    more = make_wheel(tmp_path, {"more/lib/libm.so.6": tiny_elf()}, name="more")
    context = cuda_context(tmp_path, libraries=read)
    found = contents(carried(context), wheel, [runtime, more])
    assert set(found) == {"libdemo.so", "libdemo_gpu.so", "libcudart.so.13", "libm.so.6"}
    assert found["libdemo_gpu.so"] == GPU.encode()
    assert set(contents(carried(context), wheel, [])) == {"libdemo.so", "libdemo_gpu.so"}


def test_every_folder_of_the_wheel_is_carried_but_extension_modules(tmp_path: Path) -> None:
    read = [
        library("demo/lib/libdemo.so"),
        library("demo/plugins/libplugin.so"),
        library("demo/plugins/libdemo.so"),
        library("demo/_C.so", exports=("PyInit__C",)),
    ]
    wheel = make_wheel(tmp_path, {one.path: one.path.encode() for one in read})
    context = make_context(tmp_path, libraries=read)
    found = contents(everything(context), wheel, [])
    assert found == {"libdemo.so": b"demo/lib/libdemo.so", "libplugin.so": b"demo/plugins/libplugin.so"}
