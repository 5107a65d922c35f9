"""A line to the engine that can be cut."""

import socket
import threading
from pathlib import Path


class Line:
    """A socket that hands everything on to the engine until it is cut, and keeps what was asked."""

    def __init__(self, path: Path, engine: str) -> None:
        self._engine = engine
        self._open: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen()
        self.address = f"unix://{path}"
        self.asked: list[str] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._engine)
            self._open += [near, far]
            for source, target, asking in ((near, far, True), (far, near, False)):
                thread = threading.Thread(target=self._copy, args=(source, target, asking), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _copy(self, source: socket.socket, target: socket.socket, asking: bool) -> None:
        try:
            while data := source.recv(65536):
                if asking and data.startswith((b"GET ", b"POST ", b"PUT ", b"DELETE ")):
                    self.asked.append(data.partition(b" HTTP/")[0].decode())
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def cut(self) -> None:
        """As if the engine had stopped: nothing answers any more, connections are closed."""
        for end in [self._listening, *self._open]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
            finally:
                end.close()
        for thread in self._threads:
            thread.join()
