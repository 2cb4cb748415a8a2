"""Streams that send the game behind each change, with the legal moves of the viewer."""

import json
from contextlib import contextmanager

import pytest

from service.store.contract import StoreUnavailable
from service.streams.connections import Connections, Timing
from tests.support.frames import SILENCE, Frames

DELAY = 60_000
VIEWS = "?include=game"
ALL = "?include=game,legal_moves"


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20, timing=Timing(heartbeat_seconds=0.02))
    yield streams
    streams.close()


@pytest.fixture
def follow(client):
    @contextmanager
    def follow(path, headers, query="", **more):
        with client.get(f"{path}/stream{query}", headers={**headers, **more}) as answer:
            assert answer.status_code == 200, answer.json
            yield Frames(answer.response)

    return follow


@pytest.fixture
def begun(client, open_table, ana, ben):
    """Return a function that deals a game of two people, that anyone may watch; its path."""

    def begun(**settings):
        game = open_table(ana, seats=2, visibility="public", spectators="public", **settings)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        return path

    return begun


@pytest.fixture
def dealt(begun):
    return begun()


@pytest.fixture
def in_turn(client, dealt, ana, ben):
    """The player whose turn it is, and the other."""
    return (ana, ben) if client.get(f"{dealt}/legal-moves", headers=ana).json["moves"] else (ben, ana)


def seen(client, path, headers, query=""):
    return client.get(f"{path}{query}", headers=headers).json


def assert_silent(frames):
    """Nothing of the game comes; who is connected is told without delay."""
    told = [next(frames) for _ in range(4)]
    assert {frame.type for frame in told} <= {SILENCE.type, "presence.changed"}, told


class TestEachChange:
    def test_is_followed_by_the_game_after_it(self, client, dealt, in_turn, follow):
        mover, other = in_turn
        with follow(dealt, mover, ALL) as own, follow(dealt, other, ALL) as others:
            next(own), next(others)
            drawn = client.post(f"{dealt}/draw-stock", headers=mover).json
            for frames, headers in ((own, mover), (others, other)):
                event, view = frames.until("snapshot")

                assert (event.type, event.id) == ("stock.drawn", view.id)
                assert view.data["game"] == seen(client, dealt, headers, "?include=legal_moves")
            assert view.data["game"]["legal_moves"] == []

            card = drawn["events"][0]["card"]
            client.post(f"{dealt}/discard", json={"card": card}, headers=mover)
            *events, view = others.until("snapshot")

        assert [event.type for event in events] == ["card.discarded", "turn.started"]
        assert {move["type"] for move in view.data["game"]["legal_moves"]} >= {"draw_stock"}

    def test_has_no_moves_where_only_the_game_is_asked_for(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, VIEWS) as frames:
            first = next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            last = frames.until("snapshot")[-1]

        assert not {"legal_moves", "legal_moves_truncated"} & {*first.data["game"], *last.data["game"]}

    def test_is_followed_by_nothing_unasked(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, "?include=legal_moves") as frames:
            first = next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            client.post(f"{dealt}/resignation", headers=mover)
            later = frames.until("game.ended", "seat.replaced")

        assert first.data["game"]["legal_moves"]
        assert "snapshot" not in [frame.type for frame in later]

    def test_that_came_with_others_shares_their_view(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, VIEWS) as frames:
            next(frames)
            card = client.post(f"{dealt}/draw-stock", headers=mover).json["events"][0]["card"]
            client.post(f"{dealt}/discard", json={"card": card}, headers=mover)
            *events, view = frames.until("snapshot")

        assert [event.type for event in events] == ["stock.drawn", "card.discarded", "turn.started"]
        assert view.data["game"] == seen(client, dealt, mover)

    def test_is_a_view_also_where_a_version_has_no_events(self, client, dealt, in_turn, follow):
        """What a player sets for themselves makes a version, but no event."""
        mover, other = in_turn
        with follow(dealt, mover, VIEWS) as frames:
            next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            set_to = client.put(f"{dealt}/seats/me/auto-pass", json={"auto_pass": True}, headers=other)
            event, view = frames.until("snapshot")
            client.post(f"{dealt}/resignation", headers=other)
            after = frames.until("snapshot")

        assert set_to.status_code == 200
        assert view.data["version"] == view.data["game"]["version"] == event.cursor[0] + 1
        assert view.cursor > event.cursor
        assert after[-1].data["game"]["version"] == view.data["version"] + 1

    def test_is_a_line_of_json_as_well(self, client, dealt, in_turn):
        mover, _ = in_turn
        with client.get(f"{dealt}/stream.ndjson{ALL}", headers=mover) as answer:
            lines = iter(answer.response)
            next(lines)
            client.post(f"{dealt}/draw-stock", headers=mover)
            told = []
            while not told or told[-1]["type"] != "snapshot":
                told += [json.loads(line) for line in next(lines).decode().splitlines() if line]

        assert [one["type"] for one in told] == ["stock.drawn", "snapshot"]
        assert told[-1]["game"]["legal_moves"]

    def test_fits_the_document(self, client, contract, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, ALL) as frames:
            found = frames.until("snapshot")
            client.post(f"{dealt}/draw-stock", headers=mover)
            found += frames.until("snapshot")

        for frame in found:
            contract.fits({"$ref": "#/components/schemas/StreamEvent"}, frame.data)


