"""Seeks: players who want the same game are matched, each once."""

import threading

import msgspec
import pytest
from flask.testing import FlaskClient

from service.games.matchmaking import SeekTicket, WantedGame
from service.games.record import Player, SeatKind
from service.games.timing import DEFAULT_TIME_CONTROL, SEEK_MS
from service.store.ids import new_game_id
from service.store.seeks import MATCH_RETENTION_MS, Seek, SeekKey


@pytest.fixture
def seek(client):
    """Create a seek; return the response."""

    def seek(who, **body):
        answer = client.post("/v1/seeks", json=body, headers=who)
        assert answer.status_code == 201, answer.json
        return answer.json

    return seek


@pytest.fixture
def renew(client):
    def renew(who, made):
        return client.put(f"/v1/seeks/{made['id']}", headers=who)

    return renew


@pytest.fixture
def cem(settle):
    return settle("Cem")


class TestLooking:
    def test_a_seek_without_a_match_waits(self, seek, ana):
        made = seek(ana, variant={"preset": "jokers", "overrides": {"target": 300}})

        assert (made["status"], made["game_id"], made["seats"]) == ("waiting", None, 2)
        assert made["variant"]["overrides"] == {"target": 300}
        assert made["clock"] == {"turn_ms": 120_000, "call_window_ms": None, "next_deal_ms": 30_000}
        assert made["renew_after_ms"] < SEEK_MS

    def test_two_players_who_want_the_same_game_play_it(self, client, seek, renew, ana, ben):
        first = seek(ana)
        second = seek(ben)

        assert (second["status"], renew(ana, first).json["game_id"]) == ("matched", second["game_id"])
        game = client.get(f"/v1/games/{second['game_id']}", headers=ana).json
        assert (game["version"], game["status"], game["viewer"]["seat"]) == (1, "playing", 0)
        assert [seat["player"]["name"] for seat in game["seats"]] == ["Ana", "Ben"]
        assert len(game["you"]["hand"]) == 13
        assert (game["visibility"], game["spectators"]) == ("public", "none")

    def test_as_many_as_play_are_brought_together(self, client, seek, renew, ana, ben, cem):
        made = [seek(who, seats=3) for who in (ana, ben, cem)]
        told = [renew(who, one).json["game_id"] for who, one in zip((ana, ben, cem), made, strict=True)]

        assert [one["status"] for one in made] == ["waiting", "waiting", "matched"]
        assert len(set(told)) == 1
        names = client.get(f"/v1/games/{told[0]}", headers=cem).json["seats"]
        assert {seat["player"]["name"] for seat in names} == {"Ana", "Ben", "Cem"}

    @pytest.mark.parametrize(
        "other",
        [
            {"variant": {"preset": "jokers"}},
            {"variant": {"overrides": {"target": 300}}},
            {"seats": 3},
            {"rated": True},
            {"clock": {"turn_ms": 60_000}},
            {"clock": None},
            {"opponent_kind": "bot"},
        ],
    )
    def test_a_seek_for_another_game_is_no_match(self, seek, ana, ben, other):
        seek(ana)

        assert seek(ben, **other)["status"] == "waiting"

    def test_what_is_said_otherwise_and_means_the_same_is_met(self, seek, ana, ben):
        seek(ana, variant={"preset": "classic", "overrides": {"target": 500}}, seats=2)

        assert seek(ben)["status"] == "matched"

    def test_people_may_want_people_and_bots_bots(self, seek, settle, ana, ben):
        bot, other = settle("Rob", "bot"), settle("Bob", "bot")
        seek(ana, opponent_kind="human")

        assert seek(bot)["status"] == "waiting"
        assert seek(other, opponent_kind="bot")["status"] == "matched"
        assert seek(ben)["status"] == "matched"

    def test_no_player_is_matched_with_themselves(self, seek, ana):
        assert [seek(ana)["status"] for _ in range(3)] == ["waiting"] * 3

    def test_a_rated_one_makes_a_rated_game(self, client, seek, ana, ben):
        seek(ana, rated=True)
        game = client.get(f"/v1/games/{seek(ben, rated=True)['game_id']}", headers=ben).json

        assert game["rated"] is True

    def test_matched_players_find_the_game_in_their_lists(self, client, seek, ana, ben):
        seek(ana)
        game_id = seek(ben)["game_id"]

        assert [game["id"] for game in client.get("/v1/me/games", headers=ana).json["games"]] == [game_id]


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        "body, code, field",
        [
            ({"seats": 1}, "validation_failed", "seats"),
            ({"opponent_kind": "computer"}, "validation_failed", "opponent_kind"),
            ({"variant": {"preset": "cardcouch"}, "seats": 3}, "variant_contradiction", "seats"),
            ({"rated": True, "clock": None}, "validation_failed", "clock"),
            ({"rated": True, "clock": {"next_deal_ms": 5}}, "validation_failed", "clock"),
            ({"sandbox": True}, "validation_failed", "sandbox"),
        ],
    )
    def test_is_named(self, client, ana, body, code, field):
        answer = client.post("/v1/seeks", json=body, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, code)
        assert [error["field"] for error in answer.json["errors"]] == [field]


