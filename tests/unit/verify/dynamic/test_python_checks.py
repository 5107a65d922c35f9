"""C6 and G6, judged over answers as containers give them, and which check owns a wheel that does not install."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.elf.model import Binding, Symbol
from orchestrator.verify.dynamic import c6_imports, g6_python_models, h6_python_gpu
from orchestrator.verify.dynamic.context import Context
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.probe import Answer, StepAnswer, unique
from tests.support.answers import CUDA, answer, apart, cuda_context, library, make_context, reasons, step
from tests.support.cuda_answers import MISMATCH, with_gpu

EXTENSION = "demo/_C.cpython-311-x86_64-linux-gnu.so"
SCRIPT = {"python": {"script": "run.py"}}
BARE = {"cmake": None, "consumer": None, "headers": None}
RAISES = answer(
    1,
    stderr="Traceback (most recent call last):\n"
    '  File "/w/probes/import/import_module.py", line 34, in <module>\n    main(sys.argv)\n'
    '  File "/w/site/demo/__init__.py", line 1, in <module>\n    import json5\n'
    "ModuleNotFoundError: No module named 'json5'\n",
)
SYMBOL = step(1, stderr=f"ImportError: /w/site/{EXTENSION}: undefined symbol: _ZN4demo5countEv\n")


def said(module: str, file: str) -> str:
    """What importing prints."""
    return f"\nimported\t{module}\t{file}\n"


def extension(path: str = EXTENSION, init: str = "PyInit__C", needed: str = "libdemo.so") -> Any:
    return library(path, needed, exports=(init,))


def python_context(folder: Path, **more: Any) -> Context:
    """The demo SDK's CPU wheel with an extension module and a script, in the image with the row's Python."""
    changes = {**SCRIPT, **more.pop("changes", {})}
    context = make_context(folder, **{"libraries": [extension()], "cmake": None, **more}, changes=changes)
    return replace(context, name="bookworm/python-3.11")


def answers(**more: Answer) -> dict[str, Answer]:
    """What a right wheel answers; keys of `more` have `__` for `-`."""
    found = {
        "install": answer(),
        "import": answer(0, said("demo", "/w/site/demo/__init__.py")),
        "import_extensions": answer(0, said("demo._C", f"/w/site/{EXTENSION}")),
    }
    for model in ("plain", "delegated"):
        found[f"python-{model}"] = answer(0, "maxdiff=0\n")
        found |= {f"python-{model}-{kind}": MISMATCH for kind in ("wrong", "nan")}
    changed = found | {name.replace("__", "-"): value for name, value in more.items()}
    return apart(changed, models=["plain", "delegated"])


def test_a_right_wheel_passes(tmp_path: Path) -> None:
    context = python_context(tmp_path)
    imports = c6_imports.judge(context, answers())
    assert (reasons(imports), imports.inspected, imports.remarks) == ([], 2, ())
    models = g6_python_models.judge(context, answers())
    assert (reasons(models), models.inspected, models.what) == ([], 2, "models")
    asked = unique([*c6_imports.probes(context), *g6_python_models.probes(context)])
    assert {probe.id for probe in asked} == set(answers())
    assert len(g6_python_models.probes(context)) == len(asked)


def test_imports_have_a_process_each_and_the_site_folder_alone(tmp_path: Path) -> None:
    probes = {probe.id: probe for probe in c6_imports.probes(python_context(tmp_path))}
    start = ("python3", "-I", "import_module.py", "/w/site")
    assert [one.argv for one in probes["import"].steps] == [(*start, "demo")]
    assert [one.argv for one in probes["import_extensions"].steps] == [(*start, "demo._C")]
    assert probes["import_extensions"].after == ("install", "import")


def test_a_package_that_raises_is_c6s_alone(tmp_path: Path) -> None:
    context = python_context(tmp_path)
    never = Answer((step(None),))
    broken = answers(
        **{"import": RAISES, "import_extensions": never, "python-plain": RAISES, "python-delegated": RAISES}
    )
    outcome = c6_imports.judge(context, broken)
    assert reasons(outcome) == ["demo: does not import"]
    assert "ModuleNotFoundError: No module named 'json5'" in outcome.faults[0].evidence
    assert g6_python_models.judge(context, broken).not_run == "demo does not import: see C6"


def test_an_extension_that_does_not_load_is_told_by_its_file(tmp_path: Path) -> None:
    context = python_context(tmp_path)
    broken = answers(import_extensions=Answer((SYMBOL,)))
    outcome = c6_imports.judge(context, broken)
    assert reasons(outcome) == [f"{EXTENSION}: does not import"]
    assert any("undefined symbol: _ZN4demo5countEv" in line for line in outcome.faults[0].evidence)
    assert reasons(g6_python_models.judge(context, broken)) == []  # the script does without it
    both = answers(import_extensions=Answer((SYMBOL,)), python__plain=answer(1))
    outcome = g6_python_models.judge(context, both)
    assert outcome.not_run == f"{EXTENSION} does not import: see C6"


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (answer(0), "ends the process before it is imported"),
        (answer(0, said("demo", "/usr/lib/python3/dist-packages/demo.py")), "is not what is imported by its name"),
        (answer(-11), "does not import"),
    ],
)
def test_a_package_is_imported_from_the_wheel_and_to_the_end(tmp_path: Path, ended: Answer, why: str) -> None:
    outcome = c6_imports.judge(python_context(tmp_path), answers(**{"import": ended}))
    assert reasons(outcome) == [f"demo: {why}"]
    assert outcome.faults[0].evidence


def test_an_extension_behind_another_file_is_not_what_is_imported(tmp_path: Path) -> None:
    shadowed = extension("demo/_C.abi3.so")
    context = python_context(tmp_path, libraries=[extension(), shadowed])
    line = said("demo._C", f"/w/site/{EXTENSION}")
    outcome = c6_imports.judge(context, answers(import_extensions=Answer((step(0, line), step(0, line)))))
    assert reasons(outcome) == ["demo/_C.abi3.so: is not what is imported by its name"]
    assert outcome.faults[0].evidence == (f"demo._C is /w/site/{EXTENSION}",)


def test_an_extension_of_another_python_is_not_run(tmp_path: Path) -> None:
    other = "demo/_C.cpython-312-x86_64-linux-gnu.so"
    context = python_context(tmp_path, libraries=[extension(), extension(other)])
    assert c6_imports.judge(context, answers()).not_run == f"{other}: for another Python than the row's cp311"
    assert reasons(c6_imports.judge(context, answers(**{"import": RAISES}))) == ["demo: does not import"]


@pytest.mark.parametrize(
    ("path", "init", "modules"),
    [
        ("demo/_C.abi3.so", "PyInit__C", ["demo._C"]),
        ("_C.so", "PyInit__C", ["_C"]),
        ("demo-1.5.1.data/purelib/demo/_C.so", "PyInit__C", ["demo._C"]),
        ("demo/lib/libdemo_python.so", "PyInit__C", []),
        ("demo.libs/_C.abi3.so", "PyInit__C", []),
        ("demo/_C.so.1", "PyInit__C", []),
    ],
)
def test_modules_are_imported_by_the_names_that_files_give(
    tmp_path: Path, path: str, init: str, modules: list[str]
) -> None:
    context = python_context(tmp_path, libraries=[extension(path, init)])
    asked = [probe for probe in c6_imports.probes(context) if probe.id == "import_extensions"]
    assert [one.argv[4] for probe in asked for one in probe.steps] == modules
    if not modules:
        (remark,) = c6_imports.judge(context, answers()).remarks
        assert (remark.subject, remark.text) == (path, "no import statement names it: it is not tried")


@pytest.mark.parametrize(
    ("path", "calls", "tried"),
    [
        (EXTENSION, "PyModule_Create2", True),
        ("demo/_C.abi3.so", "PyModule_Create2", True),
        (EXTENSION, "malloc", False),  # for ctypes, whatever built it gave it the name of a module
        ("demo/libdemo_python.so", "PyModule_Create2", False),
        ("demo/_C.cpython-312-x86_64-linux-gnu.so", "PyModule_Create2", False),
    ],
)
def test_a_module_that_lost_its_init_function_is_one_all_the_same(
    tmp_path: Path, path: str, calls: str, tried: bool
) -> None:
    one = library(path, "libc.so.6")
    assert one.elf is not None
    called = Symbol(calls, Binding.GLOBAL, "notype", "default", defined=False)
    context = python_context(tmp_path, libraries=[replace(one, elf=replace(one.elf, symbols=(called,)))])
    assert ("import_extensions" in {probe.id for probe in c6_imports.probes(context)}) is tried
    if tried:
        lost = step(1, stderr="ImportError: dynamic module does not define module export function (PyInit__C)")
        outcome = c6_imports.judge(context, answers(import_extensions=Answer((lost,))))
        assert reasons(outcome) == [f"{path}: does not import"]


def test_what_the_image_lacks_and_the_policy_promises_is_no_fault(tmp_path: Path) -> None:
    context = python_context(tmp_path)

    def raises(name: str) -> Answer:
        return answer(1, stderr=f"ImportError: {name}: cannot open shared object file: No such file or directory")

    lacking = c6_imports.judge(context, answers(**{"import": raises("libGL.so.1")}))
    assert lacking.not_run == (
        "demo does not import: the image 'bookworm' has no libGL.so.1, which manylinux lets the wheel expect; "
        "add its package to images/bookworm.toml"
    )
    outcome = c6_imports.judge(context, answers(**{"import": raises("libodd.so.1")}))
    assert reasons(outcome) == ["demo: does not import"]


def test_torch_is_loaded_before_what_needs_it(tmp_path: Path) -> None:
    context = python_context(tmp_path, libraries=[extension(needed="libc10.so")], requires=["torch>=2"])
    (modules,) = [p for p in c6_imports.probes(replace(context, beside=True)) if p.id == "import_extensions"]
    assert modules.steps[0].argv[4:] == ("demo._C", "torch")


def test_without_what_is_required_nothing_is_imported(tmp_path: Path) -> None:
    context = python_context(tmp_path, requires=["numpy>=1"])
    reason = "what the wheel requires is not at hand: give [test] requires-lock, or peers-lock"
    assert c6_imports.probes(context) == ()
    assert c6_imports.judge(context, {}).not_run == reason
    asked = {probe.id for probe in g6_python_models.probes(context)}
    assert asked == set(answers()) - {"import", "import_extensions"}
    assert reasons(g6_python_models.judge(context, answers(**{"python-plain": RAISES}))) == [
        "plain: does not run in Python, or does not match its reference"
    ]
    at_hand = replace(context, beside=True)
    assert reasons(c6_imports.judge(at_hand, answers())) == []
    extra = python_context(tmp_path, requires=["numpy>=1; extra == 'all'", "tomli; python_version < '3.11'"])
    assert reasons(c6_imports.judge(extra, answers())) == []


def test_g6_wants_a_match_and_control(tmp_path: Path) -> None:
    context = python_context(tmp_path)
    outcome = g6_python_models.judge(context, answers(python__plain=answer(5, "execute: no such operator")))
    assert reasons(outcome) == ["plain: does not run in Python, or does not match its reference"]
    assert "execute: no such operator" in outcome.faults[0].evidence
    outcome = g6_python_models.judge(context, answers(python__plain__wrong=answer(0)))
    assert reasons(outcome) == ["plain: the script accepts a reference that is wrong: it compares nothing"]
    outcome = g6_python_models.judge(context, answers(python__delegated__nan=answer(1, stderr="Traceback")))
    assert reasons(outcome) == ["delegated: a reference that is nan is not rejected as 'mismatch'"]


def test_g6_is_asked_where_a_script_has_models_of_its_own(tmp_path: Path) -> None:
    assert g6_python_models.applies(python_context(tmp_path))
    assert not g6_python_models.applies(make_context(tmp_path))
    only_gpu = {**CUDA, "model": CUDA["model"][2:]}
    assert not g6_python_models.applies(cuda_context(tmp_path, changes=only_gpu))
    without = python_context(tmp_path, changes={"model": []})
    assert g6_python_models.applies(without)
    assert g6_python_models.judge(without, answers()).inspected == 0  # which fails
    needs = [{"name": "m", "file": "m", "reference": "plain.txt", "tolerance": 1, "needs": ["gpu"]}]
    absent = python_context(tmp_path, changes={"model": needs})
    assert g6_python_models.judge(absent, answers()).not_run == "no model's components ship: see B2"


def test_one_container_serves_g6_h6_and_c6(tmp_path: Path) -> None:
    context = replace(cuda_context(tmp_path, gpus="all"), name="bookworm/python-3.11")
    asked = unique(p for check in (c6_imports, g6_python_models, h6_python_gpu) for p in check.probes(context))
    assert {probe.id for probe in asked} == {"install", "import", "device", "python-models", "python-gpu-models"}
    by_id = {probe.id: json.loads(probe.files["runs.json"]) for probe in asked if "runs.json" in probe.files}
    kinds = ("", "-wrong", "-nan")
    assert {*by_id["python-models"]["runs"]} == {f"{model}{kind}" for model in ("plain", "delegated") for kind in kinds}
    assert {*by_id["python-gpu-models"]["runs"]} == {f"on_gpu{kind}" for kind in kinds}
    assert [by_id[name]["ahead"] for name in sorted(by_id)] == [False, True]  # a GPU's driver survives no copy
    assert reasons(h6_python_gpu.judge(context, with_gpu())) == []


PIP = Answer((step(), StepAnswer(("pip",), 1, 1.0, "", "ERROR: demo.whl is not a supported wheel on this platform.")))


def test_a_wheel_that_does_not_install_is_told_where_that_shows_first(tmp_path: Path) -> None:
    broken = answers(install=PIP)
    told = "the wheel does not install (exit 1): see "
    here = python_context(tmp_path)  # D2 installs it in this image too
    assert [check.judge(here, broken).not_run for check in (c6_imports, g6_python_models)] == [f"{told}D2"] * 2
    elsewhere = replace(here, name="trixie/python-3.11")
    bare = python_context(tmp_path, changes=BARE)
    for context in (elsewhere, bare):
        outcome = g6_python_models.judge(context, broken)
        assert reasons(outcome) == [f"{context.subject.wheel.filename}: the wheel does not install (exit 1)"]
        assert "ERROR: demo.whl is not a supported wheel on this platform." in outcome.faults[0].evidence
        assert c6_imports.judge(context, broken).not_run == f"{told}G6"
    cuda = replace(cuda_context(tmp_path, changes={**CUDA, **BARE}), name="bookworm/python-3.11")
    assert c6_imports.judge(cuda, broken).not_run == f"{told}C10"


def test_without_a_script_c6_tells_that_a_wheel_does_not_install(tmp_path: Path) -> None:
    context = replace(make_context(tmp_path, changes=BARE, requires=["numpy"]), name="bookworm/python-3.11")
    assert c6_imports.probes(context) == (install(context),)
    outcome = c6_imports.judge(context, {"install": PIP})
    assert reasons(outcome) == [f"{context.subject.wheel.filename}: the wheel does not install (exit 1)"]
    assert c6_imports.judge(context, {"install": answer()}).not_run == c6_imports.NOT_AT_HAND


def test_what_wrong_cuda_requirements_break_is_h2s(tmp_path: Path) -> None:
    context = replace(cuda_context(tmp_path, requires=[]), name="bookworm/python-3.11")
    wrong = "the wheel's CUDA requirements are not the row's: see H2"
    for broken in (answers(**{"import": RAISES, "python-plain": RAISES}), answers(install=PIP)):
        assert c6_imports.judge(context, broken).not_run == wrong
        assert g6_python_models.judge(context, broken).not_run == wrong
