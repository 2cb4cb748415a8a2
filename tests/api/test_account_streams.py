"""Following all one's games: what a player is told, wherever he is."""

from contextlib import contextmanager

import pytest

from service.api.schemas.streams import ACCOUNT_EVENTS
from service.games.notifications import NOTIFICATION_TYPES
from service.store.lists import GameList
from service.streams.connections import Connections, Timing
from tests.support.frames import Frames
from tests.support.memory_store.store import MemoryStore

DAY = 24 * 60 * 60 * 1000


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20)
    yield streams
    assert streams.count == 0, "a test left a stream open"
    streams.close()


@pytest.fixture
def follow(client):
    @contextmanager
    def follow(headers, query="", **more):
        answer = client.get(f"/v1/me/stream{query}", headers={**headers, **more})
        assert answer.status_code == 200, answer.json
        try:
            yield Frames(answer.response)
        finally:
            answer.close()

    return follow


@pytest.fixture
def begin(client, open_table, ana, ben):
    """Begin a game of Ana and Ben and return its path."""

    def begin():
        path = f"/v1/games/{open_table(ana, seats=2, visibility='public')['id']}"
        client.post(f"{path}/seats", headers=ben)
        assert client.post(f"{path}/start", headers=ana).status_code == 200
        return path

    return begin


class Counting(MemoryStore):
    """A store that counts the games it was asked for in lists."""

    loaded = 0

    def load_many(self, game_ids):
        self.loaded += len(game_ids)
        return super().load_many(game_ids)


class TestTheFirstFrame:
    @pytest.fixture
    def store(self, clock):
        store = Counting(clock)
        yield store
        store.close()

    def test_is_the_list_of_games_that_are_not_over(self, client, open_table, ana, follow):
        open_table(ana, seats=2)
        over = open_table(ana, seats=2)["id"]
        client.post(f"/v1/games/{over}/abort", headers=ana)
        listed = client.get("/v1/me/games?status=waiting", headers=ana).json["games"]

        with follow(ana) as frames:
            first = next(frames)

        assert (first.type, first.id) == ("snapshot", first.data["id"])
        assert first.data["games"] == listed
        assert len(listed) == 1

    def test_names_an_old_game_behind_many_that_are_over(self, client, clock, store, open_table, ana, follow):
        old = open_table(ana, seats=2)["id"]
        clock.on(1)
        for _ in range(40):
            over = open_table(ana, seats=2)["id"]
            client.post(f"/v1/games/{over}/abort", headers=ana)

        with follow(ana) as frames:
            first = next(frames)

        assert [game["id"] for game in first.data["games"]] == [old]
        # Those that are over stay for months: they were not looked at.
        assert store.loaded == 1

    def test_names_no_game_that_is_over_and_was_listed_late(self, client, store, open_table, ana, follow):
        over = open_table(ana, seats=2)["id"]
        me = client.get("/v1/me", headers=ana).json["id"]
        (entry,) = store.games_in(GameList.unfinished(me), limit=2)
        client.post(f"/v1/games/{over}/abort", headers=ana)
        # Whoever opened the table writes it into her lists only now.
        store.list_game(over, at=entry.at, expires_at=entry.at + DAY, lists=[GameList.unfinished(me)])

        with follow(ana) as frames:
            first = next(frames)

        assert first.data["games"] == []
        assert store.games_in(GameList.unfinished(me), limit=2) == []

    def test_names_no_more_than_the_newest_games(self, clock, open_table, ana, follow, monkeypatch):
        monkeypatch.setattr("service.api.sse.account_stream._MAX_GAMES", 2)
        opened = []
        for _ in range(3):
            opened.append(open_table(ana, seats=2)["id"])
            clock.on(1)

        with follow(ana) as frames:
            first = next(frames)

        assert [game["id"] for game in first.data["games"]] == opened[:0:-1]

    def test_is_what_came_behind_a_cursor(self, begin, ana, follow):
        with follow(ana) as frames:
            since = next(frames).id
        path = begin()

        with follow(ana, f"?after={since}") as frames:
            told = next(frames)

        assert (told.type, told.data["game_id"]) == ("game.started", path.rsplit("/", 1)[-1])

    def test_is_a_list_again_where_the_cursor_is_too_old(self, store, begin, ana, follow, monkeypatch):
        monkeypatch.setattr("tests.support.memory_store.accounts.MAX_ACCOUNT_EVENTS", 1)
        for _ in range(3):
            begin()

        with follow(ana, "?after=1-0") as frames:
            assert next(frames).type == "snapshot"

    def test_is_a_list_again_where_the_cursor_is_of_a_future_that_was_lost(self, begin, ana, follow):
        begin()

        with follow(ana, "?after=999999999999999-0") as frames:
            assert next(frames).type == "snapshot"


