"""`doctor`: what is there, what is pinned, what is broken; it changes nothing."""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console, Group

from orchestrator import secrets
from orchestrator.cli.diagnosis import kept
from orchestrator.cli.diagnosis.engine import EngineFacts
from orchestrator.cli.diagnosis.findings import Notice, Problem
from orchestrator.cli.diagnosis.online import Reach
from orchestrator.cli.doctor import Diagnosis, examine
from orchestrator.cli.doctor_verb import _parts
from orchestrator.containers.survey import gpu_support
from orchestrator.errors import DiskError, EngineError, RecipeError
from orchestrator.processor import native_arch
from orchestrator.secrets import Secrets
from orchestrator.store.cuda_parts import read_toolkit_locks
from orchestrator.store.locks import parse_lock
from orchestrator.store.store import Store
from orchestrator.store.toolchain import LOCKS
from tests.support.command import run
from tests.support.damage import truncate


@pytest.fixture(autouse=True)
def no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine: DOCKER_HOST names a socket that does not exist."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """A copy of the locks that may be damaged."""
    shutil.copytree(LOCKS.parent, tmp_path / "images")
    return tmp_path / "images" / LOCKS.name


def shown(found: Diagnosis) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200).print(Group(*_parts(found)))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def test_every_pin_is_shown_with_its_version_and_whether_it_is_there(store: Store, locks: Path, tmp_path: Path) -> None:
    present = tmp_path / "ninja.whl"
    present.write_bytes(b"a wheel")
    sha256 = store.add_file(present)
    lock = locks / "ninja.lock"
    lock.write_text(f"ninja==9.9 --hash=sha256:{sha256}\n")
    found = examine(store, locks=locks)
    pins = {(pin.name, pin.version): pin.fetched for pin in found.toolchains}
    for version in ("3.24.3", "4.4.5"):
        assert pins["cmake", version] is False
    assert pins["ninja", "9.9"] is True
    assert [toolkit.train for toolkit in found.cuda] == ["12.6", "13.0", "13.2"]
    for toolkit in found.cuda:
        wanted = [(pin.name, pin.version) for pin in read_toolkit_locks(toolkit.train, native_arch(), LOCKS).pins]
        assert [(pin.name, pin.version) for pin in toolkit.parts] == wanted
    assert (found.store.files, found.store.size) == (1, len(b"a wheel"))
    text = shown(found)
    assert "CUDA 12.6: nvcc 12.4.131, ptxas 12.6.85, cudart 12.6.77" in text
    assert "9.9      fetched\n" in text
    assert "no official image" in text


def test_a_damaged_pin_is_told_and_left_alone(store: Store, locks: Path) -> None:
    sha256 = store.add_stream(io.BytesIO(b"a wheel"), "ninja")
    (locks / "ninja.lock").write_text(f"ninja==9.9 --hash=sha256:{sha256}\n")
    assert "9.9      fetched\n" in shown(examine(store, locks=locks))
    truncate(store, sha256)
    found = examine(store, locks=locks)
    assert [pin.name for pin in found.toolchains if pin.damaged] == ["ninja"]
    assert "9.9      damaged: fetched anew when next used\n" in shown(found)
    assert store.blob(sha256) is not None


def test_nothing_is_made_in_the_store(store: Store) -> None:
    examine(store)
    assert not store.root.exists()


def test_an_engine_that_docker_host_names_and_that_is_gone_is_a_problem(store: Store, tmp_path: Path) -> None:
    found = examine(store)
    (problem,) = found.problems
    assert (problem.kind, problem.exit_code) == ("engine", EngineError.exit_code)
    assert f"{tmp_path}/absent.sock" in problem.message
    assert problem.advice in shown(found)


def test_a_machine_without_an_engine_is_not_broken(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setattr("orchestrator.containers.connect.default_sockets", lambda _: (tmp_path / "docker.sock",))
    found = examine(store)
    assert found.problems == ()
    assert found.engine is None
    text = shown(found)
    assert f"No container engine answers at unix://{tmp_path}/docker.sock. Start Docker" in text
    assert text.endswith("Nothing is broken.\n")


def test_a_broken_lock_is_a_problem_and_the_rest_is_still_looked_at(
    store: Store, locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (locks / "cuda-13.0.lock").write_text("nvidia-cuda-nvcc==13.0.88\n")
    found = examine(store, locks=locks)
    problem = found.problems[-1]
    assert problem.exit_code == RecipeError.exit_code
    assert "cuda-13.0.lock: 'nvidia-cuda-nvcc==13.0.88' has no hash." in problem.message
    assert [toolkit.train for toolkit in found.cuda] == ["12.6", "13.2"]
    assert len(found.toolchains) == len(list(locks.glob("cmake-*.lock"))) + len(parse_lock(locks / "ninja.lock"))


def test_a_full_disk_is_a_problem(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST_FREE", 1 << 62)
    problem = examine(store).problems[-1]
    assert problem.message == f"The disk of the store '{store.root}' is nearly full."
    assert problem.exit_code == DiskError.exit_code


@pytest.mark.parametrize("below", ["", "more/folders"])
def test_a_store_where_a_file_lies_is_a_problem(tmp_path: Path, below: str) -> None:
    file = tmp_path / "file"
    assert examine(Store(file / below)).problems[1:] == ()
    file.write_bytes(b"")
    problem = examine(Store(file / below)).problems[-1]
    assert problem.message == f"There can be no store at '{file / below}': '{file}' is not a folder."
    assert problem.exit_code == DiskError.exit_code
    assert "WHEEL_ORCHESTRATOR_STORE" in problem.advice


def test_an_address_that_is_none_is_a_problem(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "http://[::1")
    (problem,) = examine(store).problems
    assert problem.exit_code == EngineError.exit_code
    assert "DOCKER_HOST is 'http://[::1', which is no address of a container engine" in problem.message


def test_all_of_a_problem_stands_beside_the_word(store: Store) -> None:
    problem = Problem(kind="recipe", message="What.\none 1\ntwo 2", advice="word " * 60, exit_code=3)
    found = dataclasses.replace(examine(store), problems=(problem, problem))
    lines = shown(found).splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("BROKEN  What.")]
    assert len(begins) == 2
    first = lines[begins[0] + 1 : begins[1]]
    assert first[:2] == ["        one 1", "        two 2"]
    assert len(first) > 3, "the advice is wrapped"
    assert all(line.startswith("        word") for line in first[2:])


def test_what_is_worth_knowing_is_shown_beside_what_is_broken(store: Store) -> None:
    notice = Notice(kind="clock", message="The clock is wrong.", advice="Ask a time server.")
    found = dataclasses.replace(examine(store), notices=(notice,), problems=())
    lines = shown(found).splitlines()
    begin = lines.index("NOTE    The clock is wrong.")
    assert lines[begin + 1 :] == ["        Ask a time server.", "Nothing is broken."]
    assert "network     not asked: --online asks index, Debian mirror and registries" in lines
    reached = (Reach(kind="index", address="a", said=""), Reach(kind="registry", address="b", said="no such host"))
    lines = shown(dataclasses.replace(found, online=reached)).splitlines()
    place = lines.index("network     index a: answers")
    assert lines[place + 1] == "            registry b: does not answer"


def test_a_secret_is_found_wherever_its_line_is_wrapped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    value = "s3cr3t-of-some-length"
    address = f"https://host/{value}/simple"
    notice = Notice(kind="network", message=f"The package index {address} does not answer.", advice="")
    reached = (Reach(kind="index", address=address, said="no"),)
    found = dataclasses.replace(examine(store), online=reached, notices=(notice,))

    def in_one_line(width: int) -> str:
        stream = io.StringIO()
        Console(file=stream, width=width).print(Group(*_parts(found)))
        return "".join(stream.getvalue().split())

    monkeypatch.setattr(secrets._process, "known", Secrets())
    assert in_one_line(60).count(value) == 2
    monkeypatch.setattr(secrets._process, "known", Secrets.of({"A_TOKEN": value}))
    for width in range(40, 90):
        assert value not in in_one_line(width)
    assert in_one_line(60).count("https://host/[hidden]/simple") == 2


def test_an_engine_is_shown_with_its_limits_and_its_disk(store: Store) -> None:
    engine = EngineFacts(
        name="docker", version="28.2", api="1.50", address="unix:///x", arch="x86_64", gpus=None, cgroups="2",
        limits={"memory": True, "swap": False, "cores": True}, cores=4, memory=8_000_000_000, root="/var/lib/docker",
        free=9_000_000_000, ahead=0.0, left=(),
    )  # fmt: skip
    text = shown(dataclasses.replace(examine(store), engine=engine))
    assert "engine      docker 28.2, API 1.50, for x86_64 at unix:///x\n" in text
    assert "4 cores, 8.0 GB of memory; control groups 2, limits of memory, cores\n" in text
    assert "9.0 GB free on its disk, /var/lib/docker\n" in text


def test_the_command_prints_json_and_ends_with_the_problems_code(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    done = run("doctor", "--json", cwd=folder, env={"WHEEL_ORCHESTRATOR_STORE": str(store.root)})
    printed = json.loads(done.require(EngineError.exit_code).out)
    assert printed.keys() == {field.name for field in dataclasses.fields(Diagnosis)}
    assert printed["store"]["folder"] == str(store.root)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("described", "by"),
    [
        ({"Runtimes": {"runc": {}, "nvidia": {}}}, "the nvidia runtime"),
        (
            {"Runtimes": {"runc": {}}, "DiscoveredDevices": [{"Source": "cdi", "ID": "nvidia.com/gpu=all"}]},
            "CDI devices",
        ),
        ({"Runtimes": {"runc": {}}, "DiscoveredDevices": [{"Source": "cdi", "ID": "vendor.com/nic=0"}]}, None),
        ({"Runtimes": None}, None),
    ],
)
def test_gpus_are_told_by_runtime_or_device(described: dict[str, object], by: str | None) -> None:
    assert gpu_support(described) == by