class TestTheSeatThatHasToAct:
    """`include=to_act`: the moves come when a turn begins, without the game."""

    TO_ACT = "?include=to_act"

    def test_gets_its_moves_at_the_beginning_and_in_each_turn(self, client, dealt, in_turn, follow):
        mover, other = in_turn
        with follow(dealt, mover, self.TO_ACT) as own, follow(dealt, other, self.TO_ACT) as others:
            now = own.until("seat.to_act")[-1].data
            view = seen(client, dealt, mover, "?include=moves_by_type")
            card = client.post(f"{dealt}/draw-stock", headers=mover).json["events"][0]["card"]
            client.post(f"{dealt}/discard", json={"card": card}, headers=mover)
            told = others.until("seat.to_act")
            client.post(f"{dealt}/resignation", headers=other)
            rest = own.until("game.ended", "seat.replaced")

        assert now["moves_by_type"] == view["moves_by_type"]
        assert (now["seat"], now["version"]) == (view["viewer"]["seat"], view["version"])
        assert (now["hand_points"], now["legal_moves_truncated"]) == (view["you"]["hand_points"], [])
        assert now["deadline_at"] == view["turn"]["deadline_at"]
        assert [frame.type for frame in told if frame.id is not None] == [
            *("snapshot", "stock.drawn", "card.discarded", "turn.started")
        ]
        assert told[-1].data["version"] == 4 + told[0].data["version"] - 2
        assert told[-1].data["moves_by_type"]["draw_stock"] == [{}]
        assert "seat.to_act" not in [frame.type for frame in rest]

    def test_gets_no_moves_after_its_own_or_unasked(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, self.TO_ACT) as asked, follow(dealt, mover) as unasked:
            asked.until("seat.to_act")
            client.post(f"{dealt}/draw-stock", headers=mover)
            asked.until("stock.drawn")
            client.post(f"{dealt}/resignation", headers=mover)
            told = [
                *asked.until("game.ended", "seat.replaced"),
                *unasked.until("game.ended", "seat.replaced"),
            ]

        assert "seat.to_act" not in [frame.type for frame in told]

    def test_gets_them_when_a_call_window_asks(self, client, ana, open_table, follow):
        rules = {"preset": "classic", "overrides": {"call_rummy": "any_meld"}}
        position = {"hands": [["7S"], ["9H", "9D"], ["4C", "5C"]], "discard_pile": ["9C"]}
        game = open_table(
            ana,
            variant=rules,
            sandbox=True,
            seats_held="creator",
            position={**position, "hands": [["7S", "2C"], *position["hands"][1:]], "turn": {"phase": "meld"}},
        )
        path = f"/v1/games/{game['id']}"
        with follow(path, ana, f"{self.TO_ACT}&as_seat=2") as frames:
            client.post(f"{path}/discard?as_seat=0", json={"card": "2C"}, headers=ana)
            asked = frames.until("seat.to_act")[-1].data
            for seat in (1, 2):
                client.post(f"{path}/pass?as_seat={seat}", headers=ana)
            frames.until("turn.started")

        assert asked["moves_by_type"]["pass"] == [{}]
        assert asked["seat"] == 2

    def test_gets_them_when_the_next_deal_waits_for_it(self, client, ana, sandbox, follow):
        game = sandbox(ana, ["7S", "9H 9D"], turn={"phase": "meld"})
        path = f"/v1/games/{game['id']}"
        with follow(path, ana, f"{self.TO_ACT}&as_seat=1") as frames:
            client.post(f"{path}/discard", json={"card": "7S"}, headers=ana)
            told = frames.until("seat.to_act")[-1].data

        assert told["moves_by_type"] == {"next_deal": [{}]}

    def test_is_no_spectators(self, client, dealt, in_turn, settle, follow):
        mover, _ = in_turn
        with follow(dealt, settle("Cem"), self.TO_ACT) as frames:
            client.post(f"{dealt}/draw-stock", headers=mover)
            client.post(f"{dealt}/resignation", headers=mover)
            told = frames.until("game.ended", "seat.replaced")

        assert "seat.to_act" not in [frame.type for frame in told]

    def test_gets_them_again_when_the_stream_resumes(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, self.TO_ACT, **{"Last-Event-ID": "1-0"}) as frames:
            again = frames.until("seat.to_act")[-1].data

        assert again["moves_by_type"]["draw_stock"] == [{}]


