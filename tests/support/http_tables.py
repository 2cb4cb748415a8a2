"""Tables of the service, set up and played over HTTP, and checked only by its answers.

They have the methods of the tables of the rules (`tables.Table`), so that a test can be
played at either. One player holds every seat. Each move is first tried with `dry_run`;
each refusal is checked to leave the state unchanged.

The view of a seat is fetched when a test asks for it, which must be before the next move.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import msgspec

from service.rummy.cards import Card, cards
from service.rummy.moves import (
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    EndGame,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    StartNextDeal,
    TakeDiscard,
)
from service.rummy.positions import Position
from service.rummy.state import DealerDraw, DealResult, MeldKind, Phase, Stage
from service.rummy.variants import Variant
from tests.support.tables import Asked, body_of, set_up

Json = dict[str, Any]

#: Where a kind of move is posted to.
PATHS = {
    DrawStock: "draw-stock",
    TakeDiscard: "take-discard",
    LayMeld: "melds",
    LayOff: "lay-offs",
    Discard: "discard",
    Pass: "pass",
    KeepCard: "keep",
    CallRummy: "rummy-calls",
    StartNextDeal: "next-deal",
    EndGame: "resignation",
}
#: What a member of an event is, where it is more than JSON.
SHAPES = {"dealer_draws": tuple[DealerDraw, ...]}


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal as a client reads it."""

    code: str
    rule: str
    message: str
    details: Json


