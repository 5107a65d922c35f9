"""C1, C2, C5, C9: search paths and what the loader finds by them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge import KERNELS, KERNELS_SOURCE, RECIPE, RUNTIME, Build, Judge, only

PLUGIN = "demo/lib/libplugin.so"


@pytest.mark.parametrize(
    ("path", "check", "text"),
    [
        ("/home/me/build/lib:$ORIGIN", "C1", "has a build folder in its search path: /home/me/build/lib"),
        ("$ORIGIN:/opt/demo/lib", "C1", "has an absolute path in its search path: /opt/demo/lib"),
        ("$ORIGIN:/opt/cuda-like/lib", "C1", "has an absolute path in its search path: /opt/cuda-like/lib"),
        ("$ORIGIN:", "C1", "has an empty search-path entry, which means the current folder"),
        ("lib:$ORIGIN", "C1", "has the search path 'lib', relative to the current folder of whoever runs it"),
        ("$ORIGIN/$LIB:$ORIGIN", "C1", "has the search path '$ORIGIN/$LIB', whose token depends on the system"),
        (
            "$ORIGIN:/usr/local/cuda-12.6/lib64",
            "C5",
            "has a CUDA toolkit in its search path: /usr/local/cuda-12.6/lib64",
        ),
        ("/x/targets/x86_64-linux/lib", "C5", "has a CUDA toolkit in its search path: /x/targets/x86_64-linux/lib"),
        (
            "/x/site-packages/nvidia/cu13/lib",
            "C5",
            "has a CUDA toolkit in its search path: /x/site-packages/nvidia/cu13/lib",
        ),
        ("$ORIGIN:$ORIGIN/../plugins", "C9", "searches a folder that is not in the wheel: $ORIGIN/../plugins"),
        ("$ORIGIN/../..", "C9", "searches all of site-packages: $ORIGIN/../.."),
        ("$ORIGIN/../../../x", "C9", "searches outside site-packages: $ORIGIN/../../../x"),
        ("$ORIGIN:$ORIGIN/../lib", "C9", "searches demo/lib 2 times"),
    ],
)
def test_each_entry_has_one_owner(judge: Judge, build: Build, path: str, check: str, text: str) -> None:
    changes = {PLUGIN: build("libplugin.so", "int x;", path=path)}
    assert only(judge.faults(check, changes)) == f"{PLUGIN}: {text}"
    assert judge.failing(changes) == {check}


@pytest.mark.parametrize("path", ["$ORIGIN", "$ORIGIN/", "${ORIGIN}/../lib", "$ORIGIN/cmake/.."])
def test_good_entries(judge: Judge, build: Build, path: str) -> None:
    assert judge.failing({PLUGIN: build("libplugin.so", "int x;", path=path)}) == set()


def test_c1_names_a_library_once_whatever_its_entries(judge: Judge, build: Build) -> None:
    path = "/opt/one/lib:$ORIGIN:/home/me/lib:/opt/one/lib"
    fault = only(judge.faults("C1", {PLUGIN: build("libplugin.so", "int x;", path=path)}, recipe=None))
    assert fault == (
        f"{PLUGIN}: has an absolute path in its search path: /opt/one/lib; "
        "has a build folder in its search path: /home/me/lib"
    )


def test_a_path_that_is_empty_as_a_whole_is_none(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    """ld.so passes over it, and takes the folder where it is run only for an entry beside a colon."""
    empty = build("libplugin.so", "int x;", path="XXXX").replace(b"XXXX\0", b"\0XXX\0")
    assert judge.failing({PLUGIN: empty}) == set()
    colon = build("libplugin.so", "int x;", path="XXXX").replace(b"XXXX\0", b":\0XX\0")
    assert judge.failing({PLUGIN: colon}) == {"C1"}
    source = "namespace demo { int count_backends(); } int use() { return demo::count_backends(); }"
    user = build("libplugin.so", source, needs={"libdemo.so": sdk[RUNTIME]}, path="XXXX")
    assert judge.failing({PLUGIN: user.replace(b"XXXX\0", b"\0XXX\0")}) == {"C2"}


def test_c1_no_path_although_libraries_need_each_other(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    runtime = build("libdemo.so", "int x;", path=None)
    kernels = build("libdemo_kernels.so", "int y;", "-Wl,--no-as-needed", needs={"libdemo.so": runtime}, path=None)
    files = dict.fromkeys(sdk) | {RUNTIME: runtime, KERNELS: kernels}
    assert only(judge.faults("C1", files, recipe=None)).endswith(
        "libraries need each other (1 do), and none has a search path"
    )
    (record,), _ = judge.results("C1", files, recipe=None)
    assert record.evidence == (f"{KERNELS} needs libdemo.so",)
    alone = dict.fromkeys(sdk) | {RUNTIME: runtime}
    assert judge.faults("C1", alone, recipe=None) == []


def test_c2_shipped_and_out_of_reach(judge: Judge, build: Build, sdk: dict[str, bytes]) -> None:
    kernels = build("libdemo_kernels.so", KERNELS_SOURCE, needs={"libdemo.so": sdk[RUNTIME]}, path=None)
    fault = only(judge.faults("C2", {KERNELS: kernels, "demo/_C.cpython-311-x86_64-linux-gnu.so": None}))
    assert fault == f"{KERNELS}: needs libdemo.so, which ships as {RUNTIME}, out of the loader's reach"


@pytest.mark.parametrize(("tags", "failing"), [("--enable-new-dtags", {"C2"}), ("--disable-new-dtags", set())])
def test_c2_what_a_module_loads_finds_all_with_that_module_too(
    judge: Judge, build: Build, sdk: dict[str, bytes], tags: str, failing: set[str]
) -> None:
    """One module's DT_RPATH serves the library that both load; another's DT_RUNPATH does not."""
    middle = build(
        "libmiddle.so",
        "namespace demo { int count_backends(); } int middle() { return demo::count_backends(); }",
        needs={"libdemo.so": sdk[RUNTIME]},
        path=None,
    )
    module = 'int middle(); extern "C" void* PyInit_NAME() { return reinterpret_cast<void*>(middle()); }'

    def built(name: str, tags: str) -> bytes:
        source, needs = module.replace("NAME", name), {"libmiddle.so": middle}
        return build(f"{name}.so", source, f"-Wl,{tags}", needs=needs, path="$ORIGIN/lib")

    files = {
        "demo/lib/libmiddle.so": middle,
        "demo/one.so": built("one", "--disable-new-dtags"),
        "demo/two.so": built("two", tags),
    }
    assert judge.failing(files, recipe=None) == failing
    if failing:
        fault = only(judge.faults("C2", files, recipe=None))
        assert fault == (
            "demo/two.so: loads demo/lib/libmiddle.so, which does not find libdemo.so then: its own search path leads "
            "elsewhere"
        )


@pytest.mark.parametrize(
    ("defined", "symbol", "texts"),
    [
        ("DEMO_1", "int gone();", []),
        (None, "int gone();", []),
        ("DEMO_2", "__attribute__((weak)) int gone();", []),
        (
            "DEMO_2",
            "int gone();",
            [f"{PLUGIN}: needs 1 symbol version of libother.so that demo/lib/libother.so does not define: DEMO_1"],
        ),
    ],
)
def test_c2_symbol_versions_of_the_wheels_own_libraries(
    judge: Judge, build: Build, tmp_path: Path, defined: str | None, symbol: str, texts: list[str]
) -> None:
    """What ld.so refuses with 'version `DEMO_1' not found', and what it lets pass."""

    def other(version: str | None) -> bytes:
        script = tmp_path / f"{version}.map"
        script.write_text(f"{version} {{ global: *; }};\n")
        flags = [f"-Wl,--version-script={script}"] if version else []
        return build("libother.so", "int gone() { return 1; }", *flags)

    source = f"{symbol} int use() {{ return gone(); }}"
    plugin = build("libplugin.so", source, needs={"libother.so": other("DEMO_1")})
    files = {PLUGIN: plugin, "demo/lib/libother.so": other(defined)}
    assert judge.faults("C2", files, recipe=None) == texts
    assert judge.failing(files, recipe=None) == ({"C2"} if texts else set())
    for name, data in files.items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(data)
    done = subprocess.run(["ldd", "-r", tmp_path / "libplugin.so"], capture_output=True, text=True, check=False)
    assert ("version `DEMO_1' not found" in done.stdout + done.stderr) is bool(texts)


