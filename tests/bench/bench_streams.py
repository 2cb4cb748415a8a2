"""Five hundred streams on one process while a hundred moves a second are made.

    python -m tests.bench.bench_streams [--streams N] [--rate N] [--seconds N]

One gunicorn process of 600 threads, an embedded Valkey with its append-only file on; every stream is a
TCP connection of its own. Moves are made in an open loop: each has its moment, whether the one before was
answered or not, and its time counts from that moment. Delivery counts from there as well, until the frame
was read by a process of its own. Then come readers who read nothing, and more streams than there are places.
"""

import argparse
import json
import multiprocessing
import selectors
import socket
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.bench_http import Connection, _newcomer, _open_game, _processor_seconds, _served
from tests.support.servers import free_port, valkey_server

THREADS = 600
KEPT_FOR_PLAY = 16
STREAMS_A_GAME = 4
LANES = 16
FLOOD = 600


def _open_stream(port: int, token: str, path: str, *, slow: bool = False) -> socket.socket:
    """Ask for a stream and return its connection; whoever is slow leaves the system little room for him."""
    connection = socket.socket()
    if slow:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    connection.connect(("127.0.0.1", port))
    head = f"GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n"
    connection.sendall(head.encode())
    return connection


@dataclass
class Reading:
    """What came over one stream: its events by when they were read, and whether it ended."""

    game: str
    at: dict[str, float] = field(default_factory=dict)
    closing: str | None = None
    lost: bool = False
    status: int = 0
    _rest: bytes = b""

    def take(self, chunk: bytes) -> None:
        """Take what was read, note what it tells, and when."""
        now = time.monotonic()
        if not chunk:
            self.lost = True
            return
        read = self._rest + chunk
        if not self.status and b"\r\n\r\n" in read:
            self.status = int(read[9:12])
        lines = read.split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line.startswith(b"id: "):
                self.at.setdefault(line[4:].decode(), now)
            elif line.startswith(b"data: ") and b'"stream.closing"' in line:
                self.closing = json.loads(line[6:])["reason"]


def _read_all(pipe, port: int, asked: list[tuple[str, str, str]]) -> None:
    """Open streams (token, game, path), say so when each has begun, and read until told to stop."""
    readings, selector = [], selectors.DefaultSelector()
    for token, game, path in asked:
        connection = _open_stream(port, token, path)
        readings.append(Reading(game))
        selector.register(connection, selectors.EVENT_READ, readings[-1])
    selector.register(pipe, selectors.EVENT_READ, None)
    told = False
    while True:
        for key, _ in selector.select():
            if key.data is None:
                pipe.recv()
                pipe.send(readings)
                return
            key.data.take(key.fileobj.recv(65536))
            if key.data.lost:
                selector.unregister(key.fileobj)
        if not told and all(reading.at or reading.lost for reading in readings):
            pipe.send("open")
            told = True


class Readers:
    """Streams that are read in a process of their own."""

    def __init__(self, port: int, asked: list[tuple[str, str, str]]) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=_read_all, args=(theirs, port, asked), daemon=True
        )
        self._process.start()
        assert self._pipe.recv() == "open"

    def stop(self) -> list[Reading]:
        """End reading and return what was read."""
        self._pipe.send("stop")
        readings = self._pipe.recv()
        self._process.join()
        return readings


@dataclass
class Game:
    """A game that is played by drawing and throwing the card again."""

    token: str
    id: str
    version: int
    seat: int
    hand: list[str] = field(default_factory=list)

    def move(self, connection: Connection) -> None:
        """Make the next move."""
        connection.token = self.token
        drawing = not self.hand
        path = f"/v1/games/{self.id}"
        status, body = connection.request(
            "POST",
            f"{path}/draw-stock?as_seat={self.seat}" if drawing else f"{path}/discard?as_seat={self.seat}",
            {} if drawing else {"card": self.hand[0]},
            f'If-Match: "{self.version}"',
        )
        assert status == 201, body
        answer = json.loads(body)
        self.version = answer["version"]
        self.hand = answer["game"]["you"]["hand"] if drawing else []
        if not drawing:
            self.seat = answer["game"]["turn"]["seat"]


