"""Undo before commit: a dry run shows what a turn leads to, as far as nothing hidden comes in."""

import pytest

MINIMAL = {"Prefer": "return=minimal"}
TAKE = {"type": "take_discard", "card": "7C"}
SEVENS = {"type": "meld", "cards": ["7H", "7D", "7C"]}
SIX = {"type": "lay_off", "card": "6S", "meld_id": "m1"}
END = {"type": "discard", "card": "KD"}
TURN = [TAKE, SEVENS, SIX, END]
#: What no move decides, or what says when it was made.
OF_THE_TIME = {"version", "updated_at", "server_time", "expires_at"}


@pytest.fixture
def game(sandbox, ana):
    melds = [{"owner": 1, "cards": [{"card": card} for card in ("3S", "4S", "5S")]}]
    return sandbox(ana, ["7H 7D KD 6S 2C", "9H 9C"], pile="4D 7C TC", stock=["8D", "8C", "JS"], melds=melds)


@pytest.fixture
def say(client, ana, game):
    """Post moves as a turn, or try them, and return the response."""

    def say(*moves, query="?dry_run=true", **headers):
        path = f"/v1/games/{game['id']}/turns{query}"
        return client.post(path, json={"moves": moves}, headers={**ana, **headers})

    return say


def told(view):
    """The view without what says when it was made."""
    turn = view["turn"] and {
        name: value for name, value in view["turn"].items() if name not in ("deadline_at", "phase_version")
    }
    return {name: value for name, value in view.items() if name not in OF_THE_TIME} | {"turn": turn}


class TestADryRunOfATurn:
    @pytest.mark.parametrize("length", [1, 2, 3, 4])
    def test_shows_the_game_that_the_moves_lead_to(self, say, length):
        tried = say(*TURN[:length]).json
        made = say(*TURN[:length], query="?include=legal_moves").json["game"]

        assert (tried["lawful"], tried["problem"], tried["stopped_before"]) == (True, None, None)
        assert tried["stop_reason"] is None
        assert told(tried["game"]) == told(made)

    def test_is_stored_nowhere(self, say, client, ana, game):
        path = f"/v1/games/{game['id']}"
        before = client.get(path, headers=ana).json, client.get(f"{path}/events", headers=ana).json
        tried = say(*TURN, **{"Idempotency-Key": "one"})

        assert tried.json["game"]["version"] == 1
        after = client.get(path, headers=ana).json, client.get(f"{path}/events", headers=ana).json
        assert [told(before[0]), before[1]] == [told(after[0]), after[1]]
        assert say(*TURN, query="", **{"Idempotency-Key": "one"}).status_code == 201

    def test_says_what_must_still_be_used_and_what_the_moves_are_worth(self, say):
        taken, laid, all_of_it = (say(*TURN[:length]).json for length in (1, 2, 4))

        assert taken["must_use"] == taken["game"]["turn"]["must_use"] == "7C"
        assert taken["points"] == {"laid": 0, "table": 0, "hand": 7 + 7 + 10 + 6 + 2 + 7 + 10}
        assert laid["must_use"] is None
        assert laid["points"] == {"laid": 21, "table": 21, "hand": 28}
        assert all_of_it["points"] == {"laid": 27, "table": 27, "hand": 12}

    def test_lists_the_legal_moves_behind_it_long_or_short(self, say):
        long, short = (
            say(TAKE).json["game"],
            say(TAKE, query="?dry_run=true&include=moves_by_type").json["game"],
        )

        assert {"meld"} == {move["type"] for move in long["legal_moves"]} - {"lay_off", "discard"}
        assert "legal_moves" not in short
        assert short["moves_by_type"]["meld"] == [
            move["body"] for move in long["legal_moves"] if move["type"] == "meld"
        ]
        assert say(*TURN).json["game"]["legal_moves"] == []

    def test_may_leave_the_game_out(self, say):
        short = say(TAKE, SEVENS, query="?dry_run=true&include=moves_by_type", **MINIMAL)

        assert short.headers["Preference-Applied"] == "return=minimal"
        assert "game" not in short.json
        assert {"card": "6S", "meld_id": "m1"} in short.json["moves_by_type"]["lay_off"]
        assert short.json["points"]["laid"] == 21

    def test_of_an_illegal_turn_shows_the_problem_and_the_game_as_it_is(self, say, client, ana, game):
        tried = say(TAKE, SIX, END).json

        assert (tried["lawful"], tried["problem"]["code"], tried["problem"]["move"]) == (
            False,
            "must_use_taken_card",
            2,
        )
        nothing = ("points", "must_use", "stopped_before", "stop_reason")
        assert [tried[name] for name in nothing] == [None] * len(nothing)
        now = client.get(f"/v1/games/{game['id']}?include=legal_moves", headers=ana).json
        assert told(tried["game"]) == told(now)

    def test_of_one_move_shows_the_same(self, say, client, ana, game):
        path = f"/v1/games/{game['id']}/take-discard?dry_run=true"
        alone = client.post(path, json={"card": "7C"}, headers=ana).json

        assert told(alone.pop("game")) == told(say(TAKE).json["game"])
        assert alone["points"] == {"laid": 0, "table": 0, "hand": 49}


