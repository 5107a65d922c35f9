"""J6, J7: versions and RECORD."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from typing import Any

import pytest

from tests.support.judge import CPU_TAG, VERSION_FILE, Judge, only

SAYS = "the file name says"


@pytest.mark.parametrize(
    ("changes", "options", "text"),
    [
        ({"demo/version.py": b'__version__: str = "1.1"\n'}, {}, f"demo/version.py: says version 1.1, {SAYS} 1.0+cpu"),
        ({VERSION_FILE: b'set(PACKAGE_VERSION "1.1")\n'}, {}, f"{VERSION_FILE}: says version 1.1, {SAYS} 1.0"),
        (
            {VERSION_FILE: b"#[[\nset(PACKAGE_VERSION 1.0)\n]]\nset(PACKAGE_VERSION 1.1)\n"},
            {},
            f"{VERSION_FILE}: says version 1.1, {SAYS} 1.0",
        ),
        ({VERSION_FILE: b"set(\n  PACKAGE_VERSION 1.1)\n"}, {}, f"{VERSION_FILE}: says version 1.1, {SAYS} 1.0"),
        (
            {VERSION_FILE: b'set(MAJOR 1)\nset(V "${MAJOR}.1")\nset(PACKAGE_VERSION ${V})\n'},
            {},
            f"{VERSION_FILE}: says version 1.1, {SAYS} 1.0",
        ),
        (
            {"demo/_version.py": b"__version__ = version = '1.1'\n__version_tuple__ = (1, 1)\n"},
            {},
            f"demo/_version.py: says version 1.1, {SAYS} 1.0+cpu",
        ),
        (
            {"demo/version.py": b'version = "1.1"  # all\n__version__ = version  # of it\n'},
            {},
            f"demo/version.py: says version 1.1, {SAYS} 1.0+cpu",
        ),
        (
            {},
            {"metadata": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0+cu130\n"},
            f"demo-1.0+cpu.dist-info/METADATA: says version 1.0+cu130, {SAYS} 1.0+cpu",
        ),
        ({}, {"asked": "1.0.1+cpu"}, f"what was asked of the build: says version 1.0.1+cpu, {SAYS} 1.0+cpu"),
    ],
)
def test_j6_one_place_differs(judge: Judge, changes: Any, options: dict[str, Any], text: str) -> None:
    assert only(judge.faults("J6", changes, **options)) == text
    assert judge.failing(changes, **options) == {"J6"}


def test_j6_cmake_may_leave_a_development_suffix_out(judge: Judge) -> None:
    def faults(told: bytes) -> list[str]:
        text = b"set(PACKAGE_VERSION " + told + b")\n"
        return [
            fault for fault in judge.faults("J6", {VERSION_FILE: text}, version="1.0.dev1+cpu") if VERSION_FILE in fault
        ]

    assert faults(b"1.0") == faults(b"1.0.dev1") == []
    assert only(faults(b"1.0.dev2")) == f"{VERSION_FILE}: says version 1.0.dev2, {SAYS} 1.0.dev1"


def test_j6_version_file_that_hands_on(judge: Judge) -> None:
    forward = "demo/share/cmake/demo/demo-config-version.cmake"
    text = b'include("${CMAKE_CURRENT_LIST_DIR}/../../../lib/cmake/demo/demo-config-version.cmake")\n'
    assert judge.faults("J6", {forward: text}) == []
    assert only(judge.faults("J6", {forward: b"# nothing\n"})) == f"{forward}: says version none, {SAYS} 1.0"


@pytest.mark.parametrize(
    "text",
    [
        b"__version__ = version = '1.0+cpu'\n",
        b"__version__: Final[str] = '1.0+cpu'  # told\n",
        b"from demo.told import version\n__version__ = version\n",
        b"__version__ = '.'.join(parts)\n",
    ],
)
def test_j6_the_same_version_or_one_that_is_not_written_out(judge: Judge, text: bytes) -> None:
    assert judge.faults("J6", {"demo/version.py": text}) == []


@pytest.mark.parametrize(
    "text",
    [
        b'set(V "1.0")\nset(PACKAGE_VERSION "${V}")\n',
        b'include(told.cmake)\nset(PACKAGE_VERSION "${V}")\n',
    ],
)
def test_j6_a_version_that_another_variable_holds(judge: Judge, text: bytes) -> None:
    assert judge.failing({VERSION_FILE: text}) == set()


def test_j6_local_label_of_the_variant(judge: Judge) -> None:
    faults = judge.faults("J6", {"demo/version.py": b'__version__ = "1.0"\n'}, version="1.0")
    assert faults[-1].endswith("its local version label is none, the variant cpu has cpu")


def change_wheel_file(files: dict[str, bytes]) -> None:
    name = next(name for name in files if name.endswith("/WHEEL"))
    files[name] = files[name].replace(b"cp311-cp311", b"cp312-cp312")


def break_wheel_file(files: dict[str, bytes]) -> None:
    name = next(name for name in files if name.endswith("/WHEEL"))
    files[name] = files[name].replace(b"Tag: cp311-cp311-", b"Tag: cp311-")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"after_record": {"demo/version.py": b'__version__ = "1.0+cpu" \n'}},
            "its content has another hash than RECORD says",
        ),
        ({"after_record": {"demo/new.py": b""}}, "demo/new.py: in the archive and not listed in RECORD"),
        ({"edit": change_wheel_file}, "dist-info/WHEEL: its Tag lines are not the file name's tags"),
        ({"after_record": {"demo-1.0+cpu.dist-info/RECORD": b""}}, "dist-info/RECORD: lists nothing"),
        ({"after_record": {"demo-1.0+cpu.dist-info/RECORD": b"a,b\n"}}, "line 1 is not 'path,hash,size'"),
        ({"edit": break_wheel_file}, "dist-info/WHEEL: has a Tag that cannot be read"),
    ],
)
def test_j7_record_and_wheel(judge: Judge, options: dict[str, Any], text: str) -> None:
    assert any(text in fault for fault in judge.faults("J7", **options))
    assert judge.failing(**options) == {"J7"}


def edited_record(judge: Judge, old: str, new: str) -> list[str]:
    with zipfile.ZipFile(judge.subject().wheel.path) as archive:
        record = archive.read("demo-1.0+cpu.dist-info/RECORD").decode()
    assert old in record
    return judge.faults("J7", after_record={"demo-1.0+cpu.dist-info/RECORD": record.replace(old, new).encode()})


def test_j7_lines_of_record(judge: Judge) -> None:
    assert only(edited_record(judge, "demo/__init__.py", "demo/gone.py,sha256=x,1\ndemo/__init__.py")) == (
        "demo/gone.py: listed in RECORD and not in the archive"
    )
    assert edited_record(judge, "demo/version.py,sha256", "demo/version.py,md5")[0].startswith(
        "demo/version.py: RECORD uses the hash md5"
    )
    line = "demo/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
    assert only(edited_record(judge, line, line + line)) == "demo/__init__.py: listed 2 times in RECORD"
    assert only(edited_record(judge, line, line.replace(",0", ",7"))) == "demo/__init__.py: has 0 bytes, RECORD says 7"
    assert only(edited_record(judge, line, "demo/__init__.py,,\n")) == "demo/__init__.py: has no hash in RECORD"


@pytest.mark.parametrize("algorithm", ["sha384", "sha512"])
def test_j7_longer_hashes(judge: Judge, algorithm: str) -> None:
    line = "demo/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    right = base64.urlsafe_b64encode(hashlib.new(algorithm, b"").digest()).rstrip(b"=").decode()
    assert edited_record(judge, line, f"demo/__init__.py,{algorithm}={right}") == []
    wrong = f"demo/__init__.py,{algorithm}={right[::-1]}"
    assert only(edited_record(judge, line, wrong)) == "demo/__init__.py: its content has another hash than RECORD says"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"metadata": "Metadata-Version: 2.1\nVersion: 1.0+cpu\n"}, "METADATA: has no Name"),
        ({"metadata": "Metadata-Version: 2.1\nName: other\nVersion: 1.0+cpu\n"},
         "METADATA: says Name other, the file name says demo"),
        ({"edit": lambda files: set_wheel_version(files, b"Wheel-Version: 2.0\n")},
         "WHEEL: says Wheel-Version 2.0, installers know version 1"),
        ({"edit": lambda files: set_wheel_version(files, b"")}, "WHEEL: has no Wheel-Version"),
        ({"requires": ['a; "x" >= "y"']}, "its marker cannot be evaluated"),
        ({"wheel_tag": "-".join(".".join(f"{part}{n}" for n in range(30)) for part in "abc")},
         "WHEEL: has a Tag that cannot be read: it stands for more than 10000 tags"),
    ],
)  # fmt: skip
def test_j7_what_installers_refuse(judge: Judge, options: dict[str, Any], text: str) -> None:
    assert any(text in fault for fault in judge.faults("J7", recipe=None, **options))
    assert judge.failing(recipe=None, **options) == {"J7"}


def set_wheel_version(files: dict[str, bytes], line: bytes) -> None:
    name = next(name for name in files if name.endswith("/WHEEL"))
    files[name] = files[name].replace(b"Wheel-Version: 1.0\n", line)


@pytest.mark.parametrize("filename", [f"other-1.0+cpu-{CPU_TAG}.whl", f"demo-2.0-{CPU_TAG}.whl"])
def test_j7_info_folder_of_another_wheel(judge: Judge, filename: str) -> None:
    folder = filename.removesuffix(f"-{CPU_TAG}.whl")
    assert f"demo-1.0+cpu.dist-info: the file name announces the folder {folder}.dist-info" in judge.faults(
        "J7", recipe=None, filename=filename
    )


def test_j7_info_folder_in_another_spelling(judge: Judge) -> None:
    assert judge.failing(recipe=None, filename=f"Demo-1.0.0+CPU-{CPU_TAG}.whl") == set()


def test_j6_without_a_recipe_metadata_is_held_against_the_file_name(judge: Judge) -> None:
    other = {"metadata": "Metadata-Version: 2.1\nName: demo\nVersion: 1.1\n", "recipe": None}
    assert only(judge.faults("J6", **other)).endswith("METADATA: says version 1.1, the file name says 1.0+cpu")
    assert judge.failing(**other) == {"J6"}


def test_j7_file_that_is_no_wheel_by_name(judge: Judge) -> None:
    assert any(
        "not the file name of a wheel" in fault for fault in judge.faults("J7", filename="demo.whl", recipe=None)
    )