@pytest.mark.parametrize("name", ["libz.so.1", "libextra.so.1"])
def test_c2_what_others_bring_is_not_lost_on_the_way(judge: Judge, build: Build, name: str) -> None:
    """A system's library that ships too, and one that the recipe says is loaded before."""
    extra = build(name, "int gone() { return 1; }")
    source = "int gone(); int middle() { return gone(); }"
    middle = build("libmiddle.so", source, needs={name: extra}, path=None)
    module = 'int middle(); extern "C" void* PyInit_m() { return reinterpret_cast<void*>(middle()); }'
    files = {f"demo/lib/{name}": extra, "demo/lib/libmiddle.so": middle}
    for tags in ("--disable-new-dtags", "--enable-new-dtags"):
        flag, needs = f"-Wl,{tags}", {"libmiddle.so": middle}
        files[f"demo/{tags.strip('-')}.so"] = build("m.so", module, flag, needs=needs, path="$ORIGIN/lib")
    lost = (
        f"demo/enable-new-dtags.so: loads demo/lib/libmiddle.so, which does not find {name} then: its own search path"
    )
    of_system = name == "libz.so.1"
    assert judge.faults("C2", files, recipe=None) == ([] if of_system else [f"{lost} leads elsewhere"])
    leave = {"library": "libextra.*", "subjects": "demo/lib/*", "reason": "loaded first by ctypes"}
    assert judge.faults("C2", files, recipe={**RECIPE, "unresolved": [leave]}) == []


