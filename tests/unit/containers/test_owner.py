"""The owner label: what it names and whether that process still lives."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from orchestrator.containers.owner import Owner, start_time


def test_label_survives_the_round_trip() -> None:
    owner = Owner.current()
    assert Owner.parse(str(owner)) == owner
    assert owner.pid == os.getpid()


@pytest.mark.parametrize("label", ["", "host", "h|b|1", "h|b|x|1", "h|b|1|", "h|b|1|2|3", "h|b|-1|2"])
def test_a_foreign_label_names_nobody(label: str) -> None:
    assert Owner.parse(label) is None


def test_this_process_lives() -> None:
    assert not Owner.current().is_dead()


def test_a_reused_process_id_is_another_process() -> None:
    owner = Owner.current()
    assert replace(owner, start=owner.start + 1).is_dead()


def test_before_the_boot_nobody_lives() -> None:
    assert replace(Owner.current(), boot="another").is_dead()


def test_of_another_host_nothing_is_known() -> None:
    assert not replace(Owner.current(), host="elsewhere", boot="another", start=1).is_dead()


def test_a_child_dies_even_before_anybody_waits_for_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print('up', flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        owner = Owner.of_process(child.pid)
        assert not owner.is_dead()
        child.kill()
        # A zombie still: it closes its output when it is dead, and is reaped only below.
        child.stdout.read()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert owner.is_dead()
    assert start_time(child.pid) is None
    with pytest.raises(ProcessLookupError, match="no process"):
        Owner.of_process(child.pid)
