"""The timer for systemd and the line for cron; a small program stands in for systemctl."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.errors import DiskError, UsageError
from orchestrator.ground.sessions import ROOT
from orchestrator.nightly.timer import NAME, Timer, cron_line, install, timer, unit_files, units_folder

ODD = timer(
    ["--recipe", "minirt", "--only", 'minirt/*/"x" $HOME 5%'],
    Path("/srv/my wheels/5%"),
    {"PIP_PROXY": "http://me:50%@proxy", "WHEEL_ORCHESTRATOR_STORE": "", "HOME": "/root"},
)


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Writes down how it is called; fails where a file `refuse` lies beside it."""
    tools = tmp_path / "tools"
    tools.mkdir()
    program = tools / "systemctl"
    program.write_text(
        f'#!/bin/sh\necho "$@" >>{tools}/called\n[ ! -e {tools}/refuse ] || {{ echo no such bus; exit 1; }}\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return tools


def installed(tmp_path: Path, wanted: Timer = ODD, *, user: bool = False) -> tuple[str, ...]:
    return install(wanted, units=tmp_path / "units", user=user, booted=tmp_path)


def test_it_is_written_enabled_and_told(systemctl: Path, tmp_path: Path) -> None:
    said = installed(tmp_path)
    units = tmp_path / "units"
    assert said[:2] == (f"written: {units / NAME}.service", f"written: {units / NAME}.timer")
    assert said[2] == f"enabled: {NAME}.timer, every night at 02:00; reports in /srv/my wheels/5%/reports"
    assert (systemctl / "called").read_text().splitlines() == ["daemon-reload", f"enable --now {NAME}.timer"]
    assert {path.name: path.stat().st_mode & 0o777 for path in units.iterdir()} == {
        f"{NAME}.service": 0o600, f"{NAME}.timer": 0o600,
    }  # fmt: skip


def test_again_nothing_is_written_and_a_change_is(systemctl: Path, tmp_path: Path) -> None:
    installed(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()}
    assert [line.partition(":")[0] for line in installed(tmp_path)[:2]] == ["unchanged", "unchanged"]
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()} == before
    other = timer([], Path("/srv"), {})
    assert [line.partition(":")[0] for line in installed(tmp_path, other)[:2]] == ["written", "unchanged"]


def test_for_a_user_it_says_so_everywhere(systemctl: Path, tmp_path: Path) -> None:
    said = installed(tmp_path, user=True)
    assert all(line.startswith("--user ") for line in (systemctl / "called").read_text().splitlines())
    assert f"no more: systemctl --user disable --now {NAME}.timer" in said
    assert said[-1].endswith("loginctl enable-linger")


@pytest.mark.parametrize("first", [True, False])
def test_if_systemd_refuses_the_files_are_what_they_were(systemctl: Path, tmp_path: Path, first: bool) -> None:
    if not first:
        installed(tmp_path, timer(["--jobs", "1"], Path("/srv"), {}))
    before = {path.name: path.read_bytes() for path in (tmp_path / "units").glob("*")}
    (systemctl / "refuse").touch()
    with pytest.raises(UsageError, match="systemd refuses the timer; nothing was changed") as caught:
        installed(tmp_path)
    assert "no such bus" in caught.value.detail
    assert {path.name: path.read_bytes() for path in (tmp_path / "units").glob("*")} == before


def test_a_folder_that_cannot_be_written_is_named(systemctl: Path, tmp_path: Path) -> None:
    (tmp_path / "units").write_text("a file")
    with pytest.raises(DiskError, match=f"units/{NAME}.service' cannot be written"):
        installed(tmp_path)


def test_without_systemd_the_line_for_cron_is_given(systemctl: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="systemd does not run here") as caught:
        install(ODD, units=tmp_path / "units", user=False, booted=tmp_path / "none")
    assert cron_line(ODD) in caught.value.advice
    assert not (tmp_path / "units").exists()
    assert not (systemctl / "called").exists()


def test_words_of_the_units_are_quoted() -> None:
    service = unit_files(ODD)[f"{NAME}.service"]
    assert f'ExecStart="{ROOT}/bootstrap" "nightly" "--" "--recipe" "minirt" "--only" ' in service
    assert '"minirt/*/\\"x\\" $$HOME 5%%"\n' in service
    assert "WorkingDirectory=/srv/my wheels/5%%\n" in service
    assert 'Environment="PIP_PROXY=http://me:50%%@proxy"\n' in service
    assert "WHEEL_ORCHESTRATOR_STORE" not in service
    assert "@" not in service.replace("@proxy", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    wanted = timer(ODD.words, tmp_path, {"PIP_PROXY": "http://me:50%@proxy"})
    for name, text in unit_files(wanted).items():
        (tmp_path / name).write_text(text)
    command = ["systemd-analyze", "verify", str(tmp_path / f"{NAME}.timer")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    service = tmp_path / f"{NAME}.service"
    service.write_text(service.read_text().replace("KillMode=mixed", "KillMode=never"))
    assert "never" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_cron_runs_what_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "5% odd"
    folder.mkdir()
    line = cron_line(timer(["--only", "a b%"], folder, {"PIP_PROXY": "50% $x"}))
    times, command = line.split(" cd ", 1)
    assert times == "0 2 * * *"
    shown = command.replace(r"\%", "%").replace(f"{ROOT}/bootstrap", "sh -c 'echo \"$PWD|$CI|$PIP_PROXY|$*\"' -")
    done = subprocess.run(["/bin/sh", "-c", f"cd {shown}"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{folder}|1|50% $x|nightly -- --only a b%\n"
    assert "%" not in command.replace(r"\%", "")


def test_where_units_lie() -> None:
    assert units_folder(user=False, environ={}) == Path("/etc/systemd/system")
    assert units_folder(user=True, environ={"XDG_CONFIG_HOME": "/c"}) == Path("/c/systemd/user")
