"""What was seen can be posted back: a game, or the opening of a replay, as the position of a sandbox."""

import random

import pytest

from service.rummy.presets import PRESETS

#: What a new game has for itself.
OF_ITS_OWN = {
    "id",
    "version",
    "created_at",
    "updated_at",
    "expires_at",
    "server_time",
    "invite_code",
    "spectator_code",
    "visibility",
    "spectators",
    "clock",
    "sandbox",
    "seats_held",
    "quiet_turns_left",
    "deals",
}
SEATS = {"cardcouch": 2, "partnership": 4, "persian": 4, "kitchen-table": 5}
CARDS_OF_A_SEAT = ("seat", "team", "hand_count", "known_cards", "table_points", "total")


def told(view):
    """What a game shows of its cards, scores and turn."""
    turn = {name: view["turn"][name] for name in ("seat", "must_use", "may_not_discard")}
    if view["phase"] != "rummy_call":
        turn["may_act"] = view["turn"]["may_act"]
    seats = [{name: seat[name] for name in CARDS_OF_A_SEAT} for seat in view["seats"]]
    kept = {name: value for name, value in view.items() if name not in OF_ITS_OWN}
    viewer = {name: view["viewer"][name] for name in ("role", "seat")}
    return {**kept, "turn": turn, "seats": seats, "viewer": viewer}


@pytest.fixture
def post(client, ana):
    """Open a sandbox from a position, all seats held, and return the response."""

    def post(position, **members):
        body = {"sandbox": True, "seats_held": "creator", "seed": "again", "position": position, **members}
        return client.post("/v1/games", json=body, headers=ana)

    return post


@pytest.fixture
def seen_again(client, ana, post):
    """Post a game that was seen, and return the new game as the same seat sees it."""

    def seen_again(view):
        made = post(view)
        assert made.status_code == 201, made.json
        seat = view["viewer"]["seat"]
        return client.get(f"/v1/games/{made.json['id']}?as_seat={seat}", headers=ana).json

    return seen_again


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_posted_back_shows_the_same(client, open_table, ana, seen_again, preset):
    """At any moment, to any player."""
    dice = random.Random(f"seen {preset}")
    seats = SEATS.get(preset, 3)
    opened = {"variant": {"preset": preset, "overrides": {"deals": 2}}, "seats": seats, "seed": preset}
    game = open_table(ana, **opened, sandbox=True, seats_held="creator")
    path = f"/v1/games/{game['id']}"
    compared = 0
    for played in range(250):
        if game["status"] not in {"playing", "deal_over"}:
            break
        listed = client.get(f"{path}/legal-moves", headers=ana).json
        kinds = sorted({move["type"] for move in listed["moves"]})
        liked = [kind for kind in kinds if kind in {"meld", "lay_off", "take_discard"}]
        kind = dice.choice(liked if liked and dice.random() < 0.6 else kinds)
        move = dice.choice([move for move in listed["moves"] if move["type"] == kind])
        game = client.post(move["path"], json=move["body"], headers=ana).json["game"]
        if game["status"] == "playing" and (played % 9 == 0 or game["turn"]["must_use"]):
            view = client.get(f"{path}?as_seat={dice.randrange(seats)}", headers=ana).json
            assert told(seen_again(view)) == told(view)
            compared += 1

    assert compared > 10


