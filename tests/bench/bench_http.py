"""What a move costs over HTTP, beside a bare Flask view that does the least it must.

    python -m tests.bench.bench_http [--rounds N] [--games N]

Both are served by the same gunicorn from the same embedded Valkey, append-only file
on. Moves that enqueue nothing: a creator who holds both seats draws and discards,
request after request, each with If-Match, in several games at once. Moves that
enqueue a computer's turn (the discards of a player against the computer) are
reported apart; no worker runs, so that only the request is measured. Rounds
alternate, rates are wall clock, and the processor time of the server stands beside
them, which the client on the same two cores does not blur.
"""

import argparse
import hashlib
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from tests.support.servers import free_port, valkey_server

CONNECTIONS = 4
MOVES_A_GAME = 48
TARGET = 0.5


@dataclass
class Connection:
    """One connection kept open; speaks just enough HTTP not to be the bottleneck."""

    port: int
    token: str = ""
    _socket: socket.socket = field(init=False)
    _rest: bytes = b""

    def __post_init__(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def request(self, method: str, path: str, body: object = None, *headers: str) -> tuple[int, bytes]:
        payload = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(payload)}", *headers]
        if body is not None:
            lines.append("Content-Type: application/json")
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        self._socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + payload)
        return self._answer()

    def _answer(self) -> tuple[int, bytes]:
        read = self._rest
        while b"\r\n\r\n" not in read:
            read += self._receive()
        head, _, body = read.partition(b"\r\n\r\n")
        lengths = (line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        length = int(next(lengths, 0))
        while len(body) < length:
            body += self._receive()
        self._rest = body[length:]
        return int(head[9:12]), body[:length]

    def _receive(self) -> bytes:
        received = self._socket.recv(65536)
        if not received:
            raise ConnectionError("The server hung up.")
        return received


@contextmanager
def _served(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
    try:
        port = int(environment["PORT"])
        ends = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > ends or process.poll() is not None:
                    raise
                time.sleep(0.1)
        time.sleep(1)
        yield process
    finally:
        process.terminate()
        process.wait()


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process and its children, from /proc."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if stat.parent.name == str(pid) or fields[1] == str(pid):
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


@dataclass
class Rate:
    """What one round measured."""

    a_second: float
    processor_us: float


def _measure(pid: int, games: list[object], play: object) -> Rate:
    before = _processor_seconds(pid)
    begun = time.perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        requests = sum(pool.map(play, games))  # type: ignore[arg-type]
    seconds = time.perf_counter() - begun
    return Rate(requests / seconds, (_processor_seconds(pid) - before) / requests * 1e6)


def _newcomer(port: int) -> Connection:
    connection = Connection(port)
    status, body = connection.request("POST", "/v1/players", {"name": "Bench", "kind": "bot"})
    assert status == 201, body
    connection.token = json.loads(body)["token"]
    return connection


def _open_game(connection: Connection, **members: object) -> dict[str, object]:
    status, body = connection.request(
        "POST", "/v1/games", {"variant": {"preset": "classic"}, "seats": 2, "sandbox": True, **members}
    )
    assert status == 201, body
    return json.loads(body)


def _draw_and_discard(connection: Connection, game: dict[str, object]) -> int:
    """Play a game by drawing and discarding; answer how many requests were made."""
    path = f"/v1/games/{game['id']}"
    version = int(str(game["version"]))
    seat = game["turn"]["seat"]  # type: ignore[index]
    hand: list[str] = []
    for move in range(MOVES_A_GAME):
        drawing = move % 2 == 0
        status, body = connection.request(
            "POST",
            f"{path}/draw-stock?as_seat={seat}" if drawing else f"{path}/discard?as_seat={seat}",
            {} if drawing else {"card": hand[0]},
            f'If-Match: "{version}"',
        )
        assert status == 201, body
        answer = json.loads(body)
        version, hand = answer["version"], answer["game"]["you"]["hand"]
        if not drawing:
            seat = answer["game"]["turn"]["seat"]
    return MOVES_A_GAME


def _bare_moves(connection: Connection, name: str) -> int:
    for move in range(MOVES_A_GAME):
        status, body = connection.request(
            "POST", f"/bare/{name}", {} if move % 2 == 0 else {"card": "7H"}, 'If-Match: "7"'
        )
        assert status == 201, body
        json.loads(body)
    return MOVES_A_GAME


def _discard_to_the_computer(connection: Connection, game: dict[str, object]) -> int:
    status, body = connection.request("POST", f"/v1/games/{game['id']}/discard", {"card": "2C"})
    assert status == 201, body
    return 1


#: The creator has drawn; his discard makes it the computer's turn.
BEFORE_THE_COMPUTER = {
    "hands": [["2C", "9D", "KH"], ["4S", "8D", "JC"]],
    "discard_pile": ["5H"],
    "turn": {"seat": 0, "phase": "meld"},
}


def _shown(name: str, rates: list[Rate]) -> str:
    seconds = [rate.a_second for rate in rates]
    processor = statistics.median(rate.processor_us for rate in rates)
    spread = f"({min(seconds):.0f}-{max(seconds):.0f})"
    return f"{name:44} {statistics.median(seconds):7.0f}/s {spread:14} {processor:7.0f} us"


def main() -> int:
    """Measure and print; 1 where a move costs more than twice the bare view."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=24)
    asked = parser.parse_args()
    with valkey_server() as valkey:
        port, bare_port = free_port(), free_port()
        ours_here = {"REDIS_URL": valkey.url, "PORT": str(port), "BIND": "127.0.0.1"}
        with _served([sys.executable, "-m", "workers.cli", "api", "--quiet"], ours_here) as ours:
            connection = _newcomer(port)
            game = _open_game(connection, seats_held="creator")
            _draw_and_discard(connection, game)
            store = redis.Redis.from_url(valkey.url, protocol=2)
            _, answer = connection.request("GET", f"/v1/games/{game['id']}?as_seat=0")
            blob = _largest_blob(store)
            bare_here = {
                **ours_here,
                "PORT": str(bare_port),
                "BLOB_BYTES": str(blob),
                "ANSWER_BYTES": str(len(answer)),
            }
            token = secrets.token_urlsafe(32)
            store.set(f"bare:token:{hashlib.sha256(token.encode()).hexdigest()}", "x" * 200)
            with _served([sys.executable, "-m", "tests.bench.bare_view"], bare_here) as bare:
                return _compare(
                    asked, (ours, connection, port), (bare, token, bare_port), store, blob, len(answer)
                )


def _largest_blob(store: redis.Redis) -> int:
    return max(
        int(store.memory_usage(key) or 0) and len(value)
        for key in store.scan_iter(match="*game*")
        if store.type(key) == b"hash"
        for value in store.hvals(key)
    )


def _compare(asked, ours_at, bare_at, store, blob: int, answer: int) -> int:
    ours, first, port = ours_at
    our_token = first.token
    bare, token, bare_port = bare_at
    our_rates: list[Rate] = []
    bare_rates: list[Rate] = []
    computer_rates: list[Rate] = []
    for _ in range(asked.rounds):
        first = Connection(port, our_token)
        games = [
            _open_game(first, seats_held="creator", seed=secrets.token_hex(8)) for _ in range(asked.games)
        ]
        our_rates.append(
            _measure(ours.pid, games, lambda game: _draw_and_discard(Connection(port, our_token), game))
        )
        names = [secrets.token_hex(8) for _ in range(asked.games)]
        for name in names:
            store.hset(f"bare:{name}", mapping={"version": 1, "state": "x" * blob})
        bare_rates.append(
            _measure(bare.pid, names, lambda name: _bare_moves(Connection(bare_port, token), name))
        )
        first = Connection(port, our_token)
        against = [
            _open_game(first, opponents=[{"level": "steady"}], position=BEFORE_THE_COMPUTER)
            for _ in range(asked.games * 8)
        ]
        shared = [Connection(port, our_token) for _ in range(CONNECTIONS)]
        pairs = [(shared[place % CONNECTIONS], game) for place, game in enumerate(against)]
        lanes = [
            [pair for place, pair in enumerate(pairs) if place % CONNECTIONS == lane]
            for lane in range(CONNECTIONS)
        ]
        computer_rates.append(
            _measure(ours.pid, lanes, lambda lane: sum(_discard_to_the_computer(*pair) for pair in lane))
        )
    ratio = statistics.median(
        mine.a_second / theirs.a_second for mine, theirs in zip(our_rates, bare_rates, strict=True)
    )
    print(f"stored state {blob} bytes, answer {answer} bytes, {CONNECTIONS} connections;")
    print("requests a second, then processor time of the server a request")
    print(_shown("a move that enqueues nothing", our_rates))
    print(_shown("a bare view: token, read, compare-and-set", bare_rates))
    print(_shown("a move that enqueues a computer's turn", computer_rates))
    verdict = "met" if ratio >= TARGET else "MISSED"
    print(f"a move goes at {ratio:.2f} of the bare view's rate; the target of {TARGET} is {verdict}")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    raise SystemExit(main())
