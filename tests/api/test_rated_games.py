"""Rated games over HTTP: how they end, who is told, and what an attack on the ratings brings."""

from random import Random

import pytest

from service.games.record import Status
from service.games.seating import abort_idle
from service.games.table_moves import lawful_moves
from service.games.timing import SEAT_KEPT_MS
from service.runtime.durations import DAY_MS


def me(client, headers):
    return client.get("/v1/me", headers=headers).json["id"]


def ratings(client, headers):
    return client.get(f"/v1/players/{me(client, headers)}", headers=headers).json["ratings"]


@pytest.fixture
def arranged(client, open_table):
    """Begin a rated game of players who meet by its invite code; return its path."""

    def arranged(creator, *others):
        game = open_table(creator, seats=1 + len(others), rated=True)
        path = f"/v1/games/{game['id']}"
        for other in others:
            joined = client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=other)
            assert joined.status_code == 201
        assert client.post(f"{path}/start", headers=creator).status_code == 200
        return path

    return arranged


@pytest.fixture
def matched(client):
    """Begin a rated game of two players whom their seeks bring together; return its path."""

    def matched(one, other):
        client.post("/v1/seeks", json={"rated": True}, headers=one)
        found = client.post("/v1/seeks", json={"rated": True}, headers=other).json
        return f"/v1/games/{found['game_id']}"

    return matched


@pytest.fixture
def play_deal(table):
    """Play a game on to the end of its deal."""

    def play_deal(path):
        rng = Random(3)
        record = table.get(path.rpartition("/")[2])
        while record.status is Status.PLAYING:
            move = rng.choice(lawful_moves(record, record.may_act()[0]).moves)
            record = table.play(record, move).record
        assert record.status is Status.DEAL_OVER

    return play_deal


class TestARatedGameOfTwo:
    def test_is_over_when_one_of_them_resigns(self, client, arranged, ana, ben):
        path = arranged(ana, ben)

        ended = client.post(f"{path}/resignation", headers=ben)

        assert ended.status_code == 201
        game = client.get(path, headers=ana).json
        assert (game["status"], game["reason"], game["winners"]) == ("finished", "resignation", [0])

    def test_tells_both_of_them(self, client, arranged, store, ana, ben):
        path = arranged(ana, ben)
        client.post(f"{path}/resignation", headers=ben)

        for headers in (ana, ben):
            (last,) = store.account_events(me(client, headers), limit=100).events[-1:]
            assert b'"game.ended"' in last.body
        assert client.get(f"{path}/events", headers=ana).json["events"][-1]["type"] == "game.ended"

    def test_is_won_by_the_player_whose_opponent_deletes_the_account(self, client, arranged, ana, ben):
        path = arranged(ana, ben)

        assert client.delete("/v1/me", headers=ben).status_code == 204

        game = client.get(path, headers=ana).json
        assert (game["status"], game["reason"], game["winners"]) == ("finished", "resignation", [0])

    def test_is_over_when_the_time_of_one_runs_out_three_times(
        self, client, clock, arranged, table, ana, ben
    ):
        path = arranged(ana, ben)
        leaver = client.get(path, headers=ana).json["turn"]["seat"]
        for _ in range(6):
            game = client.get(path, headers=ana).json
            if game["status"] == "finished":
                break
            if game["turn"]["seat"] == leaver:
                clock.on(120_001)
                assert table.expire(table.get(game["id"])) is not None
            else:
                headers = (ana, ben)[game["turn"]["seat"]]
                card = client.post(f"{path}/draw-stock", headers=headers).json["events"][0]["card"]
                client.post(f"{path}/discard", json={"card": card}, headers=headers)

        assert (game["status"], game["reason"], game["winners"]) == ("finished", "resignation", [1 - leaver])


