"""The replay as text: a file to read, keep and check."""

import re

import pytest
from flask.testing import FlaskClient

from workers.tools.replay.replay_command import check


@pytest.fixture
def dealt(client, open_table, ana, ben):
    """Return the path of a game of two people, just dealt."""
    game = open_table(ana, variant={"preset": "classic"}, seats=2)
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


def turn_of(client, path, *people):
    """The headers of the player to move, and the game as that player sees it."""
    for who in people:
        game = client.get(path, headers=who).json
        if game["viewer"]["seat"] in game["turn"]["may_act"]:
            return who, game
    raise AssertionError("nobody is to act")


class TestTheText:
    def test_is_plain_text_for_one_reader(self, client, dealt, ana):
        answer = client.get(f"{dealt}/replay.txt", headers=ana)

        assert answer.content_type == "text/plain; charset=utf-8"
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["Vary"] == "Authorization, Accept-Encoding"
        assert answer.text.startswith("Rummy 500 replay, notation 1\n")
        assert answer.text.endswith("End: unfinished\n")

    def test_of_a_running_deal_shows_the_own_hand_alone(self, client, dealt, ana, ben):
        hand = client.get(dealt, headers=ana).json["you"]["hand"]
        text = client.get(f"{dealt}/replay.txt", headers=ana).text

        assert f"    Ana:   {' '.join(hand)}\n    Ben:   hidden\n    stock: 25 hidden\n" in text
        assert "Seen by: Ana\n" in text
        assert "Seed:" not in text
        assert check(text).faults == ()

    def test_hides_the_card_that_another_draws(self, client, dealt, ana, ben):
        mover, game = turn_of(client, dealt, ana, ben)
        drawn = client.post(f"{dealt}/draw-stock", headers=mover).json["events"][0]["card"]
        name = ("Ana", "Ben")[game["viewer"]["seat"]]
        other = ben if mover is ana else ana

        assert f"  1. {name} draws {drawn}\n" in client.get(f"{dealt}/replay.txt", headers=mover).text
        hidden = client.get(f"{dealt}/replay.txt", headers=other).text
        assert f"  1. {name} draws ?\n" in hidden
        assert drawn not in re.sub(r".*(Drawn|pile|Ana:|Ben:).*", "", hidden)

    def test_shows_no_viewer_what_they_may_not_know(self, client, open_table, ana):
        """Two games that differ only in another hand and the stock read the same from this seat."""
        texts = []
        for hand, stock in (("4C 9C QH", "AS 2S 3S"), ("2S AS 3S", "QH 4C 9C")):
            game = open_table(
                ana,
                sandbox=True,
                seed="hidden",
                seats_held="creator",
                position={
                    "hands": [["7S", "7C", "9S", "KD"], hand.split()],
                    "discard_pile": ["2C", "7H", "9D"],
                    "stock": stock.split(),
                    "turn": {"seat": 1, "phase": "draw"},
                },
            )
            path = f"/v1/games/{game['id']}"
            client.post(f"{path}/draw-stock", headers=ana)
            texts.append(
                client.get(f"{path}/replay.txt?as_seat=0", headers=ana).text.replace(game["id"], "g")
            )

        assert texts[0] == texts[1]
        assert "draws ?" in texts[0]

    def test_of_a_game_given_up_by_resignation_can_be_checked(self, client, dealt, ana, ben):
        mover, _ = turn_of(client, dealt, ana, ben)
        client.post(f"{dealt}/draw-stock", headers=mover)
        for who in (ana, ben):
            client.post(f"{dealt}/resignation", headers=who)
        text = client.get(f"{dealt}/replay.txt", headers=ben).text

        assert "    * steady plays on for Ana\n" in text
        assert "won (resignation)" in text
        checked = check(text)
        assert checked.faults == ()
        assert [deal.is_proven for deal in checked.deals] == [True]

    def test_before_the_first_deal_is_a_heading(self, client, open_table, ana):
        game = open_table(ana, seats=3, opponents=[{"level": "steady"}])
        text = client.get(f"/v1/games/{game['id']}/replay.txt", headers=ana).text

        assert 'Seat 0: Ana, human "Ana"\n' in text
        assert 'Seat 1: steady, computer steady "steady"\nSeat 2: Seat-2, free\n' in text
        assert check(text).faults == ()

    def test_what_the_clock_played_is_said(self, client, clock, table, open_table, ana, ben):
        game = open_table(ana, variant={"preset": "classic"}, seats=2, clock={"turn_ms": 10_000}, rated=False)
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        client.post(f"{path}/start", headers=ana)
        for _ in range(6):
            clock.on(10_001)
            table.expire(table.get(game["id"]))
        client.post(f"{path}/resignation", headers=ana)
        client.post(f"{path}/resignation", headers=ben)
        text = client.get(f"{path}/replay.txt", headers=ben).text

        assert "    * the clock plays for " in text
        assert "    * steady plays on for " in text
        assert check(text).faults == ()

    def test_of_a_position_can_be_checked(self, client, sandbox, ana):
        game = sandbox(
            ana,
            ["2D 3D 9H", "4H 5H KC"],
            preset="jokers",
            pile="7S 8S",
            stock=["AS"],
            melds=[
                {
                    "owner": 1,
                    "cards": [
                        {"card": "9S", "laid_by": 1},
                        {"card": "TS", "laid_by": 1},
                        {"card": "X1", "laid_by": 1, "stands_for": "JS"},
                        {"card": "QS", "laid_by": 0},
                    ],
                }
            ],
            known=[["9H"], []],
            totals=[40, 25],
            turn={"seat": 0, "phase": "meld", "melds_laid": 1, "tabled_before_turn": True},
        )
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/discard", json={"card": "9H"}, headers=ana)
        client.post(f"{path}/resignation", headers=ana)

        for form in ("replay", "replay.txt"):
            replay = client.get(f"{path}/{form}?as_seat=0", headers=ana)
            checked = check(replay.text)
            assert checked.faults == ()
            assert [deal.is_proven for deal in checked.deals] == [True]
        assert "    m1 Ana-1: 9S TS X1=JS QS(Ana-0)\n" in replay.text
        assert "    turn:  Ana-0 meld, melds_laid 1, tabled_before_turn true\n" in replay.text


class TestWhoMayRead:
    def test_a_stranger_may_not(self, client, dealt, settle):
        assert client.get(f"{dealt}/replay.txt", headers=settle("Cem")).json["code"] == "not_found"

    def test_a_seat_that_is_not_ones_own_is_refused(self, client, dealt, ana):
        assert client.get(f"{dealt}/replay.txt?as_seat=1", headers=ana).json["code"] == "not_seated"


class TestTheDocuments:
    @pytest.mark.parametrize(
        "page, title", [("notation", "# Replay notation"), ("proof", "# How a deal is checked")]
    )
    def test_are_served(self, app, page, title):
        answer = FlaskClient(app, app.response_class).get(f"/docs/{page}")

        assert answer.status_code == 200
        assert answer.text.startswith(title)
