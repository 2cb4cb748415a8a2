"""What one turn of a person costs in requests and bytes.

    python -m tests.bench.turn_cost http://127.0.0.1:8000 --turns 24

One client plays as a person's page does, against computers, in three ways. `was`: an event brings the page
to ask for the game and for its legal moves, after every move too. `snapshots`: the stream brings the game
and the moves behind each change, so that nothing is asked for. `now`: the stream brings the moves with the
turn, and events, which the page applies; a move answers with events and moves alone, and what is laid
and discarded is sent at once. Bytes are counted on the wire, both ways, with all heads.
"""

import argparse
import json
import secrets
import select
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

Json = dict[str, Any]

_CHUNK: Final = 1 << 16
#: What a browser sends beside this does not depend on the service; over HTTP/2 its heads nearly vanish.
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip"}
#: What the page likes best comes first.
_LIKED: Final = (
    *("meld", "lay_off", "take_discard", "draw_stock", "pass", "keep", "discard", "next_deal", "call_rummy"),
)
_MINIMAL: Final = {"Prefer": "return=minimal"}
_OF_A_STREAM: Final = {"Accept": "text/event-stream"}
_ADVISORIES: Final = frozenset({"ping", "presence.changed", "clock.warning", "reaction"})
_PATHS: Final = {
    "draw_stock": "draw-stock",
    "take_discard": "take-discard",
    "meld": "melds",
    "lay_off": "lay-offs",
    "discard": "discard",
    "pass": "pass",
    "keep": "keep",
    "call_rummy": "rummy-calls",
    "next_deal": "next-deal",
    "turn": "turns",
}


