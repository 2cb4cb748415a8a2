"""Boards and profiles over HTTP."""

from uuid import uuid4

import pytest

from service.effects.rating_updates import Skill, encode_skill
from service.store.ratings import RatingUpdate


def me(client, headers):
    return client.get("/v1/me", headers=headers).json


@pytest.fixture
def beat(client, store):
    """Let one player have won most of twelve rated games, and another have lost them."""

    def beat(winner, loser, pool="people"):
        for headers, skill in (
            (winner, Skill(mu=31, sigma=2, games=12, wins=9)),
            (loser, Skill(mu=20, sigma=2, games=12)),
        ):
            player_id = me(client, headers)["id"]
            before = store.ratings(pool, [player_id])[0]
            update = RatingUpdate(
                player_id=player_id, replaces=before, body=encode_skill(skill), score=skill.score
            )
            assert store.rate(pool, f"g00{uuid4().hex}", [update], at=1)

    return beat


class TestTheBoard:
    def test_it_is_empty_before_the_first_rated_game(self, client, ana):
        for pool in ("people", "bots", "computers"):
            page = client.get(f"/v1/leaderboards/{pool}", headers=ana).json
            assert page == {"pool": pool, "entries": [], "next_cursor": None}

    def test_the_winner_stands_above_the_loser(self, client, ana, ben, beat):
        beat(ana, ben)

        first, second = client.get("/v1/leaderboards/people", headers=ben).json["entries"]

        assert [first["player"]["name"], second["player"]["name"]] == ["Ana", "Ben"]
        assert (first["rank"], second["rank"]) == (1, 2)
        assert first["rating"] > 1500 > second["rating"]
        assert first["games"] == second["games"] == 12

    def test_bots_have_a_board_of_their_own(self, client, settle, beat):
        beat(settle("Robo", "bot"), settle("Clank", "bot"), pool="bots")
        anyone = settle("Eve")

        entries = client.get("/v1/leaderboards/bots", headers=anyone).json["entries"]

        assert [entry["player"]["name"] for entry in entries] == ["Robo", "Clank"]
        assert client.get("/v1/leaderboards/people", headers=anyone).json["entries"] == []

    def test_it_is_read_page_by_page(self, client, ana, settle, beat):
        others = [settle(f"P{number}") for number in range(4)]
        for other in others:
            beat(ana, other)

        names, cursor = [], ""
        while cursor is not None:
            page = client.get(f"/v1/leaderboards/people?limit=2{cursor}", headers=ana).json
            names += [entry["player"]["name"] for entry in page["entries"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"

        assert names[0] == "Ana"
        assert sorted(names) == ["Ana", "P0", "P1", "P2", "P3"]

    def test_a_former_player_is_on_no_board(self, client, ana, ben, beat):
        beat(ben, ana)
        assert client.delete("/v1/me", headers=ben).status_code == 204

        (entry,) = client.get("/v1/leaderboards/people", headers=ana).json["entries"]

        assert entry["player"]["name"] == "Ana"
        assert entry["rank"] == 1

    def test_a_player_deleted_in_the_meantime_is_removed(self, client, ana, ben, beat, store):
        beat(ben, ana)
        # As the year's end does it, which knows nothing of boards.
        del store._players[me(client, ben)["id"]]

        seen = client.get("/v1/leaderboards/people", headers=ana).json["entries"]

        assert [entry["player"]["name"] for entry in seen] == ["Ana"]
        (entry,) = client.get("/v1/leaderboards/people", headers=ana).json["entries"]
        assert entry["rank"] == 1

    def test_computers_stand_there_by_level(self, client, ana, store):
        store.rate(
            "computers",
            "g00x",
            [
                RatingUpdate(
                    player_id="steady", replaces=None, body=b'{"mu":30,"sigma":2,"games":7}', score=1440
                )
            ],
            at=1,
        )

        (entry,) = client.get("/v1/leaderboards/computers", headers=ana).json["entries"]

        assert (entry["player"], entry["level"], entry["rating"], entry["score"]) == (
            None,
            "steady",
            1800,
            1440,
        )

    @pytest.mark.parametrize("path", ["leaderboards/heroes", "leaderboards/Human"])
    def test_an_unknown_pool_is_not_found(self, client, ana, path):
        answer = client.get(f"/v1/{path}", headers=ana)

        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
        assert "computers" in answer.json["detail"]

    @pytest.mark.parametrize("cursor", ["x", "1.", "1.p/q", "99999999999.pA"])
    def test_a_cursor_of_ones_own_making_is_refused(self, client, ana, cursor):
        answer = client.get(f"/v1/leaderboards/people?cursor={cursor}", headers=ana)

        assert answer.status_code == 422


class TestProfiles:
    def test_everybody_may_know_name_kind_and_ratings(self, client, ana, ben, beat):
        beat(ana, ben)

        profile = client.get(f"/v1/players/{me(client, ana)['id']}", headers=ben).json

        assert (profile["name"], profile["kind"]) == ("Ana", "human")
        (rating,) = profile["ratings"]
        assert (rating["pool"], rating["rank"], rating["games"]) == ("people", 1, 12)

    def test_nothing_private_is_sent(self, client, ana, ben):
        profile = client.get(f"/v1/players/{me(client, ana)['id']}", headers=ben).json

        assert set(profile) == {"id", "name", "kind", "created_at", "ratings"}
        assert profile["ratings"] == []

    def test_a_player_who_does_not_exist_or_left_is_not_found(self, client, ana, ben):
        gone = me(client, ben)["id"]
        client.delete("/v1/me", headers=ben)

        for player_id in (gone, "pNobody", "x"):
            answer = client.get(f"/v1/players/{player_id}", headers=ana)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")