def test_c2_absent(judge: Judge, build: Build) -> None:
    absent = build("libabsent.so.1", "int gone() { return 1; }")
    plugin = build("libplugin.so", "int gone(); int use() { return gone(); }", needs={"libabsent.so.1": absent})
    fault = only(judge.faults("C2", {PLUGIN: plugin}))
    assert fault == f"{PLUGIN}: needs libabsent.so.1, absent from the wheel and from what manylinux lets it expect"
    leave = {"library": "libabsent.*", "subjects": "demo/lib/*", "reason": "installed beside it"}
    recipe = {**RECIPE, "unresolved": [leave]}
    assert judge.faults("C2", {PLUGIN: plugin}, recipe=recipe) == []
    _, notes = judge.results("C2", {PLUGIN: plugin}, recipe=recipe)
    assert notes[0].text == "libabsent.so.1 left to others: installed beside it"


def test_c2_a_hop_to_a_declared_requirement(judge: Judge, build: Build) -> None:
    torch = {"libtorch.so": build("libtorch.so", "int gone() { return 1; }")}
    plugin = build(
        "libplugin.so", "int gone(); int use() { return gone(); }", needs=torch, path="$ORIGIN/../../torch/lib"
    )
    assert judge.failing({PLUGIN: plugin}, requires=["torch"]) == set()
    assert judge.failing({PLUGIN: plugin}) == {"C2", "C9"}
    assert judge.failing({PLUGIN: plugin}, requires=['torch; extra == "gpu"']) == {"C2", "C9"}


def test_c2_a_prefix_that_declared_requirements_share(judge: Judge, build: Build) -> None:
    boost = {"libboost_graph.so.1": build("libboost_graph.so.1", "int gone() { return 1; }")}
    source = "int gone(); int use() { return gone(); }"
    changes: dict[str, Any] = {"cmeel.prefix/lib/libuser.so": build("libuser.so", source, needs=boost)}
    assert judge.failing(changes, requires=["cmeel", "cmeel-boost"], recipe=None) == set()
    assert judge.failing(changes, requires=["cmeel", "libboost"], recipe=None) == set()
    assert judge.failing(changes, requires=["cmeel", "cmeel-qhull"], recipe=None) == set()
    assert judge.failing(changes, requires=["cmeel", "numpy"], recipe=None) == {"C2"}
    assert judge.failing(changes, requires=["cmeel-boost"], recipe=None) == {"C2"}
    elsewhere: dict[str, Any] = {"demo/lib/libuser.so": changes["cmeel.prefix/lib/libuser.so"]}
    assert judge.failing(elsewhere, requires=["cmeel", "cmeel-boost"], recipe=None) == {"C2"}


def test_c2_the_installations_own_folder_of_libraries(judge: Judge, build: Build) -> None:
    hwloc = {"libhwloc.so.15": build("libhwloc.so.15", "int gone() { return 1; }")}
    source = "int gone(); int use() { return gone(); }"
    user = build("libuser.so", source, needs=hwloc)
    there: dict[str, Any] = {"demo-1.0.data/data/lib/libuser.so": user}
    assert judge.failing(there, requires=["tcmlib>=1.6"], recipe=None) == set()
    assert judge.failing(there, requires=["numpy"], recipe=None) == {"C2"}
    assert judge.failing({"demo/lib/libuser.so": user}, requires=["tcmlib"], recipe=None) == {"C2"}
    hop: dict[str, Any] = {"demo/libuser.so": build("libuser.so", source, needs=hwloc, path="$ORIGIN/../../..")}
    assert judge.failing(hop, requires=["intel-cmplr-lib-rt"], recipe=None) == set()
    assert judge.failing(hop, requires=["intel-extension-for-pytorch"], recipe=None) == {"C2", "C9"}
    shipped = {"demo-1.0.data/data/lib/libhwloc.so.15": hwloc["libhwloc.so.15"]}
    assert judge.failing(hop | shipped, recipe=None) == set()


def test_c2_extensions_of_torch_are_loaded_after_it(judge: Judge, build: Build) -> None:
    torch = {"libtorch_cpu.so": build("libtorch_cpu.so", "int gone() { return 1; }")}
    plugin = build("libplugin.so", "int gone(); int use() { return gone(); }", needs=torch)
    assert judge.failing({PLUGIN: plugin}, requires=["torch>=2"]) == set()
    assert judge.failing({PLUGIN: plugin}, requires=["torchmetrics"]) == {"C2"}