class TestAStreamThatResumes:
    def test_sends_what_was_missed_and_then_the_game(self, client, dealt, in_turn, follow):
        mover, _ = in_turn
        client.post(f"{dealt}/draw-stock", headers=mover)
        with follow(dealt, mover, f"{ALL}&after=1-0") as frames:
            *missed, view = [frame for frame in frames.until("snapshot") if frame.id is not None]

        assert [frame.data for frame in missed] == seen(client, dealt, mover, "/events?after=1-0")["events"]
        assert view.id == missed[-1].id
        assert view.data["game"] == seen(client, dealt, mover, "?include=legal_moves")

    def test_sends_the_game_where_nothing_was_missed(self, client, dealt, ana, follow):
        with follow(dealt, ana, VIEWS) as frames:
            last = next(frames)
        with follow(dealt, ana, VIEWS, **{"Last-Event-ID": last.id}) as frames:
            again = frames.until("snapshot")[-1]

        assert (again.id, again.data["game"]) == (last.id, last.data["game"])


class TestAStoreThatIsAway:
    def test_delays_the_view_alone(self, client, monkeypatch, given, dealt, in_turn, follow):
        mover, _ = in_turn
        with follow(dealt, mover, VIEWS) as frames:
            next(frames)
            client.post(f"{dealt}/draw-stock", headers=mover)
            with monkeypatch.context() as away:
                away.setattr(given.table, "get", _fails, raising=True)
                event = next(frame for frame in frames if frame.id is not None)
            view = frames.until("snapshot")[-1]

        assert event.type == "stock.drawn"
        assert view.data["game"] == seen(client, dealt, mover)


def _fails(_):
    raise StoreUnavailable


class TestASpectatorWhoSeesTheGameLate:
    def test_gets_each_view_with_its_events(self, client, clock, begun, settle, ana, ben, follow):
        path, cem = begun(spectator_delay_ms=DELAY), settle("Cem")
        clock.on(DELAY)
        mover = ana if client.get(f"{path}/legal-moves", headers=ana).json["moves"] else ben
        with follow(path, cem, ALL) as frames:
            first = next(frames).data["game"]
            client.post(f"{path}/draw-stock", headers=mover)
            assert_silent(frames)

            clock.on(DELAY - 1)
            card = seen(client, path, mover)["you"]["hand"][0]
            client.post(f"{path}/discard", json={"card": card}, headers=mover)
            assert_silent(frames)

            clock.on(1)
            event, view = frames.until("snapshot")
            assert_silent(frames)

        assert (event.type, event.data["card"]) == ("stock.drawn", None)
        game = view.data["game"]
        assert game["version"] == event.cursor[0] == first["version"] + 1
        assert (game["you"], game["legal_moves"], game["phase"]) == (None, [], "meld")
        assert game["discard_pile"] == first["discard_pile"]
