"""Stored values carry their schema, and what a newer release wrote outlives a change by this one."""

import json
from dataclasses import replace
from typing import Any

import msgspec

from service.games.codec import decode_record, encode_record
from service.games.record import GameRecord, Player, SeatKind
from service.games.seating import player_seat
from service.rummy.forced_turn import forced_turn
from service.rummy.play import play
from service.store.schema import FIRST_SCHEMA, SCHEMA
from tests.support.golden import releases

GOLDEN = releases()[-1]
NEWER = SCHEMA + 1
UNKNOWN = {"what": ["nobody", {"here": "knows"}]}

Json = dict[str, Any]


def as_newer(value: Any) -> Any:
    """The same JSON as a newer release may write it: every object in it has one more member."""
    match value:
        case dict():
            return {**{name: as_newer(inner) for name, inner in value.items()}, "unknown": UNKNOWN}
        case list():
            return [as_newer(inner) for inner in value]
    return value


def newer(body: bytes) -> Json:
    return {**as_newer(json.loads(body)), "schema": NEWER}


def running() -> GameRecord:
    """A game of two people who are in the middle of a turn."""
    (found,) = [stored for stored in GOLDEN.stored("record") if stored.key.endswith(game("classic draw"))]
    return decode_record(json.dumps(newer(found.body)).encode())


def game(name: str) -> str:
    return str(GOLDEN.told["games"][name]["id"])


class TestTheNumber:
    def test_stands_in_whatever_is_written(self):
        stored = GOLDEN.stored("record")[0]

        assert json.loads(encode_record(decode_record(stored.body)))["schema"] == SCHEMA

    def test_is_one_where_there_is_none(self):
        body = json.loads(GOLDEN.stored("record")[0].body)
        body.pop("schema", None)

        assert decode_record(json.dumps(body).encode()).schema == FIRST_SCHEMA == 1

    def test_of_a_newer_release_stays(self):
        assert json.loads(encode_record(replace(running(), version=99)))["schema"] == NEWER


class TestWhatANewerReleaseWrote:
    def test_is_not_looked_for_in_what_is_ours(self):
        record = decode_record(encode_record(decode_record(GOLDEN.stored("record")[0].body)))

        assert record.newer is msgspec.UNSET

    def test_is_there_after_a_move_in_all_that_lasts(self):
        before = running()
        game, seat = before.game, before.may_act()[0]
        assert game is not None
        for move in forced_turn(game, seat):
            _, game = play(game, move)

        after = json.loads(encode_record(replace(before, version=before.version + 1, game=game)))

        for place in (after, after["variant"], after["game"], after["game"]["variant"], *after["seats"]):
            assert place["unknown"] == UNKNOWN
        assert after["version"] == before.version + 1

    def test_of_one_turn_is_not_said_of_the_next(self):
        before = running()
        game = before.game
        assert game is not None
        for move in forced_turn(game, before.may_act()[0]):
            _, game = play(game, move)

        after = json.loads(encode_record(replace(before, game=game)))

        assert "unknown" not in after["game"]["deal"]["turn"]

    def test_of_a_player_is_not_said_of_another_on_the_same_seat(self):
        before = running()
        other = player_seat(Player(id="pOther", name="Other", kind=SeatKind.HUMAN))

        after = json.loads(encode_record(replace(before, seats=(before.seats[0], other))))

        assert after["seats"][0]["unknown"] == UNKNOWN
        assert "unknown" not in after["seats"][1]

    def test_makes_no_two_records_differ(self):
        stored = GOLDEN.stored("record")[0]

        assert decode_record(json.dumps(newer(stored.body)).encode()) == decode_record(stored.body)
