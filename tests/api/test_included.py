"""One request a change: legal moves in the answers, and answers without the game."""

import pytest

MINIMAL = {"Prefer": "return=minimal"}


@pytest.fixture
def a_turn(client, sandbox, ana):
    """A sandbox in which seat 0 may take the seven of hearts; its path."""
    game = sandbox(ana, ["7S 7C KD", "4H 9C 5D"], pile="2C 7H 9D")
    return f"/v1/games/{game['id']}"


@pytest.fixture
def dealt(client, open_table, ana, ben):
    """A game of two people that anyone may watch, dealt; its path."""
    game = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


def listed(client, path, headers, query=""):
    return client.get(f"{path}/legal-moves{query}", headers=headers).json["moves"]


class TestAGame:
    def test_has_the_legal_moves_of_the_viewer_where_they_are_asked_for(self, client, dealt, ana, ben):
        for headers in (ana, ben):
            view = client.get(f"{dealt}?include=legal_moves", headers=headers).json

            assert view["legal_moves"] == listed(client, dealt, headers)
            assert bool(view["legal_moves"]) == (view["viewer"]["seat"] in view["turn"]["may_act"])
            assert view["legal_moves_truncated"] == []

    def test_has_none_otherwise(self, client, dealt, ana):
        assert not {"legal_moves", "legal_moves_truncated"} & client.get(dealt, headers=ana).json.keys()

    def test_has_no_moves_for_a_spectator(self, client, dealt, settle):
        view = client.get(f"{dealt}?include=legal_moves", headers=settle("Cem")).json

        assert view["legal_moves"] == []

    def test_has_those_of_the_seat_it_is_seen_from(self, client, a_turn, ana):
        for seat in (0, 1):
            view = client.get(f"{a_turn}?include=legal_moves&as_seat={seat}", headers=ana).json
            assert view["legal_moves"] == listed(client, a_turn, ana, f"?as_seat={seat}")
        assert view["legal_moves"] == []

    def test_has_them_after_a_long_poll(self, client, dealt, ana, ben):
        headers = {**ana, "If-None-Match": '"1"'}
        view = client.get(f"{dealt}?include=legal_moves&wait_ms=1000", headers=headers).json

        assert view["legal_moves"] == listed(client, dealt, ana)

    def test_has_the_next_deal_among_them_between_deals(self, client, sandbox, ana):
        game = sandbox(ana, ["7S", "4H 9C"], pile="2C", turn={"seat": 0, "phase": "meld"})
        path = f"/v1/games/{game['id']}"
        answer = client.post(f"{path}/discard?include=legal_moves", json={"card": "7S"}, headers=ana).json

        assert answer["game"]["status"] == "deal_over"
        assert [move["operation_id"] for move in answer["game"]["legal_moves"]] == ["readyForNextDeal"]

    @pytest.mark.parametrize("value", ["", "moves", "legal_moves,", "legal_moves,hands", "LEGAL_MOVES"])
    def test_has_nothing_else_to_include(self, client, dealt, ana, value):
        refused = client.get(f"{dealt}?include={value}", headers=ana)

        assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "include")


class TestMovesByType:
    def test_are_the_same_moves_in_short(self, client, a_turn, ana):
        client.post(f"{a_turn}/draw-stock", headers=ana)
        view = client.get(f"{a_turn}?include=legal_moves,moves_by_type", headers=ana).json

        flat = [(tag, body) for tag, bodies in view["moves_by_type"].items() for body in bodies]
        assert sorted(map(repr, flat)) == sorted(
            repr((move["type"], move["body"])) for move in view["legal_moves"]
        )
        assert len(flat) > 3
        assert view["legal_moves_truncated"] == []

    def test_come_alone_where_they_alone_are_asked_for(self, client, a_turn, ana):
        made = client.post(f"{a_turn}/draw-stock?include=moves_by_type", headers={**ana, **MINIMAL}).json

        assert "legal_moves" not in made
        assert {"card": "KD"} in made["moves_by_type"]["discard"]
        assert "draw_stock" not in made["moves_by_type"]

    def test_have_the_next_deal_between_deals(self, client, sandbox, ana):
        game = sandbox(ana, ["7S", "4H 9C"], pile="2C", turn={"seat": 0, "phase": "meld"})
        path = f"/v1/games/{game['id']}/discard?include=moves_by_type"
        over = client.post(path, json={"card": "7S"}, headers=ana).json["game"]

        assert over["moves_by_type"] == {"next_deal": [{}]}

    def test_are_none_for_a_spectator(self, client, dealt, settle):
        view = client.get(f"{dealt}?include=moves_by_type", headers=settle("Cem")).json

        assert view["moves_by_type"] == {}