class TestAttacks:
    def test_ten_guests_who_resign_at_once_change_no_rating(self, client, arranged, settle, ana):
        for number in range(10):
            path = arranged(ana, settle(f"Guest {number}"))
            loser = client.get(path, headers=ana).json
            assert loser["status"] == "playing"
            client.post(f"{path}/resignation", headers=ana)

        for number in range(10):
            guest = settle(f"Other {number}")
            client.post(f"{arranged(ana, guest)}/resignation", headers=guest)

        assert ratings(client, ana) == []
        assert client.get("/v1/leaderboards/people", headers=ana).json["entries"] == []

    def test_strangers_who_resign_at_once_lose_and_nobody_gains(self, client, matched, ana, ben):
        path = matched(ana, ben)

        client.post(f"{path}/resignation", headers=ben)

        assert ratings(client, ana) == []
        (lost,) = ratings(client, ben)
        assert (lost["games"], lost["wins"]) == (1, 0)
        assert lost["rating"] < 1500

    def test_to_resign_after_one_move_brings_no_more(self, client, matched, ana, ben):
        path = matched(ana, ben)
        mover = (ana, ben)[client.get(path, headers=ana).json["turn"]["seat"]]
        assert client.post(f"{path}/draw-stock", headers=mover).status_code == 201

        client.post(f"{path}/resignation", headers=ben)

        assert ratings(client, ana) == []
        (lost,) = ratings(client, ben)
        assert (lost["games"], lost["wins"]) == (1, 0)

    def test_who_leaves_after_a_deal_has_lost_and_the_other_has_won(
        self, client, matched, play_deal, ana, ben
    ):
        path = matched(ana, ben)
        play_deal(path)

        client.post(f"{path}/resignation", headers=ben)

        (won,), (lost,) = ratings(client, ana), ratings(client, ben)
        assert (won["games"], won["wins"], lost["games"], lost["wins"]) == (1, 1, 1, 0)
        assert won["rating"] > 1500 > lost["rating"]
        assert client.get(path, headers=ana).json["winners"] == [0]

    def test_two_who_trade_wins_count_three_times_a_day_and_are_not_on_the_board(
        self, client, clock, matched, play_deal, ana, ben
    ):
        for number in range(6):
            path = matched(ana, ben)
            play_deal(path)
            client.post(f"{path}/resignation", headers=(ana, ben)[number % 2])
        assert [rating["games"] for rating in ratings(client, ana)] == [3]

        clock.on(DAY_MS)
        path = matched(ana, ben)
        play_deal(path)
        client.post(f"{path}/resignation", headers=ben)

        (after,) = ratings(client, ana)
        assert after["games"] == 4
        assert client.get("/v1/leaderboards/people", headers=ana).json["entries"] == []

    def test_a_chain_of_rematches_counts_three_times_a_day(self, client, matched, play_deal, ana, ben):
        path = matched(ana, ben)
        for _ in range(6):
            play_deal(path)
            assert client.post(f"{path}/resignation", headers=ben).status_code == 201
            for headers in (ana, ben):
                again = client.post(f"{path}/rematch", headers=headers).json
            path = f"/v1/games/{again['id']}"

        (won,) = ratings(client, ana)
        assert (won["games"], won["wins"]) == (3, 3)

    def test_a_guest_who_comes_to_a_rematch_by_code_came_by_arrangement(
        self, client, clock, matched, play_deal, settle, ana, ben
    ):
        path = matched(ana, ben)
        play_deal(path)
        client.post(f"{path}/resignation", headers=ben)
        again = client.post(f"{path}/rematch", headers=ana).json
        clock.on(SEAT_KEPT_MS)
        guest = settle("Guest")
        path = f"/v1/games/{again['id']}"
        joined = client.post(f"{path}/seats", json={"invite_code": again["invite_code"]}, headers=guest)
        assert joined.json["status"] == "playing"
        play_deal(path)

        client.post(f"{path}/resignation", headers=guest)

        assert [rating["games"] for rating in ratings(client, ana)] == [1]
        assert ratings(client, guest) == []

    def test_a_rated_game_is_not_aborted_while_others_play(self, client, matched, ana, ben):
        path = matched(ana, ben)

        refused = client.post(f"{path}/abort", headers=ana)

        assert (refused.status_code, refused.json["code"]) == (409, "already_started")
        assert ratings(client, ana) == ratings(client, ben) == []

    def test_a_game_in_which_nobody_moves_changes_no_rating(self, client, table, matched, ana, ben):
        path = matched(ana, ben)

        table.change(path.rpartition("/")[2], abort_idle)

        assert client.get(path, headers=ana).json["status"] == "aborted"
        assert ratings(client, ana) == ratings(client, ben) == []


class TestAGameThatIsNotRated:
    def test_may_be_ended_by_the_player_who_is_left(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        client.post(f"{path}/start", headers=ana)
        client.post(f"{path}/resignation", headers=ben)
        assert client.get(path, headers=ana).json["status"] == "playing"

        ended = client.post(f"{path}/abort", headers=ana)

        assert (ended.status_code, ended.json["status"]) == (200, "aborted")


def test_what_counts_is_served(client):
    page = client.get("/docs/ratings")

    assert page.status_code == 200
    assert "# Ratings" in page.text
    assert "/docs/ratings" in client.get("/").text
