from pathlib import Path

import pytest

from orchestrator.ground import emulation
from orchestrator.ground.emulation import BINFMT, ensure_emulation, interpreters

AARCH64 = "7f454c460201010000000000000000000200b700"
"""The first bytes of a 64-bit little-endian ELF file for AArch64 (ELF header, e_ident to e_machine)."""


def entry(*, state: str = "enabled", flags: str = "POF", magic: str = AARCH64, offset: int = 0) -> str:
    return f"{state}\ninterpreter /usr/libexec/qemu-aarch64\nflags: {flags}\noffset {offset}\nmagic {magic}\nmask ff\n"


def test_interpreters_are_known_by_the_bytes_that_they_are_registered_for(tmp_path: Path) -> None:
    (tmp_path / "register").write_text("")
    (tmp_path / "status").write_text("enabled\n")
    (tmp_path / "whatever").write_text(entry())
    (tmp_path / "python3.11").write_text(
        "enabled\ninterpreter /usr/bin/python3.11\nflags: \noffset 0\nmagic a70d0d0a\n"
    )
    assert interpreters(tmp_path) == {"aarch64": "/usr/libexec/qemu-aarch64"}


@pytest.mark.parametrize(
    "text",
    [
        entry(state="disabled"),
        entry(flags="PO"),
        entry(magic=AARCH64.replace("b700", "f300")),
        entry(magic=AARCH64[:20]),
        entry(magic="not hexadecimal"),
        entry(offset=4),
        "",
    ],
)
def test_what_containers_could_not_use_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "qemu-aarch64").write_text(text)
    assert interpreters(tmp_path) == {}
    (tmp_path / "qemu-aarch64").write_text(entry())
    assert interpreters(tmp_path) != {}


def test_a_kernel_that_lists_nothing_emulates_nothing(tmp_path: Path) -> None:
    assert interpreters(tmp_path / "absent") == {}


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who may install nothing."""
    monkeypatch.setattr(emulation, "can_install", lambda: False)


@pytest.mark.usefixtures("stranger")
def test_who_may_not_register_is_told_what_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ensure_emulation(["aarch64"], {}, tmp_path)
    said = capsys.readouterr().err
    assert "Programs for aarch64 do not run here." in said
    assert "sudo apt-get install qemu-user-static" in said
    assert f"'cat /usr/lib/binfmt.d/qemu-aarch64.conf >{BINFMT}/register'" in said
    assert "--engine aarch64=ssh://USER@HOST" in said


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Root where the package is installed; the folder that stands for the kernel's, with nothing registered."""
    (tmp_path / "qemu-aarch64.conf").write_text("a line\n")
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "register").touch()
    monkeypatch.setattr(emulation, "can_install", lambda: True)
    monkeypatch.setattr(emulation, "_LINES", tmp_path)
    monkeypatch.setattr(emulation, "_START_LOCK", tmp_path / "lock")
    return tmp_path / "kernel"


def test_root_registers_the_packages_own_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ensure_emulation(["aarch64"], {}, root)
    assert (root / "register").read_text() == "a line\n"
    # No kernel is here to take it.
    assert "which does not let containers use the interpreter" in capsys.readouterr().err


def test_what_somebody_else_registered_is_left_alone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "qemu-aarch64").write_text(entry(flags="PO"))
    ensure_emulation(["aarch64"], {}, root)
    assert (root / "register").read_text() == ""
    said = capsys.readouterr().err
    assert "qemu-aarch64 is there already, switched off or without flag F" in said
    assert f"'echo -1 >{root / 'qemu-aarch64'}'" in said


@pytest.mark.usefixtures("stranger")
def test_nothing_is_said_where_it_runs_or_another_machine_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ensure_emulation([], {}, tmp_path)
    ensure_emulation(["aarch64"], {"DOCKER_HOST": "ssh://me@board"}, tmp_path)
    (tmp_path / "qemu-aarch64").write_text(entry())
    ensure_emulation(["aarch64"], {}, tmp_path)
    assert capsys.readouterr().err == ""
    ensure_emulation(["aarch64"], {"DOCKER_HOST": "unix:///run/docker.sock"}, tmp_path / "absent")
    assert "do not run here" in capsys.readouterr().err
