"""The interactive shell, on a real pseudo-terminal."""

import os
import pty
import select
import subprocess
import sys
import textwrap
import time

import pytest

from orchestrator.containers.engine import Engine
from orchestrator.containers.owner import LABEL_RUN
from orchestrator.errors import EngineError

pytestmark = pytest.mark.container

_CHILD = textwrap.dedent("""
    import sys
    from orchestrator.containers.engine import Engine
    from orchestrator.tarstream import tar_of

    with Engine.connect(sys.argv[1]) as engine:
        work = engine.volume("work", row="row")
        engine.put(work, tar_of({"evidence": b"what was found"}))
        status = engine.shell(image=sys.argv[2], work=work)
    print("status", status)
""")


class Terminal:
    """A child process on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self._screen, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, *arguments], stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def expect(self, text: str, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen!r}"
            if select.select([self._screen], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self._screen, 4096).decode(errors="replace")
                except OSError:
                    assert text in self.seen, self.seen

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def close(self) -> None:
        os.close(self._screen)
        self.process.kill()
        self.process.wait()


def test_a_shell_sees_the_work_volume_and_hands_on_its_status(engine: Engine, runtime_image: str) -> None:
    terminal = Terminal("test-shell", runtime_image)
    try:
        terminal.expect("$ ")
        terminal.type("cat evidence; tty; id -u; echo wid''th $(stty size)\n")
        terminal.expect("what was found")
        terminal.expect("/dev/pts/0")
        terminal.expect("1000")
        terminal.expect("width ")
        # Ctrl-C belongs to the shell inside, not to us.
        terminal.type("sleep 300\n")
        time.sleep(0.5)
        terminal.type("\x03")
        terminal.type("exit 7\n")
        terminal.expect("status 7")
        assert terminal.process.wait(10) == 0
    finally:
        terminal.close()
    assert not engine._session.api.containers(all=True, filters={"label": f"{LABEL_RUN}=test-shell"})


def test_a_shell_ends_with_its_terminal(engine: Engine, runtime_image: str) -> None:
    terminal = Terminal("test-shell-gone", runtime_image)
    try:
        terminal.expect("$ ")
    finally:
        os.close(terminal._screen)
        terminal.process.wait(20)
    with Engine.connect():
        pass
    assert not engine._session.api.containers(all=True, filters={"label": f"{LABEL_RUN}=test-shell-gone"})


def test_without_a_terminal_there_is_no_shell(engine: Engine, runtime_image: str) -> None:
    with pytest.raises(EngineError, match="needs a terminal"):
        engine.shell(image=runtime_image, work=engine.volume("work", row="row"))