class TestWhatFollows:
    def test_reports_every_game_and_the_players_own_turns(self, client, begin, ana, ben, follow):
        with follow(ana) as anas, follow(ben) as bens:
            assert [next(frames).type for frames in (anas, bens)] == ["snapshot", "snapshot"]
            paths = [begin(), begin()]
            started = [anas.until("game.started")[-1].data for _ in paths]
            assert [f"/v1/games/{event['game_id']}" for event in started] == paths
            bens.until("game.started")
            turns = {path: client.get(path, headers=ana).json["turn"]["seat"] for path in paths}
        with follow(ana, "?after=0-0") as frames:
            told = frames.log(2 + list(turns.values()).count(0))

        mine = [frame.data["game_id"] for frame in told if frame.type == "turn.started"]
        assert [f"/v1/games/{game_id}" for game_id in mine] == [path for path in paths if turns[path] == 0]

    def test_says_where_to_look(self, client, begin, ana, follow):
        path = begin()
        with follow(ana, "?after=0-0") as frames:
            told = next(frames).data
        (event,) = [
            one
            for one in client.get(f"{path}/events?limit=100", headers=ana).json["events"]
            if one["id"] == f"{told['version']}-{told['seq']}"
        ]

        assert (event["type"], event["at"], told["seat"]) == (told["type"], told["at"], 0)

    def test_holds_no_card(self, begin, ana, follow):
        begin()
        with follow(ana, "?after=0-0") as frames:
            told = next(frames).data

        assert set(told) == {"type", "id", "game_id", "version", "seq", "at", "seat"}

    def test_goes_on_without_gap_or_repeat(self, begin, ana, follow):
        for _ in range(3):
            begin()
        with follow(ana, "?after=0-0") as frames:
            whole = [frame.id for frame in frames.log(3)]

        one_by_one, cursor = [], "0-0"
        for _ in range(3):
            with follow(ana, **{"Last-Event-ID": cursor}) as frames:
                cursor = next(frames).id
                one_by_one.append(cursor)

        assert one_by_one == whole

    def test_fits_the_document(self, contract, begin, ana, follow):
        with follow(ana) as frames:
            first = next(frames)
            begin()
            told = [first, next(frames)]

        for frame in told:
            contract.fits({"$ref": "#/components/schemas/AccountEvent"}, frame.data)

    def test_has_a_shape_for_every_notice(self):
        assert set(NOTIFICATION_TYPES) | {"snapshot", "stream.closing", "ping"} == set(ACCOUNT_EVENTS)


class TestTheEnd:
    @pytest.fixture
    def streams(self, clock, store):
        streams = Connections(store=store, now=clock, slots=20, timing=Timing(life_seconds=0.0))
        yield streams
        streams.close()

    def test_is_reported(self, contract, ana, follow):
        with follow(ana) as frames:
            _, last = list(frames)

        assert last.data["reason"] == "rotate"
        contract.fits({"$ref": "#/components/schemas/AccountEvent"}, last.data)


class TestRights:
    def test_are_those_of_a_token_that_may_read(self, client, ana):
        made = client.post("/v1/tokens", json={"name": "x", "scopes": ["games:play"]}, headers=ana).json

        answer = client.get("/v1/me/stream", headers={"Authorization": f"Bearer {made['token']}"})

        assert (answer.status_code, answer.json["code"]) == (403, "insufficient_scope")

    def test_may_come_with_a_ticket(self, client, ana):
        ticket = client.post("/v1/stream-tickets", headers=ana).json["ticket"]

        with client.get(f"/v1/me/stream?ticket={ticket}") as answer:
            assert next(Frames(answer.response)).type == "snapshot"

    def test_allow_four_at_once_beside_those_of_games(self, client, begin, ana, follow):
        path = begin()
        open_ones = [client.get("/v1/me/stream", headers=ana) for _ in range(4)]
        refused = client.get("/v1/me/stream", headers=ana)
        open_ones.append(client.get(f"{path}/stream", headers=ana))
        for answer in open_ones:
            answer.close()

        assert [answer.status_code for answer in open_ones] == [200] * 5
        assert (refused.status_code, refused.json["code"]) == (429, "too_many_streams")

    def test_end_with_the_player(self, client, streams, ana, follow):
        object.__setattr__(streams, "timing", Timing(check_seconds=0.01, heartbeat_seconds=0.01))
        with follow(ana) as frames:
            next(frames)
            assert client.delete("/v1/me", headers=ana).status_code == 204

            assert frames.until("stream.closing")[-1].data["reason"] == "token_revoked"