class HttpTable:
    """A game of the service, as it stood after the last move made here."""

    def __init__(self, room: "OverHttp", view: Json, events: list[Json]) -> None:
        self.room = room
        self.id: str = view["id"]
        self.version: int = view["version"]
        self.view = view
        self.events = events
        self._views: dict[int, Json] = {view["viewer"]["seat"]: view}

    # Cards.

    def seen_by(self, seat: int) -> Json:
        """The game as the seat sees it."""
        if seat not in self._views:
            view = self.room.get(f"{self.path}?as_seat={seat}")
            assert view["version"] == self.version, "the game has moved on: ask before the next move"
            assert (view["viewer"]["role"], view["viewer"]["seat"]) == ("player", seat)
            self._views[seat] = view
        return self._views[seat]

    @property
    def path(self) -> str:
        return f"/v1/games/{self.id}"

    def hand(self, seat: int) -> tuple[Card, ...]:
        return cards(" ".join(self.seen_by(seat)["you"]["hand"]))

    @property
    def pile(self) -> tuple[Card, ...]:
        return cards(" ".join(self.view["discard_pile"]))

    @property
    def stock_count(self) -> int:
        return int(self.view["stock_count"])

    @property
    def melds(self) -> dict[str, str]:
        return {
            meld["id"]: " ".join(laid["stands_for"] or laid["card"] for laid in meld["cards"])
            for meld in self.view["melds"]
        }

    def kind(self, name: str) -> MeldKind:
        return MeldKind(next(meld["kind"] for meld in self.view["melds"] if meld["id"] == name))

    @property
    def must_use(self) -> str | None:
        return self.view["turn"]["must_use"]

    @property
    def dealer(self) -> int:
        return int(self.view["dealer"])

    @property
    def deal(self) -> int:
        return int(self.view["deal"])

    @property
    def seats(self) -> int:
        return len(self.view["seats"])

    @property
    def variant(self) -> Variant:
        told = self.view["variant"]
        return msgspec.convert({"name": told["preset"], **told["options"]}, Variant)

    def known(self, seat: int) -> tuple[Card, ...]:
        """The cards of a hand that all players know."""
        return cards(" ".join(self.view["seats"][seat]["known_cards"]))

    def whole_pack(self) -> list[Card]:
        """Every card of the game: it is given up, and its replay shows them as they were dealt."""
        self.room.post(f"{self.path}/resignation")
        replay = self.room.get(f"{self.path}/replay")
        (dealt,) = [event for event in replay["deals"][-1]["events"] if event["type"] == "deal.started"]
        return [*chain(*dealt["hands"]), dealt["upcard"], *dealt["stock"]]

    # Where the game stands.

    @property
    def to_move(self) -> tuple[int, Phase]:
        assert self.status is Stage.PLAYING, "the deal is over"
        return self.view["turn"]["seat"], Phase(self.view["phase"])

    @property
    def status(self) -> Stage:
        return Stage(self.view["status"])

    @property
    def over(self) -> bool:
        return self.status is not Stage.PLAYING

    @property
    def winners(self) -> tuple[int, ...] | None:
        return None if self.view["winners"] is None else tuple(self.view["winners"])

    @property
    def reason(self) -> str | None:
        return self.view["reason"]

    @property
    def result(self) -> DealResult:
        assert self.over, "the deal is not over"
        return msgspec.convert(self.view["deals"][-1], DealResult)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(seat.score for seat in self.result.seats)

    def points(self, seat: int) -> int:
        return int(self.view["seats"][seat]["table_points"])

    @property
    def happened(self) -> list[str]:
        return [event["type"] for event in self.events]

    def told(self, event: str, member: str) -> list[Any]:
        found = [one[member] for one in self.events if one["type"] == event]
        return msgspec.convert(found, list[SHAPES[member]]) if member in SHAPES else found

    # What may be done.

    def move(self, *asked: Asked, by: int | None = None) -> "HttpTable":
        after = self
        for one in asked:
            after = after._moved(one, by)
        return after

    def _moved(self, asked: Asked, by: int | None) -> "HttpTable":
        whose = self._to_act() if by is None else by
        move = asked(whose)
        if isinstance(move, CloseCallWindow):
            return self._all_pass()
        path, body = f"{self.path}/{PATHS[type(move)]}", body_of(move)
        tried = self.room.post(f"{path}?as_seat={whose}&dry_run=true", body, status=200)
        assert (tried["lawful"], tried["problem"]) == (True, None)
        made = self.room.post(f"{path}?as_seat={whose}", body, **{"If-Match": f'"{self.version}"'})
        view = made["game"]
        assert made["version"] == view["version"] == self.version + 1
        assert view["viewer"]["seat"] == whose
        assert [event["id"] for event in made["events"]] == [
            f"{self.version + 1}-{place}" for place in range(len(made["events"]))
        ]
        if view["deal"] == self.view["deal"]:
            assert _how_many(view) == _how_many(self.view), "a card was lost or doubled"
        return HttpTable(self.room, view, made["events"])

    def _all_pass(self) -> "HttpTable":
        after = self
        while not after.over and after.to_move[1] is Phase.RUMMY_CALL:
            after = after.move(lambda seat: Pass(seat=seat))
        return after

    def refusal(self, asked: Asked, by: int | None = None) -> Refused:
        """The refusal of an illegal move; fails if the move is legal, offered, or changes anything."""
        whose = self._to_act() if by is None else by
        move = asked(whose)
        path, body = f"{self.path}/{PATHS[type(move)]}", body_of(move)
        before = self.room.get(f"{self.path}?as_seat={whose}")
        assert (before["version"], before["you"]) == (self.version, self.seen_by(whose)["you"])
        assert body not in [one["body"] for one in self.legal_moves(whose) if one["type"] == move.type]

        tried = self.room.post(f"{path}?as_seat={whose}&dry_run=true", body, status=200)
        problem = self.room.post(f"{path}?as_seat={whose}", body, status=409)

        assert tried["lawful"] is False
        assert {**tried["problem"], "request_id": ""} == {**problem, "request_id": ""}
        assert problem["kind"] == "illegal_move"
        assert problem["detail"].endswith(".")
        after = self.room.get(f"{self.path}?as_seat={whose}")
        assert {**after, "server_time": ""} == {**before, "server_time": ""}, "a refused move left a trace"
        return Refused(
            code=problem.pop("code"),
            rule=problem.pop("rule"),
            message=problem.pop("detail"),
            details={name: value for name, value in problem.items() if name not in _OF_EVERY_PROBLEM},
        )

    def refused(self, asked: Asked, by: int | None = None) -> str:
        return self.refusal(asked, by).code

    def knows(self, asked: Asked, member: str) -> bool:
        """Whether a move of this kind can say more by such a member."""
        move = asked(self._to_act())
        body = {**body_of(move), member: True}
        problem = self.room.post(f"{self.path}/{PATHS[type(move)]}", body, status=422)
        return member not in {error["field"] for error in problem["errors"]}

    def legal_moves(self, seat: int | None = None) -> list[Json]:
        """All legal moves of the seat to act, as listed."""
        seat = self._to_act() if seat is None else seat
        listed = self.room.get(f"{self.path}/legal-moves?as_seat={seat}")
        assert (listed["version"], listed["seat"], listed["complete"]) == (self.version, seat, True)
        return listed["moves"]

    def offered(self, kind: str) -> list[Json]:
        return [move["body"] for move in self.legal_moves() if move["type"] == kind]

    def takes(self) -> list[str]:
        return [move["body"]["card"] for move in self.legal_moves() if move["type"] == "take_discard"]

    def discards(self) -> list[str]:
        return [move["body"]["card"] for move in self.legal_moves() if move["type"] == "discard"]

    def _to_act(self) -> int:
        turn = self.view["turn"]
        return turn["may_act"][0] if turn else self.view["viewer"]["seat"]


