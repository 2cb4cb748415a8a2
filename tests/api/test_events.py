"""The log, the replay and the proof: what happened, for those who may know it."""

import hashlib

import pytest

from service.rummy.dealing import deal_out, shuffled


def log_of(client, path, headers, query=""):
    found, after = [], ""
    while True:
        page = client.get(f"{path}/events?limit=7{after}{query}", headers=headers).json
        found += page["events"]
        if page["next_after"] is None:
            return found
        after = f"&after={page['next_after']}"


@pytest.fixture
def dealt(client, open_table, ana, ben):
    """A game of two people, dealt."""
    game = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


class TestTheLog:
    def test_begins_with_the_seated_players(self, client, dealt, ana):
        types = [event["type"] for event in log_of(client, dealt, ana)]

        assert types == ["seat.joined", "seat.joined", "game.started", "deal.started", "turn.started"]

    def test_is_read_in_parts_without_gap_or_repeat(self, client, dealt, ana):
        one_by_one, after = [], ""
        for _ in range(5):
            page = client.get(f"{dealt}/events?limit=1{after}", headers=ana).json
            one_by_one += page["events"]
            after = f"&after={page['events'][-1]['id']}"

        assert one_by_one == log_of(client, dealt, ana)
        assert client.get(f"{dealt}/events?limit=1{after}", headers=ana).json == {
            "events": [],
            "next_after": None,
        }

    def test_goes_on_where_a_reader_stopped(self, client, dealt, ana, ben):
        seen = log_of(client, dealt, ana)
        mover = ana if client.get(f"{dealt}/legal-moves", headers=ana).json["moves"] else ben
        client.post(f"{dealt}/draw-stock", headers=mover)

        news = client.get(f"{dealt}/events?after={seen[-1]['id']}", headers=ana).json["events"]
        assert [event["type"] for event in news] == ["stock.drawn"]

    def test_shows_a_player_only_their_own_hand(self, client, dealt, ana, ben, settle):
        hands = [
            next(event for event in log_of(client, dealt, who) if event["type"] == "deal.started")["hands"]
            for who in (ana, ben, settle("Cem"))
        ]

        assert [[hand is None for hand in row] for row in hands] == [
            [False, True],
            [True, False],
            [True, True],
        ]

    @pytest.mark.parametrize("after", ["17", "a-b", "17-2-3", "-1-0", "", "9" * 16 + "-0"])
    def test_is_asked_for_by_the_id_of_an_event(self, client, dealt, ana, after):
        assert client.get(f"{dealt}/events?after={after}", headers=ana).json["code"] == "validation_failed"

    def test_behind_the_end_is_empty(self, client, dealt, ana):
        assert client.get(f"{dealt}/events?after=99999-0", headers=ana).json["events"] == []


class TestTheReplay:
    def test_of_a_running_deal_hides_what_the_view_hides(self, client, dealt, ana):
        replay = client.get(f"{dealt}/replay", headers=ana).json
        (deal,) = replay["deals"]

        assert (deal["deal"], deal["over"]) == (1, False)
        assert deal["events"][0]["hands"][1] is None
        assert deal["events"][0]["stock"] is None
        assert [event["type"] for event in replay["before"]] == [
            "seat.joined",
            "seat.joined",
            "game.started",
        ]

    def test_of_a_deal_that_is_over_shows_all(self, client, sandbox, ana):
        game = sandbox(ana, ["2D 3D", "4H 5H"], stock=["AS"])
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/draw-stock", headers=ana)
        client.post(f"{path}/discard", json={"card": "2D"}, headers=ana)
        client.post(f"{path}/pass", headers=ana)
        client.post(f"{path}/next-deal", headers=ana)

        first, second = client.get(f"{path}/replay?as_seat=0", headers=ana).json["deals"]
        assert first["over"]
        assert first["events"][0]["hands"] == [["2D", "3D"], ["4H", "5H"]]
        assert first["events"][0]["stock"] == ["AS"]
        assert first["events"][1]["card"] == "AS"
        assert not second["over"]
        assert second["events"][0]["hands"][1] is None

    def test_of_a_game_that_is_over_shows_its_last_deal_too(self, client, dealt, ana, ben):
        for who in (ana, ben):
            client.post(f"{dealt}/resignation", headers=who)

        (deal,) = client.get(f"{dealt}/replay", headers=ana).json["deals"]
        assert deal["over"]
        assert None not in deal["events"][0]["hands"]

    def test_before_the_first_deal_has_none(self, client, open_table, ana):
        game = open_table(ana, seats=2)
        replay = client.get(f"/v1/games/{game['id']}/replay", headers=ana).json

        assert replay["deals"] == []
        assert len(replay["before"]) == 1


class TestTheProof:
    def test_is_a_promise_while_the_deal_runs(self, client, dealt, ana):
        proof = client.get(f"{dealt}/deals/1/proof", headers=ana).json
        shown = next(event for event in log_of(client, dealt, ana) if event["type"] == "deal.started")

        assert proof["commitment"] == shown["commitment"]
        assert proof["seed"] is None

    def test_can_be_checked_when_it_is_over(self, client, dealt, ana, ben):
        for who in (ana, ben):
            client.post(f"{dealt}/resignation", headers=who)
        proof = client.get(f"{dealt}/deals/1/proof", headers=ana).json
        seed = bytes.fromhex(proof["seed"])
        shown = client.get(f"{dealt}/replay", headers=ana).json["deals"][0]["events"][0]

        hands, upcard, stock = deal_out(
            shuffled(proof["pack"], seed),
            seats=proof["seats"],
            hand_size=proof["hand_size"],
            dealer=proof["dealer"],
        )
        assert hashlib.sha256(seed).hexdigest() == proof["commitment"]
        assert [sorted(hand) for hand in hands] == [sorted(hand) for hand in shown["hands"]]
        assert (upcard, list(stock)) == (shown["upcard"], shown["stock"])
        assert proof["dealer"] == shown["dealer"]

    def test_of_a_deal_opens_no_other(self, client, sandbox, ana):
        game = sandbox(ana, ["2D 3D", "4H 5H"], stock=[])
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/pass", headers=ana)
        client.post(f"{path}/next-deal", headers=ana)

        proofs = [client.get(f"{path}/deals/{deal}/proof", headers=ana).json for deal in (1, 2)]
        assert [proof["seed"] is None for proof in proofs] == [False, True]

    @pytest.mark.parametrize("deal", ["2", "0", "x", "-1", "99999999999999999999"])
    def test_of_a_deal_that_was_not_dealt_is_not_there(self, client, dealt, ana, deal):
        assert client.get(f"{dealt}/deals/{deal}/proof", headers=ana).json["code"] == "not_found"

    def test_before_the_first_deal_is_not_there(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        assert client.get(f"/v1/games/{game['id']}/deals/1/proof", headers=ana).status_code == 404
