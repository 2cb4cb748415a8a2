"""Count what one move costs a reader and Redis: `python -m tests.bench.profile_move`.

Plays POST draw-stock with an Idempotency-Key against a real Valkey and prints how many files of
`service/` the request enters, how often it passes from one file to another, how many of our functions
it calls, and how many round trips it makes.
"""

import sys
import threading
import uuid
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from types import FrameType

from redis.connection import AbstractConnection

import service
from service.api.services import Services
from service.app import create_app
from service.bootstrap import now_ms
from service.effects.projector import Projector
from service.games.table import Table
from service.store.redis.store import RedisStore
from service.streams.connections import Connections
from tests.support.servers import valkey_server

_HERE = str(Path(service.__file__).parent)
_TIMED_MOVES = 200


class NoTurns:
    """Enqueues nothing: the creator holds both seats."""

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Do nothing."""


class Trace:
    """Counts calls into files of `service/`, and what is sent to Redis, on this thread."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.sent = 0
        self._thread = threading.get_ident()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(_HERE):
            self.calls.append((file.removeprefix(_HERE), frame.f_code.co_name))

    def count_sent(self) -> None:
        """Count every write to a connection made on this thread."""
        send = AbstractConnection.send_packed_command

        def counted(connection: AbstractConnection, *args: object, **kwargs: object) -> object:
            if threading.get_ident() == self._thread:
                self.sent += 1
            return send(connection, *args, **kwargs)

        AbstractConnection.send_packed_command = counted

    def report(self) -> str:
        """Return the counts as a line."""
        files = [file for file, _ in self.calls]
        switches = sum(before != after for before, after in pairwise(files))
        return (
            f"{len(set(files))} files, {switches} switches, {len(self.calls)} calls, {self.sent} round trips"
        )


def main() -> None:
    """Play moves and print what one of them costs."""
    with valkey_server() as server:
        store = RedisStore.at(server.url)
        table = Table(store=store, turns=NoTurns(), now=now_ms, projector=Projector(store=store, now=now_ms))
        streams = Connections(store=store, now=now_ms, slots=1)
        client = create_app(Services(store=store, table=table, now=now_ms, streams=streams)).test_client()
        token = client.post("/v1/players", json={"name": "Ana"}).json["token"]
        headers = {"Authorization": f"Bearer {token}"}
        body = {"variant": {"preset": "classic"}, "sandbox": True, "seats_held": "creator", "seats": 2}

        def open_game() -> str:
            return f"/v1/games/{client.post('/v1/games', json=body, headers=headers).json['id']}"

        def draw(path: str) -> int:
            key = {"Idempotency-Key": str(uuid.uuid4())}
            return client.post(f"{path}/draw-stock", json={}, headers={**headers, **key}).status_code

        games = [open_game() for _ in range(_TIMED_MOVES + 2)]
        assert draw(games.pop()) == 201
        traced = games.pop()
        trace = Trace()
        trace.count_sent()
        sys.setprofile(trace)
        draw(traced)
        sys.setprofile(None)
        report = trace.report()
        seconds = []
        for path in games:
            began = perf_counter()
            draw(path)
            seconds.append(perf_counter() - began)
        print(f"{report}, median {median(seconds) * 1000:.2f} ms")
        if "--calls" in sys.argv:
            print("\n".join(f"{file} {name}" for file, name in trace.calls))
        streams.close()
        store.close()


if __name__ == "__main__":
    main()
