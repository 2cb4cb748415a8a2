"""People who meet, at two API processes: at a table's last seat, at a rematch, by a seek."""

from collections import Counter
from functools import partial

import pytest

from tests.e2e.people import at_once, codes, statuses


@pytest.fixture
def people(url, arrive):
    return [arrive(url, f"Player {number}") for number in range(8)]


class TestTheLastSeat:
    def test_is_taken_by_one_of_eight(self, arrive, url, people):
        host = arrive(url, "Ana")
        game = host.open(seats=3, visibility="public")

        answers = at_once(*(partial(one.post, f"{game}/seats") for one in people))

        assert statuses(answers) == [201] * 2 + [409] * 6
        assert codes(answers) == {"game_full"}
        view = host.view(game)
        assert (view["version"], len({seat["player"]["id"] for seat in view["seats"]})) == (3, 3)


class TestARematch:
    def test_asked_for_by_both_at_once_and_again_and_again_is_one_game(self, people):
        ana, ben = people[:2]
        game = ana.open(seats=2, clock=None, visibility="public")
        ben.post(f"{game}/seats")
        # Given up before it began: both still sit there.
        ana.post(f"{game}/abort")

        answers = at_once(*(partial(one.elsewhere().post, f"{game}/rematch") for one in [ana, ben] * 4))

        assert statuses(answers) == [200] * 7 + [201]
        (again,) = {f"/v1/games/{answer.json()['id']}" for answer in answers}
        view = ana.view(again)
        assert (view["status"], view["version"]) == ("playing", 2)
        assert {seat["player"]["name"] for seat in view["seats"]} == {"Player 0", "Player 1"}
        assert [event["type"] for event in ana.events(game)].count("rematch.offered") == 1


class TestSeeks:
    def test_bring_everybody_to_one_table_with_one_other(self, people):
        wanted = {"variant": {"preset": "classic", "overrides": {"target": 350}}}
        seeks = at_once(*(partial(one.post, "/v1/seeks", wanted) for one in people))
        paths = [f"/v1/seeks/{answer.json()['id']}" for answer in seeks]
        found = at_once(*(partial(one.http.put, path) for one, path in zip(people, paths, strict=True)))

        games = [answer.json()["game_id"] for answer in found]
        assert set(Counter(games).values()) == {2}
        for one, game_id in zip(people, games, strict=True):
            view = one.view(f"/v1/games/{game_id}")
            assert (view["status"], view["version"], view["viewer"]["role"]) == ("playing", 1, "player")