_OF_EVERY_PROBLEM = {
    *("type", "title", "status", "instance", "kind", "request_id", "errors"),
    *("reason_code", "template", "params"),
}


def _how_many(view: Json) -> int:
    """Count the cards of a game, as far as their faces or their number are public."""
    held = sum(seat["hand_count"] for seat in view["seats"])
    laid = sum(len(meld["cards"]) for meld in view["melds"])
    return held + laid + int(view["stock_count"]) + len(view["discard_pile"])


def position_of(position: Position) -> Json:
    """Return a position as JSON without members that are None."""
    told = msgspec.to_builtins(position)
    return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class OverHttp:
    """Makes tables of the service, for one player who holds every seat."""

    client: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    def table(self, **said: Any) -> HttpTable:
        """A sandbox that starts in the position; for the arguments see `tables.set_up`."""
        made = self._create(self._asked(said), status=201)
        return HttpTable(self, made, self.get(f"/v1/games/{made['id']}/events")["events"])

    def dealt(
        self, preset: str = "classic", *, seats: int = 2, seed: str = "test", **overrides: Any
    ) -> HttpTable:
        """A sandbox dealt from the seed."""
        variant = {"preset": preset, "overrides": overrides}
        made = self._create({"variant": variant, "seats": seats, "seed": seed}, status=201)
        return HttpTable(self, made, self.get(f"/v1/games/{made['id']}/events")["events"])

    def contradiction(self, preset: str, overrides: Json, *, seats: int) -> str:
        """The option for which no game is made."""
        asked = {"variant": {"preset": preset, "overrides": overrides}, "seats": seats}
        problem = self._create(asked, status=422)
        assert problem["code"] == "variant_contradiction"
        return problem["option"]

    def impossible(self, **said: Any) -> str:
        """The member of a position that no game can be in."""
        problem = self._create(self._asked(said), status=422)
        assert problem["code"] == "impossible_position"
        (error,) = problem["errors"]
        return error["field"].removeprefix("position.")

    @staticmethod
    def _asked(said: Json) -> Json:
        setting = set_up(**said)
        return {
            "variant": {"preset": setting.preset, "overrides": setting.overrides},
            "seats": setting.seats,
            "position": position_of(setting.position),
            "seed": "test",
        }

    def _create(self, asked: Json, *, status: int) -> Json:
        return self.post("/v1/games", {**asked, "sandbox": True, "seats_held": "creator"}, status=status)

    def get(self, path: str) -> Json:
        answer = self.client.get(path, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    def post(self, path: str, body: Json | None = None, *, status: int = 201, **headers: str) -> Json:
        answer = self.client.post(path, json=body or {}, headers={**self.headers, **headers})
        assert answer.status_code == status, answer.text
        assert ("problem" in answer.content_type) == (status >= 400)
        return answer.json