@dataclass
class Made:
    """When a move was due and when it was answered."""

    game: str
    version: int
    due: float
    answered: float


def _play(port: int, games: list[Game], rate: float, seconds: float) -> list[Made]:
    """Make moves at a fixed rate, game after game, each at its moment."""
    made: list[Made] = []
    begins = time.monotonic() + 0.5
    count = int(rate * seconds)
    spare = [Connection(port) for _ in range(LANES)]
    lock = threading.Lock()

    def move(number: int) -> None:
        due = begins + number / rate
        time.sleep(max(0.0, due - time.monotonic()))
        with lock:
            connection = spare.pop()
        game = games[number % len(games)]
        game.move(connection)
        made.append(Made(game.id, game.version, due, time.monotonic()))
        with lock:
            spare.append(connection)

    with ThreadPoolExecutor(LANES) as lanes:
        list(lanes.map(move, range(count)))
    return made


def _percentiles(times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=1000)
    return (
        f"p50 {cuts[499] * 1000:6.1f} ms   p99 {cuts[989] * 1000:6.1f} ms   worst {max(times) * 1000:6.1f} ms"
    )


def _rss_mb(pid: int) -> float:
    """Return the memory of the process that serves, a child of gunicorn's."""
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (line,) = (
        line for line in Path(f"/proc/{child}/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) / 1024


def _load(port: int, pid: int, asked: argparse.Namespace) -> bool:
    games, streams = [], []
    for number in range(max(1, asked.streams // STREAMS_A_GAME)):
        newcomer = _newcomer(port)
        told = _open_game(newcomer, seats_held="creator", seed=f"streams {number}")
        games.append(Game(newcomer.token, told["id"], told["version"], told["turn"]["seat"]))
        path = f"/v1/games/{told['id']}/stream?as_seat="
        streams += [(newcomer.token, told["id"], f"{path}{seat % 2}") for seat in range(STREAMS_A_GAME)]
    alone = _play(port, games, asked.rate, asked.seconds / 2)
    without = _rss_mb(pid)
    readers = Readers(port, streams[: asked.streams])
    busy = _processor_seconds(pid)
    made = _play(port, games, asked.rate, asked.seconds)
    busy = (_processor_seconds(pid) - busy) / asked.seconds
    rss = _rss_mb(pid)
    time.sleep(1)
    readings = readers.stop()

    due = {(move.game, move.version): move.due for move in made}
    late = [
        at - due[reading.game, int(name.split("-")[0])]
        for reading in readings
        for name, at in reading.at.items()
        if (reading.game, int(name.split("-")[0])) in due
    ]
    expected = sum(len({version for game, version in due if game == reading.game}) for reading in readings)
    got = sum(
        len({name.split("-")[0] for name in reading.at if (reading.game, int(name.split("-")[0])) in due})
        for reading in readings
    )
    lost = sum(reading.lost or reading.closing is not None for reading in readings)
    print(f"{len(readings)} streams on one process, {len(made)} moves at {asked.rate:.0f} a second")
    print(f"  streams lost          {lost}")
    print(f"  moves told            {got} of {expected}, {len(late)} frames")
    print(f"  delivery              {_percentiles(late)}")
    print(f"  a move                {_percentiles([move.answered - move.due for move in made])}")
    print(f"  a move, no streams    {_percentiles([move.answered - move.due for move in alone])}")
    print(f"  memory                {rss:.0f} MB, {without:.0f} MB without the streams")
    print(f"  processor             {busy * 100:.0f} % of one core")
    return lost == 0 and got == expected


def _slow_readers(port: int) -> bool:
    """Let five read nothing while a table is joined and left again and again."""
    host, guest = _newcomer(port), _newcomer(port)
    status, body = host.request("POST", "/v1/games", {"seats": 2, "visibility": "public"})
    assert status == 201, body
    path = f"/v1/games/{json.loads(body)['id']}"
    slow = [_open_stream(port, guest.token, f"{path}/stream?after=0-0", slow=True) for _ in range(5)]
    quick = Readers(port, [(host.token, path, f"{path}/stream?after=0-0")] * 5)
    times = []
    for _ in range(FLOOD):
        for method, where in (("POST", "seats"), ("DELETE", "seats/me")):
            begun = time.monotonic()
            status, body = guest.request(method, f"{path}/{where}")
            assert status in {201, 204}, body
            times.append(time.monotonic() - begun)
    time.sleep(1)
    told = [len(reading.at) for reading in quick.stop()]
    ends = [_read_late(connection, path) for connection in slow]
    _, body = host.request("GET", f"{path}/events?limit=100&after={ends[0][1]}")
    after = json.loads(body)["events"]
    went_on = after[0]["id"] if after else None
    print(f"5 readers who read nothing beside 5 who do, {2 * FLOOD} changes")
    print(f"  told to the quick     {min(told)} to {max(told)} events of {2 * FLOOD + 1}")
    print(f"  a change              {_percentiles(times)}")
    print(f"  the slow were told    {min(count for count, _, _ in ends)} events or more, then {ends[0][2]}")
    print(f"  and can go on         behind {ends[0][1]} with {went_on}")
    return told == [2 * FLOOD + 1] * 5 and {reason for *_, reason in ends} == {"slow_consumer"}


def _read_late(connection: socket.socket, game: str) -> tuple[int, str, str | None]:
    """Read at last what a slow reader was sent: how many events, the last one's id, and how it ended."""
    reading = Reading(game)
    connection.settimeout(20)
    while reading.closing is None and not reading.lost:
        reading.take(connection.recv(65536))
    connection.close()
    return len(reading.at), list(reading.at)[-1], reading.closing


def _over_the_budget(port: int) -> bool:
    """Open streams until there is no place left, and then ask otherwise."""
    time.sleep(3)  # Those who read before have gone by now.
    opened, refused, path = [], b"", ""
    while not refused and len(opened) < THREADS:
        newcomer = _newcomer(port)
        game = _open_game(newcomer, seats_held="creator")
        path = f"/v1/games/{game['id']}"
        for _ in range(16):
            connection = _open_stream(port, newcomer.token, f"{path}/stream")
            head = connection.recv(4096)
            if not head.startswith(b"HTTP/1.1 200"):
                while b"}" not in head:
                    head += connection.recv(4096)
                refused = head
                connection.close()
                break
            opened.append(connection)
    begun = time.monotonic()
    status, _ = newcomer.request("GET", path)
    took = time.monotonic() - begun
    code = refused.partition(b'"code":"')[2].partition(b'"')[0].decode()
    retry = refused.lower().partition(b"retry-after: ")[2].partition(b"\r")[0].decode()
    print(
        f"over the budget: {len(opened)} streams open, {refused[9:12].decode()} {code}, Retry-After {retry}"
    )
    print(f"  a poll meanwhile      {status} in {took * 1000:.1f} ms")
    for connection in opened:
        connection.close()
    return len(opened) == THREADS - KEPT_FOR_PLAY and code == "stream_capacity" and status == 200


def main() -> int:
    """Measure and print; 1 where a stream was lost, an event was missing, or nobody was refused."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    asked = parser.parse_args()
    with valkey_server() as valkey:
        port = free_port()
        here = {
            "REDIS_URL": valkey.url,
            "PORT": str(port),
            "BIND": "127.0.0.1",
            "API_PROCESSES": "1",
            "API_THREADS": str(THREADS),
            "RATE_LIMITS": "0",
        }
        with _served([sys.executable, "-m", "workers.cli", "api", "--quiet"], here) as served:
            results = [_load(port, served.pid, asked), _slow_readers(port), _over_the_budget(port)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
