"""Rated games over HTTP: how they end, who is told, and what an attack on the ratings brings."""

import pytest


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