class TestWhereItStops:
    def test_is_before_a_card_of_the_stock(self, say, game):
        tried = say({"type": "draw_stock"}, {"type": "discard", "card": "drawn"})

        assert (tried.json["lawful"], tried.json["stopped_before"]) == (True, 0)
        assert tried.json["stop_reason"] == "hidden_card"
        assert told(tried.json["game"])["you"] == game["you"]
        for card in ("8D", "8C", "JS", "9H", "9C"):
            assert f'"{card}"' not in tried.text

    @pytest.mark.parametrize("preset", ["classic", "jokers"])
    def test_is_before_a_deal_may_end_and_open_the_hands(self, sandbox, client, ana, preset):
        game = sandbox(ana, ["7H 7D KD", "9H 9C"], preset=preset, pile="4D 7C", stock=["8D"])
        turn = {"moves": [TAKE, SEVENS, END]}
        tried = client.post(f"/v1/games/{game['id']}/turns?dry_run=true", json=turn, headers=ana)

        assert (tried.json["stopped_before"], tried.json["stop_reason"]) == (2, "deal_may_end")
        assert tried.json["game"]["you"]["hand"] == ["KD"]
        assert tried.json["game"]["deals"] == []
        for card in ("9H", "9C", "8D"):
            assert f'"{card}"' not in tried.text

    @pytest.mark.parametrize("move, reason", [("next-deal", "hidden_card"), ("resignation", "deal_may_end")])
    def test_is_at_once_for_what_is_not_played_with_cards(self, client, sandbox, ana, move, reason):
        game = sandbox(ana, ["7S", "4H 9C"], pile="2C", turn={"seat": 0, "phase": "meld"})
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/discard", json={"card": "7S"}, headers=ana)
        tried = client.post(f"{path}/{move}?dry_run=true", headers=ana).json

        assert (tried["lawful"], tried["stopped_before"], tried["stop_reason"]) == (True, 0, reason)
        assert tried["game"]["status"] == "deal_over"


def test_a_dry_run_does_not_show_who_lets_the_service_pass(client, open_table, ana, ben, settle):
    """Only the player knows that the service passes for them: the window is shown as it opens."""
    cem = settle("Cem")
    game = open_table(
        ana,
        seats=3,
        visibility="public",
        variant={"preset": "classic", "overrides": {"call_rummy": "any_meld"}},
    )
    path = f"/v1/games/{game['id']}"
    for headers in (ben, cem):
        client.post(f"{path}/seats", headers=headers)
    client.post(f"{path}/start", headers=ana)
    players = dict(enumerate((ana, ben, cem)))
    view = client.get(path, headers=ana).json
    seat = view["turn"]["seat"]
    drawn = client.post(f"{path}/draw-stock", headers=players[seat]).json["game"]
    body = {"card": drawn["you"]["hand"][0]}
    for other in set(players) - {seat}:
        passing = client.put(f"{path}/seats/me/auto-pass", json={"auto_pass": True}, headers=players[other])
        assert passing.status_code == 200
    tried = client.post(f"{path}/discard?dry_run=true", json=body, headers=players[seat]).json["game"]
    made = client.post(f"{path}/discard", json=body, headers=players[seat]).json["game"]

    assert (tried["phase"], {*tried["turn"]["may_act"]}) == ("rummy_call", {0, 1, 2} - {seat})
    assert made["phase"] == "draw"
