"""A wire to a server that can be cut while it is used."""

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Wire:
    """Forwards connections on loopback to a server until it is cut; after that new ones are forwarded again.

    Args:
        url: Of the server.
    """

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._server = (str(address.hostname), int(address.port or 0))
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """End every connection, and return how many ends there were."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        return len(ends)

    def close(self) -> None:
        """End everything."""
        self._listening.shutdown(socket.SHUT_RDWR)  # which ends the wait for the next one; closing does not
        self.cut()

    def _accept(self) -> None:
        with self._listening, suppress(OSError):  # it is closed
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._server)
                self._ends += (near, far)
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=_forward, args=(one, other), daemon=True).start()


def _forward(one: socket.socket, other: socket.socket) -> None:
    with one:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        with suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