class TestATicket:
    def test_is_over_when_it_is_not_renewed(self, clock, seek, renew, ana, ben):
        made = seek(ana)
        clock.on(SEEK_MS)

        assert seek(ben)["status"] == "waiting"
        assert renew(ana, made).status_code == 404

    def test_lasts_as_long_as_it_is_renewed(self, clock, seek, renew, ana, ben):
        made = seek(ana)
        for _ in range(3):
            clock.on(SEEK_MS - 1)
            assert renew(ana, made).json["status"] == "waiting"

        assert seek(ben)["status"] == "matched"

    def test_is_given_back(self, client, seek, renew, ana, ben):
        made = seek(ana)

        assert client.delete(f"/v1/seeks/{made['id']}", headers=ana).status_code == 204
        assert client.delete(f"/v1/seeks/{made['id']}", headers=ana).status_code == 404
        assert seek(ben)["status"] == "waiting"
        assert renew(ana, made).status_code == 404

    def test_is_not_given_back_once_it_has_found_its_game(self, client, clock, seek, renew, ana, ben):
        made = seek(ana)
        game_id = seek(ben)["game_id"]
        answer = client.delete(f"/v1/seeks/{made['id']}", headers=ana)
        clock.on(MATCH_RETENTION_MS - 1)

        assert (answer.status_code, answer.json["code"]) == (409, "already_started")
        assert renew(ana, made).json["game_id"] == game_id

    def test_is_its_players_own(self, client, seek, renew, ana, ben):
        made = seek(ana)

        assert renew(ben, made).status_code == 404
        assert client.delete(f"/v1/seeks/{made['id']}", headers=ben).status_code == 404
        assert renew(ana, made).status_code == 200

    @pytest.mark.parametrize("seek_id", ["x", "s", "s" + "0" * 32, "s" + "0" * 32 + "x" * 22, "%00"])
    def test_that_is_none_is_not_there(self, client, ana, seek_id):
        assert client.put(f"/v1/seeks/{seek_id}", headers=ana).status_code == 404
        assert client.delete(f"/v1/seeks/{seek_id}", headers=ana).status_code == 404

    def test_asked_for_twice_under_one_key_is_one(self, client, seek, ana, ben):
        key = {**ana, "Idempotency-Key": "k"}
        first, again = (client.post("/v1/seeks", json={}, headers=key) for _ in range(2))

        assert again.json == first.json
        seek(ben)
        assert seek(ben)["status"] == "waiting"


@pytest.fixture
def match(client, store, clock):
    """Match Ben with a seek, in a process that dies before it could deal; return the id of the game."""

    def match(made, who):
        me = client.get("/v1/me", headers=who).json
        wanted = WantedGame(preset="classic", overrides={}, seats=2, rated=False, clock=DEFAULT_TIME_CONTROL)
        player = Player(id=me["id"], name=me["name"], kind=SeatKind.HUMAN)
        seek = Seek(
            name=SeekKey(pool=made["id"][1:33], id="x" * 22, player_id=me["id"]),
            kind="human",
            meets=None,
            size=2,
            body=msgspec.json.encode(SeekTicket(player=player, wanted=wanted, meets=None)),
        )
        sought = store.seek(seek, now=clock(), until=clock() + SEEK_MS, game_id=new_game_id())
        assert store.load(sought.game_id) is None
        return sought.game_id

    return match


class TestHalfWay:
    def test_a_match_without_a_game_gets_one_from_the_next_player_who_reads_it(
        self, client, seek, renew, match, ana, ben
    ):
        made = seek(ana)
        game_id = match(made, ben)

        assert renew(ana, made).json["game_id"] == game_id
        assert client.get(f"/v1/games/{game_id}", headers=ben).json["viewer"]["seat"] == 1

    def test_a_computer_plays_for_a_deleted_player(self, client, seek, renew, match, ana, ben):
        made = seek(ana)
        game_id = match(made, ben)
        client.delete("/v1/me", headers=ben)
        renew(ana, made)

        game = client.get(f"/v1/games/{game_id}", headers=ana)
        assert game.json["status"] == "playing"
        assert [seat["kind"] for seat in game.json["seats"]] == ["human", "computer"]
        assert "Ben" not in game.text


class TestManyAtOnce:
    def test_each_is_matched_once(self, app, settle, table):
        players = {f"Player {number}": settle(f"Player {number}") for number in range(16)}
        start = threading.Barrier(len(players))
        found = {}

        def look(name, who):
            client = FlaskClient(app)
            start.wait()
            told = client.post("/v1/seeks", json={}, headers=who).json
            while told["game_id"] is None:
                told = client.put(f"/v1/seeks/{told['id']}", headers=who).json
            found[name] = told["game_id"]

        threads = [threading.Thread(target=look, args=player) for player in players.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(set(found.values())) == 8
        for game_id in set(found.values()):
            sitting = {seat.name for seat in table.get(game_id).seats}
            assert sitting == {name for name, where in found.items() if where == game_id}
