"""A way to the server that breaks when the test wants it to."""

import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress

_CHUNK = 1 << 20


def _nothing() -> None:
    pass


class Proxy:
    """Passes everything on, but for what the test has ordered for the next requests.

    `lose_reply` lets the server do what it was asked, and breaks before the answer.
    `lose_request` breaks before the server hears of it. `hold_request` too, but keeps
    the request: `deliver` brings it to the server after all. `meanwhile` is called
    before the client learns that the connection broke.
    """

    def __init__(self, port: int) -> None:
        self._server = ("127.0.0.1", port)
        self._orders: list[tuple[str, Callable[[], object]]] = []
        self._held: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def lose_reply(self, *, times: int = 1, meanwhile: Callable[[], object] = _nothing) -> None:
        self._orders += [("lose reply", meanwhile)] * times

    def lose_request(self, *, times: int = 1, meanwhile: Callable[[], object] = _nothing) -> None:
        self._orders += [("lose request", meanwhile)] * times

    def hold_request(self) -> None:
        self._orders.append(("hold", _nothing))

    def deliver(self) -> None:
        """Bring the held requests to the server, and wait for its answers."""
        for request in self._held:
            with socket.create_connection(self._server) as server:
                server.sendall(request)
                assert server.recv(_CHUNK)
        self._held.clear()

    def close(self) -> None:
        # Closing alone does not end an accept() that waits.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._server) as server:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    chunk = ready.recv(_CHUNK)
                    if not chunk:
                        return
                    if ready is server:
                        client.sendall(chunk)
                    elif not self._pass_on(chunk, server):
                        return

    def _pass_on(self, request: bytes, server: socket.socket) -> bool:
        """Treat one request as ordered; tell whether the connection lives on."""
        order, meanwhile = self._orders.pop(0) if self._orders else ("pass", _nothing)
        if order == "hold":
            self._held.append(request)
        elif order != "lose request":
            server.sendall(request)
        if order == "lose reply":
            server.recv(_CHUNK)
        meanwhile()
        return order == "pass"