class TestAPartOfAGame:
    @pytest.fixture
    def game(self, sandbox, ana):
        melds = [{"owner": 1, "cards": [{"card": card} for card in ("3S", "4S", "5S")]}]
        return sandbox(ana, ["7H 7D KD", "9H 9C"], pile="4D 7C", melds=melds, totals=[120, -35], seed="seen")

    def test_its_melds_and_turn_as_they_are_shown(self, post, game):
        position = {
            "hands": [["7H", "7D", "KD"], ["9H", "9C"]],
            **{name: game[name] for name in ("melds", "discard_pile", "turn", "phase", "dealer", "deal")},
        }
        made = post(position, variant=game["variant"])

        assert made.status_code == 201
        assert [made.json[name] for name in ("melds", "discard_pile", "variant")] == [
            game[name] for name in ("melds", "discard_pile", "variant")
        ]

    def test_the_hands_that_are_null_are_dealt_by_the_seed(self, client, ana, post):
        position = {"hands": [["7H", "7D"], None], "seats": [{}, {"hand_count": 5, "known_cards": ["KS"]}]}
        hands = []
        for seed in ("one", "one", "two"):
            made = post({**position, "discard_pile": ["4D"]}, seed=seed).json
            hands.append(client.get(f"/v1/games/{made['id']}?as_seat=1", headers=ana).json["you"]["hand"])

        assert all(len(hand) == 5 and "KS" in hand for hand in hands)
        assert hands[0] == hands[1] != hands[2]
        assert made["seats"][1]["known_cards"] == ["KS"]

    def test_a_computer_may_take_the_other_seat(self, client, ana, game):
        view = client.get(f"/v1/games/{game['id']}?as_seat=0", headers=ana).json
        body = {"sandbox": True, "opponents": [{}], "position": view}
        made = client.post("/v1/games", json=body, headers=ana).json

        assert made["you"] == view["you"]
        assert made["seats"][1]["kind"] == "computer"

    @pytest.mark.parametrize(
        "changed, field",
        [
            ({"melds": [{"owner": 1, "id": "m2"}]}, "position.melds.0.id"),
            ({"melds": [{"owner": 1, "kind": "set"}]}, "position.melds.0.kind"),
            ({"turn": None}, "position.turn"),
            ({"turn": {"seat": None}}, "position.turn"),
        ],
    )
    def test_that_contradicts_itself_is_impossible(self, post, changed, field):
        cards = [{"card": card} for card in ("3S", "4S", "5S")]
        changed = {**changed, "melds": [{**meld, "cards": cards} for meld in changed.get("melds", ())]}
        refused = post({"hands": [["7H"], ["9H"]], **changed})

        assert (refused.status_code, refused.json["code"]) == (422, "impossible_position")
        assert refused.json["errors"][0]["field"] == field

    @pytest.mark.parametrize(
        "position, field",
        [
            ({}, "position.hands"),
            ({"hands": [["7H"], ["9H"]], "cards": []}, "position.cards"),
            (
                {"hands": [["7H"], ["9H"]], "melds": [{"owner": 0, "cards": [], "worth": 3}]},
                "position.melds.0.worth",
            ),
            ({"hands": [["7H"], None], "seats": [{}]}, "position.seats"),
            ({"seats": [{}, {}], "you": {"hand": ["7H"]}}, "position.viewer"),
            ({"seats": [{}, {}], "you": {"hand": ["7H"]}, "viewer": {"seat": 2}}, "position.viewer"),
            ({"hands": [["7H"], ["9H"]], "id": 3}, "position.id"),
            ({"hands": [["7H"], ["9H"]], "id": "g" * 201}, "position.id"),
            ({"hands": [["7H"], ["9H"]], "version": True}, "position.version"),
            ({"hands": [["7H"], ["9H"]], "rated": "no"}, "position.rated"),
            ({"hands": [["7H"], ["9H"]], "winners": 1}, "position.winners"),
            ({"hands": [["7H"], ["9H"]], "clock": []}, "position.clock"),
        ],
    )
    def test_that_does_not_fit_is_named(self, post, position, field):
        refused = post(position)

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
        assert field in {error["field"] for error in refused.json["errors"]}

    def test_whose_hand_has_no_size_says_which_member_has_it(self, post):
        refused = post({"hands": [["7H"], None]})

        assert (refused.json["code"], refused.json["errors"][0]["field"]) == (
            "impossible_position",
            "position.hands",
        )
        assert "hand_count" in refused.json["detail"]

    def test_of_a_game_that_is_over_has_no_turn(self, client, ana, post, game):
        client.post(f"/v1/games/{game['id']}/resignation", headers=ana)
        over = client.get(f"/v1/games/{game['id']}", headers=ana).json

        assert over["turn"] is None
        assert post(over).json["errors"][0]["field"] == "position.turn"


class TestAReplay:
    @pytest.mark.parametrize("over", [False, True])
    def test_its_deal_is_a_position(self, client, ana, open_table, post, over):
        game = open_table(ana, sandbox=True, seats_held="creator", seats=2, seed="dealt")
        path = f"/v1/games/{game['id']}"
        before = client.get(path, headers=ana).json
        if over:
            client.post(f"{path}/resignation", headers=ana)
        replay = client.get(f"{path}/replay", headers=ana).json
        dealt = replay["deals"][0]["events"][0]
        made = post(dealt, variant=game["variant"]).json

        assert dealt["type"] == "deal.started"
        assert ("null" in str(dealt["hands"]).replace("None", "null")) != over
        for name in ("stock_count", "discard_pile", "dealer", "phase"):
            assert made[name] == before[name]
        assert made["turn"]["seat"] == before["turn"]["seat"]
        assert (
            client.get(f"/v1/games/{made['id']}?as_seat={before['turn']['seat']}", headers=ana).json["you"]
            == (before["you"])
        )

    def test_a_given_position_is_one_again(self, client, ana, sandbox, post):
        game = sandbox(
            ana,
            ["7H 7D 7C KD", "9H 9C"],
            pile="4D",
            turn={"phase": "meld", "tabled_before_turn": True},
            seed="x",
        )
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/resignation", headers=ana)
        given = client.get(f"{path}/replay", headers=ana).json["deals"][0]["events"][0]
        made = post(given).json

        assert given["type"] == "position.given"
        client.post(f"/v1/games/{made['id']}/resignation", headers=ana)
        again = client.get(f"/v1/games/{made['id']}/replay", headers=ana).json["deals"][0]["events"][0]
        own = {"id", "game_id", "at", "commitment"}
        assert {name: again[name] for name in again.keys() - own} == {
            name: given[name] for name in given.keys() - own
        }


class TestCopiedRules:
    def test_may_have_their_options(self, client, ana, open_table):
        rules = open_table(ana, variant={"preset": "ace-low", "overrides": {"target": 300}}, seats=3)[
            "variant"
        ]

        assert open_table(ana, variant=rules, seats=3)["variant"] == rules
        seek = client.post("/v1/seeks", json={"variant": rules, "seats": 3}, headers=ana)
        assert seek.json["variant"] == rules

    @pytest.mark.parametrize(
        "path, more", [("games", {}), ("seeks", {}), ("score-sheets", {"players": ["A", "B"]})]
    )
    def test_whose_options_disagree_are_refused(self, client, ana, path, more):
        body = {"variant": {"overrides": {"target": 300}, "options": {"target": 500}}, **more}
        refused = client.post(f"/v1/{path}", json=body, headers=ana)

        assert (refused.status_code, refused.json["code"]) == (422, "variant_contradiction")
        assert refused.json["option"] == "target"
