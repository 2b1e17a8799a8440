"""A server of the host's that commands try to reach."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Greeter:
    """A server of the host's that greets whoever connects, and says whom it heard."""

    def __init__(self, server: socket.socket) -> None:
        self.server = server
        self.heard: list[bytes] = []
        server.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self.server.accept()
            except OSError:
                return
            with taken:
                taken.sendall(b"hello")
                self.heard.append(taken.recv(9))

    def stop(self) -> None:
        with suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def close(self) -> None:
        self.stop()
        self.server.close()
