"""A sandbox from a game that is over, as it stood at one of its versions, with all its cards."""

import random

import pytest

from service.rummy.presets import PRESETS

SEATS = {"cardcouch": 2, "partnership": 4, "persian": 4, "kitchen-table": 5}


@pytest.fixture
def again(client, ana):
    """Open a sandbox from a game at a version, and return the response."""

    def again(game_id, version, headers=ana, **members):
        body = {
            "sandbox": True,
            "seats_held": "creator",
            "position_of": {"game_id": game_id, "version": version},
        }
        return client.post("/v1/games", json={**body, **members}, headers=headers)

    return again


@pytest.fixture
def over(client, open_table, ana):
    """Play a game to its end; return its id and what each seat saw at the versions with a turn."""

    def over(preset, seats=2, **settings):
        dice = random.Random(preset)
        held = {"sandbox": True, "seats_held": "creator", "seed": preset}
        rules = {"preset": preset, "overrides": {"deals": 2}}
        game = open_table(ana, variant=rules, seats=seats, **{**held, **settings})
        path, seen = f"/v1/games/{game['id']}", {}
        while game["status"] in {"playing", "deal_over"}:
            if game["status"] == "playing" and game["version"] % 7 == 0:
                seen[game["version"]] = [
                    client.get(f"{path}?as_seat={seat}", headers=ana).json for seat in range(seats)
                ]
            moves = client.get(f"{path}/legal-moves", headers=ana).json["moves"]
            laying = [move for move in moves if move["type"] in {"meld", "lay_off"}]
            move = dice.choice(laying or moves)
            game = client.post(move["path"], json=move["body"], headers=ana).json["game"]
        return game, seen

    return over


def told(view):
    """What a game shows of its cards and scores."""
    names = ("deal", "dealer", "phase", "you", "stock_count", "discard_pile", "melds", "variant", "teams")
    seats = [
        {name: seat[name] for name in ("hand_count", "known_cards", "table_points", "total")}
        for seat in view["seats"]
    ]
    turn = {name: view["turn"][name] for name in ("seat", "must_use", "may_not_discard")}
    return {**{name: view[name] for name in names}, "seats": seats, "turn": turn}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_seat_sees_what_it_saw_then(client, over, again, ana, preset):
    game, seen = over(preset, SEATS.get(preset, 3))

    assert len(seen) > 3
    for version, views in list(seen.items())[:12]:
        made = again(game["id"], version)
        assert (made.status_code, made.json["version"], made.json["rated"]) == (201, 1, False)
        assert made.json["sandbox"]
        for seat, view in enumerate(views):
            shown = client.get(f"/v1/games/{made.json['id']}?as_seat={seat}", headers=ana).json
            assert told(shown) == told(view)


def test_the_stock_is_the_same_too(client, over, again, ana):
    game, seen = over("classic")
    version = next(version for version, views in seen.items() if views[0]["phase"] == "draw")
    drawn = []
    for _ in range(2):
        path = f"/v1/games/{again(game['id'], version).json['id']}"
        drawn.append(client.post(f"{path}/draw-stock", headers=ana).json["events"][0]["card"])
    log = client.get(f"/v1/games/{game['id']}/replay", headers=ana).json
    then = [
        event["card"]
        for deal in log["deals"]
        for event in deal["events"]
        if event["type"] == "stock.drawn" and event["version"] > version
    ]

    assert drawn[0] == drawn[1] == then[0]


class TestARefusal:
    def test_of_a_game_that_is_still_running(self, open_table, again, ana):
        refused = again(open_table(ana, opponents=[{}])["id"], 1)

        assert (refused.status_code, refused.json["code"]) == (409, "game_running")

    @pytest.mark.parametrize("version", [10_000, 2])
    def test_of_a_version_without_a_turn(self, client, open_table, again, ana, ben, version):
        game = open_table(ana, seats=2, visibility="public")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", headers=ben)
        client.post(f"{path}/start", headers=ana)
        for headers in (ana, ben):
            client.post(f"{path}/resignation", headers=headers)
        refused = again(game["id"], version)

        assert (refused.status_code, refused.json["code"]) == (422, "impossible_position")
        assert refused.json["errors"][0]["field"] == "position_of.version"
        assert again(game["id"], 3, seats_held=None, opponents=[{}]).status_code == 201

    def test_for_a_caller_who_may_not_see_the_game(self, over, again, ben):
        game, seen = over("classic", visibility="private")

        assert again(game["id"], min(seen), headers=ben).json["code"] == "not_found"
        assert again("g0", 1).json["code"] == "not_found"

    def test_for_a_caller_who_may_not_watch_it(self, over, again, ben):
        game, seen = over("classic", visibility="public")

        assert again(game["id"], min(seen), headers=ben).json["code"] == "not_seated"

    def test_outside_a_sandbox(self, over, again):
        game, seen = over("classic")
        refused = again(game["id"], min(seen), sandbox=False, seats_held=None)

        assert (refused.status_code, refused.json["code"]) == (422, "sandbox_only")

    @pytest.mark.parametrize(
        "member", [{"position": {"hands": [["7H"], ["9H"]]}}, {"variant": {"preset": "jokers"}}, {"seats": 2}]
    )
    def test_of_what_the_game_decides(self, again, member):
        refused = again("g0", 1, **member)

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
        assert [error["field"] for error in refused.json["errors"]] == [*member]
