"""What two wheels say of themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.diff import metadata
from orchestrator.diff.model import Values
from orchestrator.wheel.model import Wheel
from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel

HEAD = "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n"


def wheel(folder: Path, text: str = "", files: dict[str, bytes] | None = None, **more: Any) -> Wheel:
    folder.mkdir(parents=True, exist_ok=True)
    return read_wheel(make_wheel(folder, files or {}, name="demo", metadata=HEAD + text, **more))


def requiring(folder: Path, *requirements: str) -> Wheel:
    return wheel(folder, "".join(f"Requires-Dist: {one}\n" for one in requirements))


def test_requirements_in_one_spelling(tmp_path: Path) -> None:
    before = requiring(tmp_path / "a", "NumPy >=1.0, <3", "gone", 'x; extra == "y"')
    after = requiring(tmp_path / "b", "numpy<3,>=1.0", 'x ; extra=="y"', "Came[B,a]")
    assert metadata.requirements(before, after) == Values(added=("came[B,a]",), removed=("gone",))
    assert not metadata.requirements(before, before)


def test_a_damaged_requirement_is_told_as_it_is(tmp_path: Path) -> None:
    before = requiring(tmp_path / "a", "x>=1", "[red]foo", 'y; extra < "3"')
    after = requiring(tmp_path / "b", "x >= 1", "[blue]bar", 'y; extra < "3"')
    assert metadata.requirements(before, after) == Values(added=("[blue]bar",), removed=("[red]foo",))


def test_another_marker_is_another_requirement(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a", "Requires-Dist: x>=1\n")
    after = wheel(tmp_path / "b", 'Requires-Dist: x>=1; python_version < "3.14"\n')
    assert metadata.requirements(before, after) == Values(added=('x>=1 ; python_version < "3.14"',), removed=("x>=1",))


def test_fields_with_requires_python_first(tmp_path: Path) -> None:
    before = wheel(
        tmp_path / "a",
        "Requires-Python: >=3.9\nLicense: MIT\nClassifier: A\nClassifier: B\nProvides-Extra: one\n\nA page.\n",
    )
    after = wheel(
        tmp_path / "b",
        "License: BSD\nCLASSIFIER: B\nclassifier: C\nrequires-python: >=3.11\nProvides-Extra: two\n\nAnother.\n",
    )
    assert [(one.name, one.before, one.after) for one in metadata.fields(before, after)] == [
        ("Requires-Python", ">=3.9", ">=3.11"),
        ("Classifier", "A", "C"),
        ("License", "MIT", "BSD"),
    ]
    assert metadata.extras(before, after) == Values(added=("two",), removed=("one",))
    assert metadata.fields(before, before) == ()


def test_a_field_that_came_and_a_long_one(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a")
    after = wheel(tmp_path / "b", f"License: {'x' * 9000}\nClassifier: A\nClassifier: B\n")
    classifier, other, licence = metadata.fields(before, after)
    assert (classifier.before, classifier.after, other.after) == (None, "A", "B")
    assert licence.after == f"{'x' * 500}… (9000 characters)"


def test_tags_one_by_one(tmp_path: Path) -> None:
    before = wheel(tmp_path / "a", tag="cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64")
    after = wheel(tmp_path / "b", tag="cp311-cp311-manylinux_2_28_x86_64")
    found = metadata.tags(before, after)
    assert found.added == ("cp311-cp311-manylinux_2_28_x86_64",)
    assert found.removed == ("cp311-cp311-manylinux2014_x86_64", "cp311-cp311-manylinux_2_17_x86_64")


def test_entry_points(tmp_path: Path) -> None:
    def points(text: str) -> dict[str, bytes]:
        return {"demo-1.0.dist-info/entry_points.txt": text.encode()}

    before = wheel(tmp_path / "a", files=points("[console_scripts]\nTool = demo:main\nold=demo:old\n"))
    after = wheel(tmp_path / "b", files=points("[console_scripts]\nTool=demo:main\n[more]\nnew = demo:new\n"))
    assert metadata.entry_points(before, after) == Values(
        added=("more: new = demo:new",), removed=("console_scripts: old = demo:old",)
    )
    damaged = wheel(tmp_path / "c", files=points("no section\n"))
    assert "no section" in metadata.entry_points(before, damaged).added


def test_a_wheel_without_metadata_says_nothing(tmp_path: Path) -> None:
    def without(files: dict[str, bytes]) -> None:
        del files["demo-1.0.dist-info/METADATA"]

    before, after = wheel(tmp_path / "a", edit=without), wheel(tmp_path / "b", "Requires-Dist: x\n")
    assert metadata.requirements(before, after).added == ("x",)
    assert ("Version", None, "1.0") in [(one.name, one.before, one.after) for one in metadata.fields(before, after)]
