"""What is no recipe, and what each refusal says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.mini_recipe import MINIMAL, PACKAGE, POOL, refusal

PLUGIN = '[plugin]\nsources=["gone.cpp"]\ncomponents=["pool"]\nadds=["x"]\n'


THREADS = 'component="pool"\ndefinition="D"\nmodel="m"\n'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("requires-lock", "require-lock", "build.require-lock: is not a known key. Did you mean 'requires-lock'?"),
        ("requires-lock", "requires_lock", "build.requires_lock: is not a known key. Did you mean 'requires-lock'?"),
        ("[project]", "folder = 'x'\n[project]", "folder: is not a known key."),
        ('version = "1.0"', "", "build.version: is required and missing"),
        ('version = "1.0"', "version = 1", "build.version: must be a valid string; found 1"),
        ('local = "cpu"', "locl = 'cpu'", "variants.cpu.locl: is not a known key. Did you mean 'local'?"),
        ('["3.11"]', '["3.11", "2.7"]', r"matrix.python[2]: must match pattern '^3\.(0|[1-9][0-9]?)$'; found '2.7'"),
        ('{ path = "source" }', '{ path = "../x" }', "project.source.path: '../x' must be a relative path"),
        ('{ path = "source" }', "{}", "project.source: give exactly one of 'path', 'sdist', 'git' and 'wheel'"),
        ('["3.11"]', '["3.11"]\narch = ["x86"]', "matrix.arch[1]: must be 'x86_64' or 'aarch64'; found 'x86'"),
        ("[variants.cpu]", '[variants."../x"]\n[variants.cpu]', 'variants."../x" (the key): must match pattern'),
        ("[variants.cpu]", '[variants."a.b"]\nx = 1\n[variants.cpu]', 'variants."a.b".x: is not a known key.'),
        ("build.lock", "other.lock", "build.requires-lock: names the file 'other.lock', which does not exist; 'nox -s"),
        ("build.lock", "other.lock", "makes it of other.in"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m.bin"\nreference="r"\ntolerance=1.0\n[matrix]',
            "model[1].reference: names the file 'r'",
        ),
        (
            'local = "cpu"',
            'requires = ["a >="]',
            "variants.cpu.requires[1]: 'a >=' is not a requirement (PEP 508): ",
        ),
        ("[matrix]", '[python]\nscript="run.py"\n[matrix]', "python.script: names the file 'run.py'"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m"\nreference="r"\ntolerance=1.0\nneeds=["gone"]\n[matrix]',
            "model 'm' names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            '[document]\nfile="cpp.md"\nheading="# Use"\n[matrix]',
            "[document] needs a [cmake] table: its example is built against the CMake package",
        ),
        (
            'local = "cpu"',
            'local = "cpu"\nabsent = ["gone"]',
            "variant 'cpu' names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            '[threads]\ncomponent="gone"\ndefinition="D"\nmodel="m"\n[matrix]',
            "[threads] names the component 'gone', which no [[component]] declares",
        ),
        (
            "[matrix]",
            f"{POOL}[threads]\n{THREADS}[matrix]",
            "[threads] names the model 'm', which no [[model]] declares",
        ),
        (
            "[matrix]",
            f'{POOL}[threads]\n{THREADS}tasks-pattern="tasks"\n[matrix]',
            "threads.tasks-pattern must have exactly one group",
        ),
        (
            "[matrix]",
            f"{PLUGIN}{POOL}{PACKAGE}[matrix]",
            "plugin.sources[1]: names the file 'gone.cpp', which does not exist",
        ),
        (
            "[matrix]",
            f"{PLUGIN}{POOL}[matrix]",
            "[plugin] needs a [consumer] table: that is the program that is asked",
        ),
        ("[matrix]", PACKAGE.replace("3.24", "") + "[matrix]", "cmake.floor: must match pattern"),
        (
            "[matrix]",
            PACKAGE.replace('"mini"', '"mini)\\nmessage("', 1) + "[matrix]",
            "cmake.package: must match pattern",
        ),
        ("[matrix]", POOL + 'target="a::b)"\n[matrix]', "component[1].target"),
        ("[matrix]", POOL + 'owns=[""]\n[matrix]', "component[1].owns[1]: must have at least 1 character; found ''"),
        (
            "[matrix]",
            PACKAGE.replace("3.24", "4.5") + "[matrix]",
            "cmake: an environment's CMake, 4.4.5, is older than the floor, 4.5",
        ),
        (
            "[matrix]",
            POOL.replace("libpool", "lib/libpool") + "[matrix]",
            "component[1].library: 'lib/libpool.so' must be a file's name alone, without folders",
        ),
        *(
            (
                "[matrix]",
                f'[[waiver]]\ncheck = "{check}"\nsubject = "*"\nreason = "all is fine"\nuntil = 2027-03-01\n[matrix]',
                f"waiver[1].check: '{check}' is not the id of a check that can be waived, such as E1",
            )
            for check in ("*", "g1", "W2", "G1 ", "")
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'relocatable-variables = "yes"\ntargets') + "[matrix]",
            "cmake.relocatable-variables: must be a valid boolean; found 'yes'",
        ),
        ('version = "1.0"', 'version = "1.0"\nminutes = "5"', "build.minutes: must be a valid number; found '5'"),
        (
            "[matrix]",
            '[[model]]\nname="m"\nfile="m.bin"\nreference="r"\ntolerance=inf\n[matrix]',
            "model[1].tolerance: must be a finite number; found inf",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'floor-tried = "4.5.0"\ntargets') + "[matrix]",
            "cmake: floor-tried, 4.5.0, is newer than an environment's CMake, 4.4.5",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'floor-tried = "3.23.9"\ntargets') + "[matrix]",
            "cmake: floor-tried, 3.23.9, is older than the floor, 3.24",
        ),
        (
            "[matrix]",
            PACKAGE.replace("targets", 'below-floor = "3.24.0"\ntargets') + "[matrix]",
            "cmake: below-floor, 3.24.0, is not older than the floor, 3.24",
        ),
        (
            "[matrix]",
            '[libraries]\nfolders=["mini"]\nothers=[{library="*.so", reason="shipped for others"}]\n[matrix]',
            "libraries.others[1].library is not a regular expression: nothing to repeat",
        ),
        (
            'local = "cpu"',
            'runs = [["-m", "mini"], ["check.py", "1"]]',
            "variants.cpu: runs[2] must be '-c' and code, or '-m' and a module",
        ),
        ("build.lock", r"a\u0000b", r"build.requires-lock: 'a\x00b' is no path that a file can have"),
        ("build.lock", "a" * 256, "aaa' is no path that a file can have"),
    ],
)
def test_refusals_name_key_and_expectation(recipes: Path, old: str, new: str, said: str) -> None:
    assert old in MINIMAL
    text = refusal(recipes, MINIMAL.replace(old, new, 1))
    assert said in text
    assert str(recipes / "mini" / "recipe.toml") in text


def test_every_problem_is_listed_once(recipes: Path) -> None:
    said = refusal(recipes, MINIMAL.replace('"3.11"', '"2.7"').replace("local", "lokal"))
    assert "(2 problems)" in said
    assert "matrix.python:" not in said  # the list is not called too short because its one item is bad