class TestAMove:
    def test_says_what_may_be_done_next(self, client, a_turn, ana):
        taken = client.post(
            f"{a_turn}/take-discard?include=legal_moves", json={"card": "7H"}, headers=ana
        ).json

        assert taken["game"]["legal_moves"] == listed(client, a_turn, ana, "?as_seat=0")
        assert {"type": "meld", "cards": {"7S", "7C", "7H"}} in [
            {"type": move["type"], "cards": set(move["body"].get("cards", ()))}
            for move in taken["game"]["legal_moves"]
        ]

    def test_that_ends_the_turn_leaves_no_moves_to_the_seat(self, client, a_turn, ana):
        moves = [{"type": "draw_stock"}, {"type": "discard", "card": "drawn"}]
        made = client.post(f"{a_turn}/turns?include=legal_moves", json={"moves": moves}, headers=ana).json

        assert made["game"]["viewer"]["seat"] == 0
        assert made["game"]["legal_moves"] == []

    def test_says_nothing_of_it_unasked(self, client, a_turn, ana):
        drawn = client.post(f"{a_turn}/draw-stock", headers=ana).json

        assert "legal_moves" not in drawn["game"]

    def test_repeated_is_answered_to_the_byte_as_it_was(self, client, a_turn, ana):
        headers = {**ana, "Idempotency-Key": "once"}
        first, again = (
            client.post(f"{a_turn}/draw-stock?include=legal_moves", headers=headers) for _ in range(2)
        )

        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.data == first.data
        assert first.json["game"]["legal_moves"]


class TestAMinimalAnswer:
    def test_leaves_the_game_out(self, client, a_turn, ana):
        answer = client.post(f"{a_turn}/draw-stock", headers={**ana, **MINIMAL})

        assert answer.status_code == 200
        assert answer.headers["Preference-Applied"] == "return=minimal"
        assert answer.headers["ETag"] == '"2"'
        assert answer.json.keys() == {"version", "events", "minimal"}
        assert answer.json["events"][0]["type"] == "stock.drawn"
        assert client.get(a_turn, headers=ana).json["version"] == answer.json["version"] == 2

    def test_has_the_legal_moves_where_they_are_asked_for(self, client, a_turn, ana):
        path = f"{a_turn}/draw-stock?include=legal_moves"
        answer = client.post(path, headers={**ana, **MINIMAL}).json

        assert answer["legal_moves"] == listed(client, a_turn, ana, "?as_seat=0") != []

    def test_repeated_is_minimal_again(self, client, a_turn, ana):
        headers = {**ana, "Idempotency-Key": "once"}
        first = client.post(f"{a_turn}/draw-stock", headers={**headers, **MINIMAL})
        again = client.post(f"{a_turn}/draw-stock", headers=headers)

        assert again.data == first.data
        assert again.headers["Preference-Applied"] == "return=minimal"

    @pytest.mark.parametrize(
        "preference",
        [
            'return="minimal"',
            "RETURN = Minimal; a=b",
            "wait=5, return=minimal",
            "return=minimal, respond-async",
        ],
    )
    def test_is_asked_for_as_the_standard_has_it(self, client, a_turn, ana, preference):
        answer = client.post(f"{a_turn}/draw-stock", headers={**ana, "Prefer": preference})

        assert "game" not in answer.json

    @pytest.mark.parametrize(
        "preference", ["return=representation", "minimal", "x-return=minimal", "return=minimalist", ""]
    )
    def test_is_not_sent_for_other_preferences(self, client, a_turn, ana, preference):
        answer = client.post(f"{a_turn}/draw-stock", headers={**ana, "Prefer": preference})

        assert answer.status_code == 201
        assert answer.json["game"]["version"] == 2
        assert "Preference-Applied" not in answer.headers

    def test_leaves_a_refusal_as_it_is_and_the_game_out_of_a_dry_run(self, client, a_turn, ana):
        refused = client.post(f"{a_turn}/discard", json={"card": "KD"}, headers={**ana, **MINIMAL})
        tried = client.post(f"{a_turn}/draw-stock?dry_run=true", headers={**ana, **MINIMAL})

        assert (refused.status_code, refused.json["code"]) == (409, "draw_first")
        assert tried.json["lawful"]
        assert "game" not in tried.json
        assert tried.headers["Preference-Applied"] == "return=minimal"

    def test_may_be_asked_for_by_a_page_of_another_origin(self, client):
        preflight = client.options("/v1/meta", headers={"Access-Control-Request-Method": "POST"})

        assert "Prefer" in preflight.headers["Access-Control-Allow-Headers"].split(", ")
        exposed = preflight.headers["Access-Control-Expose-Headers"]
        assert "Preference-Applied" in exposed.split(", ")
