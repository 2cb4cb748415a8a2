"""Players at a release that is frozen or opened again: they speak HTTP, and know nothing of the code."""

import base64
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

import httpx

Json = dict[str, Any]
Found = TypeVar("Found")

PATIENCE_SECONDS = 180.0

#: Where each operation that listLegalMoves names is posted to.
PATHS = {
    "drawStock": "draw-stock",
    "takeDiscard": "take-discard",
    "layMeld": "melds",
    "layOff": "lay-offs",
    "discardCard": "discard",
    "passDraw": "pass",
    "keepCard": "keep",
    "callRummy": "rummy-calls",
    "readyForNextDeal": "next-deal",
}


def wait_for(find: Callable[[], Found], what: str) -> Found:
    """Return what `find` finds, as soon as it finds something."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if found := find():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE_SECONDS:.0f} s for {what}")


@dataclass(frozen=True)
class Guest:
    """A player with a token."""

    http: httpx.Client
    id: str
    name: str
    kind: str
    token: str

    @classmethod
    def arrive(cls, http: httpx.Client, name: str, kind: str = "human") -> "Guest":
        answer = http.post("/v1/players", json={"name": name, "kind": kind})
        assert answer.status_code == 201, answer.text
        player = answer.json()["player"]
        return cls(http=http, id=player["id"], name=name, kind=kind, token=answer.json()["token"])

    def ask(self, method: str, path: str, body: Json | None = None, **headers: str) -> httpx.Response:
        """Send a request and return the response, whatever its status; a header's name has _ for -."""
        return self.http.request(
            method,
            path,
            json=body,
            headers={
                "Authorization": f"Bearer {self.token}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )

    def get(self, path: str) -> Any:
        answer = self.ask("GET", path)
        assert answer.status_code == 200, f"GET {path}: {answer.status_code} {answer.text}"
        is_json = "json" in answer.headers["Content-Type"]
        return answer.json() if is_json else answer.text

    def do(self, method: str, path: str, body: Json | None = None, **headers: str) -> Json:
        """Send a request that must succeed; POST and PUT send an empty object where no body is given."""
        sent = {} if body is None and method in {"POST", "PUT"} else body
        answer = self.ask(method, path, sent, **headers)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return dict(answer.json()) if answer.content else {}

    def open(self, **game: Any) -> Json:
        """Open a table and return its first view."""
        return self.do("POST", "/v1/games", game)

    def view(self, game_id: str) -> Json:
        return dict(self.get(f"/v1/games/{game_id}"))

    def events(self, game_id: str) -> list[Json]:
        """Return the whole log as this player may see it."""
        events: list[Json] = []
        after = ""
        while True:
            page = self.get(f"/v1/games/{game_id}/events?limit=100{after}")
            events += page["events"]
            if page["next_after"] is None:
                return events
            after = f"&after={page['next_after']}"

    def move(self, view: Json, dice: random.Random, seat: int | None = None) -> Json:
        """Make a lawful move and return the view after it."""
        path = f"/v1/games/{view['id']}"
        asked = "" if seat is None else f"?as_seat={seat}"
        if view["status"] == "deal_over":
            return dict(self.do("POST", f"{path}/next-deal")["game"])
        legal = self.get(f"{path}/legal-moves{asked}")
        if not legal["moves"]:
            # The clock, or another player's call, came between the view and the list.
            return self.view(view["id"])
        move = choose(legal["moves"], dice)
        sent = self.ask("POST", f"{path}/{PATHS[move['operation_id']]}{asked}", move["body"])
        if sent.is_client_error and (now := self.view(view["id"]))["version"] > view["version"]:
            return now
        assert sent.status_code == 201, f"{move}: {sent.status_code} {sent.text}"
        return dict(sent.json()["game"])


def choose(moves: list[Json], dice: random.Random) -> Json:
    """Return a move that brings the deal to its end: what can be tabled is, what fits nothing is thrown."""
    by_type: dict[str, list[Json]] = {}
    for move in moves:
        by_type.setdefault(move["type"], []).append(move)
    if found := by_type.get("meld", []) + by_type.get("lay_off", []) + by_type.get("pass", []):
        return found[0]
    if "draw_stock" in by_type:
        takes = by_type.get("take_discard", [])
        return dice.choice(takes) if takes and dice.random() < 0.3 else by_type["draw_stock"][0]
    if throws := by_type.get("discard"):
        hand = [throw["body"]["card"] for throw in throws]
        return min(throws, key=lambda throw: (_mates(throw["body"]["card"], hand), dice.random()))
    return dice.choice(moves)


def _mates(card: str, hand: list[str]) -> int:
    """Count the cards that may go into a meld with this one; a joker goes with all."""
    ranks = "A23456789TJQK"
    if card[0] == "X":
        return len(hand)
    return sum(
        other[0] == card[0] or (other[1] == card[1] and abs(ranks.index(other[0]) - ranks.index(card[0])) < 3)
        for other in hand
        if other[0] != "X"
    )


@dataclass
class Party:
    """The players of one game, each with a seat or, in a sandbox held by one player, all of them."""

    game_id: str
    guests: list[Guest]
    dice: random.Random = field(default_factory=lambda: random.Random(500))

    def view(self) -> Json:
        return self.guests[0].view(self.game_id)

    def step(self, view: Json | None = None) -> Json | None:
        """Let a guest who may act make a move and return the view after it; None where no guest may."""
        view = view or self.view()
        guests = {guest.id: guest for guest in self.guests}
        for seat in view["turn"]["may_act"] if view["turn"] else ():
            there = view["seats"][seat]
            guest = guests.get(there["player"]["id"]) if there["player"] else None
            if guest is not None and there["level"] is None:
                # Who holds every seat says which one acts; readiness is said for all at once.
                held = view["seats_held"] is not None and view["status"] == "playing"
                return guest.move(view, self.dice, seat if held else None)
        return None

    def play_until(self, is_there: Callable[[Json], bool], what: str) -> Json:
        """Play until the view is as wanted, waiting for computers; return it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        view = self.view()
        while not is_there(view):
            assert view["status"] not in {"finished", "aborted"}, f"{what} never came: {view['status']}"
            assert time.monotonic() < deadline, f"played {PATIENCE_SECONDS:.0f} s for {what}: {view}"
            after = self.step(view)
            if after is None:
                time.sleep(0.02)
            view = after or self.view()
        return view

    def play_to_the_end(self, name: str = "a game") -> Json:
        return self.play_until(lambda view: view["status"] == "finished", f"the end of {name}")


@dataclass(frozen=True, kw_only=True)
class Keyed:
    """A request with an Idempotency-Key, and its answer: the same request must get the same answer."""

    name: str
    token: str | None
    method: str
    path: str
    body: Json
    headers: dict[str, str]
    status: int
    answer: str

    @property
    def answered(self) -> bytes:
        """The body of the answer."""
        return base64.b64decode(self.answer)

    @classmethod
    def send(
        cls, guest: Guest | None, http: httpx.Client, name: str, path: str, body: Json, **more: str
    ) -> "Keyed":
        headers = {"Idempotency-Key": uuid4().hex, **more}
        token = None if guest is None else guest.token
        status, answer = _send(http, token, "POST", path, body, headers)
        return cls(
            name=name,
            token=token,
            method="POST",
            path=path,
            body=body,
            headers=headers,
            status=status,
            answer=base64.b64encode(answer).decode(),
        )

    def again(self, http: httpx.Client) -> tuple[int, bytes]:
        """Send the request again; return status and body."""
        return _send(http, self.token, self.method, self.path, self.body, self.headers)


def _send(
    http: httpx.Client, token: str | None, method: str, path: str, body: Json, headers: dict[str, str]
) -> tuple[int, bytes]:
    sent = {**headers, **({} if token is None else {"Authorization": f"Bearer {token}"})}
    answer = http.request(method, path, json=body, headers=sent)
    return answer.status_code, answer.content
