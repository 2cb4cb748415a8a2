"""playTurn: a whole turn in one request, all or nothing, and no way to look at the stock."""

import pytest

DRAW = {"type": "draw_stock"}
SEVENS = {"type": "meld", "cards": ["7H", "7D", "7C"]}
THROW_DRAWN = {"type": "discard", "card": "drawn"}


def discard(card):
    return {"type": "discard", "card": card}


@pytest.fixture
def say(client, ana):
    """Post a turn at a table, and return the response."""

    def say(game, *moves, query="", **headers):
        headers = {**ana, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return client.post(f"/v1/games/{game['id']}/turns{query}", json={"moves": moves}, headers=headers)

    return say


@pytest.fixture
def game(sandbox, ana):
    return sandbox(ana, ["7H 7D 7C KD 2S", "9H 9C"], pile="4D", stock=["8D", "8C", "JS"])


class TestOneCommit:
    def test_the_whole_turn_is_one_version_with_all_its_events(self, say, game):
        answer = say(game, DRAW, SEVENS, discard("KD"), If_Match='"1"')

        assert answer.status_code == 201
        assert answer.headers["ETag"] == '"2"'
        assert [(event["id"], event["type"]) for event in answer.json["events"]] == [
            ("2-0", "stock.drawn"),
            ("2-1", "meld.laid"),
            ("2-2", "card.discarded"),
            ("2-3", "turn.started"),
        ]
        assert answer.json["game"]["you"]["hand"] == ["8D", "2S"]

    def test_sent_again_it_is_answered_again_and_not_played_twice(self, say, client, ana, game):
        first, again = (say(game, DRAW, THROW_DRAWN, Idempotency_Key="one", If_Match='"1"') for _ in range(2))

        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json == first.json
        assert client.get(f"/v1/games/{game['id']}", headers=ana).json["version"] == 2

    def test_of_two_versions_the_older_is_refused(self, say, game):
        say(game, DRAW)

        assert say(game, discard("KD"), If_Match='"1"').json["code"] == "version_conflict"


class TestARefusal:
    def test_names_the_move_and_its_rule(self, say, game):
        problem = say(game, DRAW, {"type": "meld", "cards": ["7H", "7D", "KD"]}, discard("2S")).json

        assert (problem["code"], problem["kind"], problem["move"]) == ("not_a_set", "illegal_move", 1)
        assert problem["rule"] == "3.2"
        assert problem["errors"] == [{"field": "moves.1", "message": problem["detail"]}]

    def test_changes_nothing(self, say, client, ana, game):
        before = client.get(f"/v1/games/{game['id']}", headers=ana).json

        assert say(game, DRAW, SEVENS, discard("9H")).status_code == 409
        assert client.get(f"/v1/games/{game['id']}", headers=ana).json == before
        assert say(game, DRAW, SEVENS, discard("KD")).status_code == 201

    @pytest.mark.parametrize(
        "moves, field",
        [
            ([], "moves"),
            ([{"type": "peek"}], "moves.0.type"),
            ([{"type": "next_deal"}], "moves.0.type"),
            ([DRAW, discard("1H")], "moves.1.card"),
            ([DRAW, {"type": "meld", "cards": ["7H", "drawn", "7C"]}], "moves.1.cards.1"),
            ([{**DRAW, "card": "7H"}], "moves.0.card"),
            ([DRAW] * 111, "moves"),
        ],
    )
    def test_of_what_does_not_fit_names_the_member(self, say, game, moves, field):
        answer = say(game, *moves)

        assert answer.status_code == 422
        assert [error["field"] for error in answer.json["errors"]] == [field]

    def test_is_kept_under_its_key_with_the_place_of_the_move(self, say, game):
        first, again = (say(game, DRAW, discard("9H"), Idempotency_Key="one") for _ in range(2))

        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json == first.json
        assert again.json["move"] == 1


#: Turns of one who holds 7H 7D KD with 7S 8S 9S on the table, and what they should hear of it.
TRIES = {
    "thrown unseen": ([DRAW, THROW_DRAWN], None),
    "a meld with the card hoped for": (
        [DRAW, {"type": "meld", "cards": ["7H", "7D", "7C"]}],
        "card_not_in_hand",
    ),
    "a lay-off of the card hoped for": (
        [DRAW, {"type": "lay_off", "card": "TS", "meld_id": "m1"}],
        "card_not_in_hand",
    ),
    "the card hoped for thrown": ([DRAW, discard("7C")], "card_not_in_hand"),
    "a card thrown whose twin may come": ([DRAW, discard("KD")], None),
    "more after the end": ([DRAW, THROW_DRAWN, {"type": "pass"}], "not_your_turn"),
    "a second draw": ([DRAW, DRAW], "already_drawn"),
}


class TestNoOracle:
    """Verdict and refusal are the same whichever card lies on top of the stock."""

    @pytest.mark.parametrize("tried", TRIES.values(), ids=list(TRIES))
    @pytest.mark.parametrize("query", ["?dry_run=true", ""], ids=["tried", "made"])
    def test_every_stock_answers_alike(self, sandbox, say, ana, tried, query):
        moves, code = tried
        told = []
        for stock in (["7C", "TS", "2D"], ["TS", "2D", "7C"], ["2D", "7C", "TS"]):
            game = sandbox(
                ana,
                ["7H 7D KD", "9H 9C"],
                pile="4D",
                stock=stock,
                melds=[{"owner": 1, "cards": [{"card": card} for card in ("7S", "8S", "9S")]}],
            )
            answer = say(game, *moves, query=query)
            body = answer.json.get("problem") or answer.json
            told.append((answer.status_code, body.get("code"), body.get("detail"), body.get("errors")))

        assert len({str(one) for one in told}) == 1
        assert told[0][1] == code

    def test_a_dry_run_reports_whether_it_is_legal_and_changes_nothing(self, say, client, ana, game):
        tried = say(game, DRAW, SEVENS, THROW_DRAWN, query="?dry_run=true")

        assert (tried.status_code, tried.json["lawful"], tried.json["problem"]) == (200, True, None)
        assert client.get(f"/v1/games/{game['id']}", headers=ana).headers["ETag"] == '"1"'


def test_only_the_players_own_seat_may_say_a_turn(client, say, open_table, ana, ben, game):
    turn = {"moves": [DRAW]}
    assert client.post(f"/v1/games/{game['id']}/turns", json=turn, headers=ben).status_code == 404
    public = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{public['id']}/turns"
    assert client.post(path, json=turn, headers=ben).json["code"] == "not_seated"
    assert client.post(path, json=turn, headers=ana).json["code"] == "wrong_phase"
