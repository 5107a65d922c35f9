"""A few hundred mutations of a small wheel, in a process of its own, since it forks; and that they are seeded."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from orchestrator.ground.sessions import ROOT
from tests.detection.mutation.mutate import LONGEST, mutate, other_text
from tests.detection.mutation.small_wheel import small_wheel
from tests.support.elves import tiny_elf
from tests.support.wheels import make_wheel

COUNT = 300

_BROKEN = """
import sys, time
from pathlib import Path
import tests.detection.mutation.child as child

def verb(arguments):
    match int(arguments[-1].split(".")[0]):
        case 0: raise ValueError("planted")
        case 1:
            while True: pass
        case 2: Path("../stray").write_text("x")
        case 3: return 3
        case 4: print("K1 could not judge: ValueError")
    return 0

child.main, child.CPU_SECONDS = verb, 1
folder = Path(sys.argv[1])

def make(number):
    (folder / str(number)).mkdir()
    return "x", folder / str(number), f"{number}.whl"

for number, _, wrong in child.run_all(6, 2, make):
    print(number, wrong and wrong.splitlines()[0])
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_mutations_end_well() -> None:
    done = run("-m", "tests.detection.mutation", str(COUNT), "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{COUNT} mutations" in done.stdout
    assert "0 wrong" in done.stdout


def test_whatever_goes_wrong_is_seen(tmp_path: Path) -> None:
    done = run("-c", _BROKEN, str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("0 ended with 70: Traceback")
    assert lines[1].startswith("1 took more than its time: ")
    assert lines[2].startswith("2 wrote outside its folder: open ")
    assert lines[3].startswith("3 ended with")
    assert lines[4].startswith("4 ended with 0: could not judge")
    assert lines[5] == "5 None"


def test_a_mutation_can_be_made_again_alone(tmp_path: Path) -> None:
    wheel = make_wheel(
        tmp_path, {"demo/a.so": tiny_elf(), "demo/a.cmake": b"set(A 1)\n" * 20}, name="demo", version="1.0.0"
    )
    for number in range(18):
        (kind, one), (again, other) = (mutate(wheel, tmp_path / f"{number}{copy}", 3, number) for copy in "ab")
        assert (kind, one.name, one.read_bytes()) == (again, other.name, other.read_bytes())
        assert one.read_bytes() != wheel.read_bytes() or one.name != wheel.name


def test_every_kind_of_damage_is_done(tmp_path: Path) -> None:
    """Not all of it changes something: a number may be put where it is already."""
    wheel = small_wheel(tmp_path / "small")
    made: dict[str, set[bytes]] = {}
    for number in range(54):
        kind, path = mutate(wheel, tmp_path / str(number), 5, number)
        made.setdefault(kind, set()).add(path.read_bytes())
    assert set(made) == {"zip", "ELF", "METADATA", "RECORD", "names", "CMake", "archive", "tables", "large"}
    assert all(len(wheels) > 3 for wheels in made.values())


def test_a_text_that_was_made_long_is_not_made_longer_without_end() -> None:
    once = max((other_text(random.Random(seed), b"line\n" * 1000) for seed in range(60)), key=len)
    assert len(once) > 1 << 20
    assert max(len(other_text(random.Random(seed), once)) for seed in range(60)) <= LONGEST