class Wire:
    """Passes connections on to a server, and counts the bytes of both directions."""

    def __init__(self, url: str) -> None:
        server = urlsplit(url)
        assert server.hostname, "The address of the service is needed, such as http://127.0.0.1:8000."
        self._server = (server.hostname, server.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.bytes = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(self._server) as server:
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    chunk = ready.recv(_CHUNK)
                    if not chunk:
                        return
                    self.bytes += len(chunk)
                    (client if ready is server else server).sendall(chunk)


@dataclass(slots=True)
class Cost:
    """What was sent and received in some turns."""

    turns: int = 0
    moves: int = 0
    requests: Counter[str] = field(default_factory=Counter)
    bytes: Counter[str] = field(default_factory=Counter)

    def line(self, name: str) -> str:
        requests, kilobytes = self.requests.total() / self.turns, self.bytes.total() / self.turns / 1000
        each = ", ".join(
            f"{kind} {self.requests[kind] / self.turns:.1f} of {self.bytes[kind] / self.turns / 1000:.2f} kB"
            for kind in self.bytes
        )
        return (
            f"{name}: {requests:.1f} requests and {kilobytes:.1f} kB a turn\n"
            f"    {self.turns} turns of {self.moves / self.turns:.1f} moves; a turn: {each}"
        )


class Page:
    """A person's page with one game: what it knows, and how it asks."""

    def __init__(self, url: str, closing: ExitStack, *, opponents: int) -> None:
        self.cost = Cost()
        self._requests, self._stream = Wire(url), Wire(url)
        for wire in (self._requests, self._stream):
            closing.callback(wire.close)
        self._closing = closing
        self._http = closing.enter_context(
            httpx.Client(base_url=self._requests.url, headers=_HEADERS, timeout=60)
        )
        token = self._http.post("/v1/players", json={"name": "Ana"}).json()["token"]
        self._http.headers["Authorization"] = f"Bearer {token}"
        # The game must not end before the turns that are asked for.
        rules = {"preset": "classic", "overrides": {"target": 100_000}}
        body = {"opponents": [{"level": "steady"}] * opponents, "variant": rules}
        body |= {"sandbox": True, "seed": "turn cost"}
        game = self._http.post("/v1/games", json=body).json()
        self.path = f"/v1/games/{game['id']}"
        self.seat: int = game["viewer"]["seat"]
        self._events: Iterator[Json] = iter(())
        self._turn_of: int | None = None

    def ask(self, kind: str, method: str, path: str, body: Json | None = None, **headers: str) -> Json:
        """Send a request, and count it under its kind."""
        before = self._requests.bytes
        answer = self._http.request(method, f"{self.path}{path}", json=body, headers=headers)
        assert answer.status_code in {200, 201}, answer.text
        self.cost.bytes[kind] += self._requests.bytes - before
        self.cost.requests[kind] += 1
        told: Json = answer.json()
        return told

    def move(self, kind: str, body: Json, query: str = "", **headers: str) -> Json:
        """Make a move as a page does: under a key, so that it may be sent again."""
        self.cost.moves += 1
        key = {"Idempotency-Key": secrets.token_urlsafe(16)}
        return self.ask("move", "POST", f"/{_PATHS[kind]}{query}", body, **key, **headers)

    def play(self, moves: list[tuple[str, Json]], query: str, **headers: str) -> Json:
        """Make one move, or several as a turn."""
        if len(moves) == 1:
            return self.move(*moves[0], query, **headers)
        self.cost.moves += len(moves) - 1
        return self.move(
            "turn", {"moves": [{"type": kind, **body} for kind, body in moves]}, query, **headers
        )

    def follow(self, include: str) -> Json:
        """Open the stream, and return its first frame; it is not counted, for it comes once a game."""
        response = self._closing.enter_context(
            self._http.stream("GET", f"{self._stream.url}{self.path}/stream{include}", headers=_OF_A_STREAM)
        )
        lines = response.iter_lines()
        self._events = (json.loads(line[5:]) for line in lines if line.startswith("data:"))
        first = self.next_event()
        self._stream.bytes = 0
        return first

    def next_event(self) -> Json:
        """Return the next event of the game."""
        while True:
            event = next(self._events)
            if event["type"] not in _ADVISORIES:
                return event

    def begin_turn(self, phase_version: int, *, is_turn: bool) -> None:
        """Count a turn, once."""
        if is_turn and phase_version != self._turn_of:
            self._turn_of = phase_version
            self.cost.turns += 1

    def sees(self, game: Json) -> None:
        """Count the turn of the player in a game that is shown."""
        turn = game["turn"]
        is_turn = turn["seat"] == self.seat and game["phase"] == "draw"
        self.begin_turn(turn["phase_version"], is_turn=is_turn)

    def finish(self) -> Cost:
        """Return what it cost."""
        self.cost.bytes["stream"] = self._stream.bytes
        return self.cost


def choose(by_type: dict[str, list[Json]]) -> tuple[str, Json]:
    """Return the type and body of the move that the page makes."""
    kind = next(kind for kind in _LIKED if kind in by_type)
    return kind, by_type[kind][0]


def play_as_it_was(page: Page, turns: int) -> None:
    """Ask for the game and for the legal moves after each event."""
    version = page.follow("")["version"]
    while True:
        game = page.ask("game", "GET", "")
        version = game["version"]
        page.sees(game)
        if page.seat in game["turn"]["may_act"]:
            by_type: dict[str, list[Json]] = {}
            for move in page.ask("legal moves", "GET", "/legal-moves")["moves"]:
                by_type.setdefault(move["type"], []).append(move["body"])
            made = page.move(*choose(by_type), **{"If-Match": f'"{version}"'})
            if page.cost.turns == turns and made["game"]["turn"]["seat"] != page.seat:
                return
        while page.next_event()["version"] <= version:
            pass


def play_by_snapshots(page: Page, turns: int) -> None:
    """Take the game and the legal moves from the stream."""
    game = page.follow("?include=game,moves_by_type")["game"]
    while True:
        page.sees(game)
        version = game["version"]
        if page.seat in game["turn"]["may_act"]:
            made = page.move(*choose(game["moves_by_type"]), f"?if_version={version}", **_MINIMAL)
            if page.cost.turns == turns and ends_turn(made):
                return
            version = made["version"]
        while (event := page.next_event())["type"] != "snapshot" or event["version"] < version:
            pass
        game = event["game"]


def play_by_events(page: Page, turns: int) -> None:
    """Apply events to the game that is known; the moves come with the turn.

    What the player lays and discards is put together on the page, and sent as one turn.
    """
    told = page.follow("?include=to_act")
    known = 0
    while True:
        # What a move has answered, the stream repeats.
        while told["type"] != "seat.to_act" or told["version"] <= known:
            told = page.next_event()
        version, by_type = told["version"], told["moves_by_type"]
        page.begin_turn(version, is_turn="draw_stock" in by_type or "take_discard" in by_type)
        while by_type:
            moves = put_together(by_type)
            ends = "discard" in [kind for kind, _ in moves]
            query = f"?if_version={version}" if ends else f"?if_version={version}&include=moves_by_type"
            made = page.play(moves, query, **_MINIMAL)
            version, by_type = made["version"], made.get("moves_by_type", {})
            known = version - 1 if ends else version
            if page.cost.turns == turns and ends_turn(made):
                return


def put_together(by_type: dict[str, list[Json]]) -> list[tuple[str, Json]]:
    """Return the moves that are sent at once: one, or a meld or lay-off with the discard."""
    kind, body = choose(by_type)
    laid = body.get("cards") or [body.get("card")]
    left = [other for other in by_type.get("discard", ()) if other["card"] not in laid]
    if kind in {"meld", "lay_off"} and left:
        return [(kind, body), ("discard", left[0])]
    return [(kind, body)]


def ends_turn(made: Json) -> bool:
    """Return whether a turn ended with the move."""
    return any(event["type"] in {"card.discarded", "card.kept", "deal.ended"} for event in made["events"])


_WAYS: Final[dict[str, Callable[[Page, int], None]]] = {
    "was": play_as_it_was,
    "snapshots": play_by_snapshots,
    "now": play_by_events,
}


def main() -> None:
    """Play in each way, and print what a turn costs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", help="the address of a running service")
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--opponents", type=int, default=1)
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=[*_WAYS])
    asked = parser.parse_args()
    for way in asked.ways:
        with ExitStack() as closing:
            page = Page(asked.url, closing, opponents=asked.opponents)
            _WAYS[way](page, asked.turns)
            print(page.finish().line(way))


if __name__ == "__main__":
    main()
