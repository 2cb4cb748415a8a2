"""Requests that meet: against two API processes and a real server, exactly one of them wins.

Each test bears the number of the bug report or fault it comes from (bug-cases and peer-faults in the
tests of the rules play the same stories without a network).
"""

import json
import socket
from functools import partial
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from tests.e2e.people import at_once, codes, kinds, statuses
from tests.support.tree import wait_for

TWO_HANDS = {"hands": [["3C", "9D", "KS", "KH", "KC"], ["4H", "9C", "2S", "JD"]], "discard_pile": ["5D"]}
MELDING = {**TWO_HANDS, "turn": {"seat": 0, "phase": "meld"}}


@pytest.fixture
def ana(url, arrive):
    return arrive(url, "Ana")


@pytest.fixture
def ben(url, arrive):
    return arrive(url, "Ben")


@pytest.fixture
def at_one_table(ana, ben):
    """A game of two people without a clock, just begun; returns its path and whose turn it is."""
    game = ana.open(variant={"preset": "classic"}, seats=2, clock=None)
    joined = ben.post(f"{game}/seats", {"invite_code": ana.view(game)["invite_code"]})
    assert joined.status_code == 201, joined.text
    started = ana.post(f"{game}/start")
    assert started.status_code == 200, started.text
    return game, (ana, ben)[started.json()["turn"]["seat"]]


class TestTheSameRequestTwice:
    def test_sent_eight_times_at_once_a_draw_draws_one_card(self, ana):
        game = ana.hold(TWO_HANDS)
        key = uuid4().hex
        devices = [ana.elsewhere() for _ in range(8)]

        answers = at_once(
            *(partial(device.post, f"{game}/draw-stock", key=key, version=1) for device in devices)
        )

        made = [answer for answer in answers if answer.status_code == 201]
        assert made
        assert len({answer.content for answer in made}) == 1
        assert sum("Idempotency-Replayed" not in answer.headers for answer in made) == 1
        assert codes(answers) <= {"idempotency_in_progress"}
        assert kinds(ana.events(game)).count("stock.drawn") == 1
        assert ana.view(game)["version"] == 2

    def test_24_an_answer_that_never_arrived_is_given_again(self, ana):
        game = ana.hold(TWO_HANDS)
        key = uuid4().hex
        send_and_hang_up(ana, f"{game}/draw-stock", key)
        wait_for(lambda: ana.view(game)["version"] == 2, "the draw")

        again = ana.elsewhere().post(f"{game}/draw-stock", key=key)

        assert again.status_code == 201
        assert again.headers["Idempotency-Replayed"] == "true"
        view = ana.view(game, as_seat=0)
        assert (view["version"], view["phase"]) == (2, "meld")
        assert again.json()["game"]["you"] == view["you"]
        assert len(view["you"]["hand"]) == 6

    def test_74_the_link_dies_at_the_winning_moment(self, ana):
        position = {
            "hands": [["6C"], ["KD", "9H"]],
            "discard_pile": ["2D"],
            "melds": [{"owner": 1, "cards": [{"card": card} for card in ("3C", "4C", "5C")]}],
            "turn": {"seat": 0, "phase": "meld"},
        }
        game = ana.hold(position)
        key = uuid4().hex
        send_and_hang_up(ana, f"{game}/lay-offs", key, {"card": "6C", "meld_id": "m1"})
        wait_for(lambda: ana.view(game)["status"] == "deal_over", "the end of the deal")

        again = ana.elsewhere().post(f"{game}/lay-offs", {"card": "6C", "meld_id": "m1"}, key=key)

        assert again.headers["Idempotency-Replayed"] == "true"
        deals = ana.view(game)["deals"]
        assert [deal["went_out"] for deal in deals] == [0]
        assert [seat["score"] for seat in deals[0]["seats"]] == [6, 12 - 19]
        assert kinds(ana.events(game)).count("deal.ended") == 1

    def test_a_table_asked_for_twice_is_opened_once(self, ana):
        key = uuid4().hex
        devices = [ana.elsewhere() for _ in range(4)]

        answers = at_once(
            *(partial(device.post, "/v1/games", {"seats": 2, "sandbox": True}, key=key) for device in devices)
        )

        opened = {answer.json()["id"] for answer in answers if answer.status_code == 201}
        assert len(opened) == 1
        assert codes(answers) <= {"idempotency_in_progress"}
        mine = ana.http.get("/v1/me/games", params={"sandbox": "true"}).json()["games"]
        assert [game["id"] for game in mine] == list(opened)

    def test_a_refused_move_is_refused_again_even_when_it_would_do_now(self, ana):
        game = ana.hold(TWO_HANDS)
        key = uuid4().hex
        refused = ana.post(f"{game}/discard", {"card": "3C"}, key=key, as_seat=0)
        ana.post(f"{game}/draw-stock", as_seat=0)

        again = ana.post(f"{game}/discard", {"card": "3C"}, key=key, as_seat=0)

        assert refused.json()["code"] == again.json()["code"] == "draw_first"
        assert ana.view(game)["version"] == 2


class TestSeveralRequestsAtOnce:
    @pytest.mark.parametrize("version", [None, 1], ids=["blindly", "with If-Match"])
    def test_43_five_discards_end_one_turn(self, ana, version):
        game = ana.hold(MELDING)
        devices = [ana.elsewhere() for _ in range(5)]

        answers = at_once(
            *(
                partial(device.post, f"{game}/discard", {"card": "3C"}, version=version, as_seat=0)
                for device in devices
            )
        )

        assert statuses(answers)[0] == 201
        assert sum(answer.status_code == 201 for answer in answers) == 1
        assert codes(answers) <= {"not_your_turn", "version_conflict"}
        view = ana.view(game, as_seat=0)
        assert (view["version"], view["turn"]["seat"], view["phase"]) == (2, 1, "draw")
        assert view["discard_pile"] == ["5D", "3C"]

    def test_five_different_discards_end_one_turn_too(self, ana):
        game = ana.hold(MELDING)
        hand = MELDING["hands"][0]
        devices = [ana.elsewhere() for _ in hand]

        answers = at_once(
            *(
                partial(device.post, f"{game}/discard", {"card": card}, version=1)
                for device, card in zip(devices, hand, strict=True)
            )
        )

        won = [card for card, answer in zip(hand, answers, strict=True) if answer.status_code == 201]
        assert len(won) == 1
        assert codes(answers) == {"version_conflict"}
        assert ana.view(game)["discard_pile"] == ["5D", *won]

    def test_44_a_discard_cannot_slip_past_the_card_that_is_owed(self, ana):
        position = {"hands": [["6S", "6H", "KC"], ["4H", "9C"]], "discard_pile": ["6C", "2D"]}
        game = ana.hold(position)
        devices = [ana.elsewhere() for _ in range(2)]

        taken, thrown = at_once(
            partial(devices[0].post, f"{game}/take-discard", {"card": "6C"}, as_seat=0),
            partial(devices[1].post, f"{game}/discard", {"card": "KC"}, as_seat=0),
        )

        assert taken.status_code == 201
        assert thrown.json()["code"] in {"draw_first", "must_use_taken_card", "version_conflict"}
        assert ana.view(game)["turn"]["must_use"] == "6C"
        assert ana.post(f"{game}/melds", {"cards": ["6S", "6H", "6C"]}).status_code == 201
        assert ana.post(f"{game}/discard", {"card": "KC"}).status_code == 201

    def test_76_of_two_melds_in_a_turn_that_allows_one_only_one_is_laid(self, ana):
        position = {
            "hands": [["2H", "3H", "4H", "9S", "9D", "9C", "KD"], ["4S", "9H"]],
            "discard_pile": ["6C"],
            "turn": {"seat": 0, "phase": "meld"},
        }
        game = ana.hold(position, preset="basic-rummy")
        devices = [ana.elsewhere() for _ in range(2)]

        answers = at_once(
            partial(devices[0].post, f"{game}/melds", {"cards": ["2H", "3H", "4H"]}),
            partial(devices[1].post, f"{game}/melds", {"cards": ["9S", "9D", "9C"]}),
        )

        assert sorted(answer.status_code == 201 for answer in answers) == [False, True]
        assert codes(answers) <= {"one_meld_a_turn", "version_conflict"}
        assert len(ana.view(game)["melds"]) == 1

    def test_55_of_four_who_want_the_last_seat_one_gets_it(self, ana, url, arrive):
        game = ana.open(variant={"preset": "classic"}, seats=4, opponents=[{"level": "steady"}] * 2)
        invite = {"invite_code": ana.view(game)["invite_code"]}
        guests = [arrive(url, f"Guest {number}") for number in range(4)]

        answers = at_once(*(partial(guest.post, f"{game}/seats", invite) for guest in guests))

        assert statuses(answers)[0] == 201
        assert sum(answer.status_code == 201 for answer in answers) == 1
        assert codes(answers) == {"game_full"}
        assert all(seat["kind"] for seat in ana.view(game)["seats"])
        assert ana.post(f"{game}/start").json()["variant"]["options"]["packs"] == 1

    def test_where_there_is_a_seat_for_each_of_seven_they_all_sit_down(self, ana, url, arrive):
        game = ana.open(seats=8)
        invite = {"invite_code": ana.view(game)["invite_code"]}
        guests = [arrive(url, f"Guest {number}") for number in range(7)]

        answers = at_once(*(partial(guest.post, f"{game}/seats", invite) for guest in guests))

        assert set(statuses(answers)) == {201}
        assert sorted(answer.json()["viewer"]["seat"] for answer in answers) == list(range(1, 8))
        assert ana.view(game)["version"] == 8

    def test_a_game_is_started_once(self, ana, ben):
        game = ana.open(seats=2)
        ben.post(f"{game}/seats", {"invite_code": ana.view(game)["invite_code"]})
        devices = [ana.elsewhere() for _ in range(4)]

        answers = at_once(*(partial(device.post, f"{game}/start") for device in devices))

        assert sum(answer.status_code == 200 for answer in answers) == 1
        assert codes(answers) == {"already_started"}
        assert kinds(ana.events(game)).count("deal.started") == 1

    def test_two_who_are_ready_at_the_same_moment_get_one_deal(self, ana, ben):
        game = ana.open(variant={"preset": "classic"}, seats=2, clock=None)
        ben.post(f"{game}/seats", {"invite_code": ana.view(game)["invite_code"]})
        ana.post(f"{game}/start")
        finish_the_deal(game, ana, ben)
        version = ana.view(game)["version"]

        answers = at_once(*(partial(who.post, f"{game}/next-deal", version=version) for who in (ana, ben)))

        assert statuses(answers) == [201, 201]
        view = ana.view(game)
        assert (view["status"], view["deal"], view["version"]) == ("playing", 2, version + 2)


class TestWhoeverWaits:
    def test_forty_who_wait_hear_of_one_move(self, ana, at_one_table):
        game, mover = at_one_table
        waiting = [mover.elsewhere() for _ in range(40)]

        def wait(player):
            return player.http.get(game, params={"wait_ms": 20_000}, headers={"If-None-Match": '"3"'})

        *news, moved = at_once(
            *(partial(wait, player) for player in waiting), partial(mover.post, f"{game}/draw-stock")
        )

        assert moved.status_code == 201
        assert {answer.status_code for answer in news} == {200}
        assert {answer.headers["ETag"] for answer in news} == {'"4"'}

    def test_while_many_wait_others_move(self, ana, at_one_table):
        game, _ = at_one_table
        waiting = [ana.elsewhere() for _ in range(40)]
        elsewhere = ana.hold(TWO_HANDS)

        def wait(player):
            return player.http.get(game, params={"wait_ms": 2_000}, headers={"If-None-Match": '"3"'})

        *news, moved = at_once(
            *(partial(wait, player) for player in waiting), partial(ana.post, f"{elsewhere}/draw-stock")
        )

        assert moved.status_code == 201
        assert {answer.status_code for answer in news} == {304}


class TestPeople:
    def test_47_71_a_reload_shows_the_same_seat_hand_phase_and_duty(self, ana):
        position = {
            "hands": [["6S", "6H", "KC"], ["4H", "9C"]],
            "discard_pile": ["6C", "2D"],
            "totals": [265, -35],
        }
        game = ana.open(
            variant={"preset": "classic"},
            opponents=[{"level": "steady"}],
            sandbox=True,
            position=position,
        )
        ana.post(f"{game}/take-discard", {"card": "6C"}, version=1)
        before = ana.view(game)

        after = ana.elsewhere().view(game)

        assert {**after, "server_time": None} == {**before, "server_time": None}
        assert (after["phase"], after["turn"]["must_use"]) == ("meld", "6C")
        assert [seat["total"] for seat in after["seats"]] == [265, -35]
        assert ana.post(f"{game}/seats").json()["code"] in {"seat_taken", "already_started"}

    def test_nobody_acts_for_another_seat(self, ana, ben, at_one_table, url, arrive):
        game, mover = at_one_table
        other = ben if mover is ana else ana
        theirs = ana.view(game)["turn"]["seat"]
        stranger = arrive(url, "Cleo")
        before = ana.view(game)

        assert other.post(f"{game}/draw-stock").json()["code"] == "not_your_turn"
        assert other.post(f"{game}/draw-stock", as_seat=theirs).json()["code"] == "not_seated"
        assert other.http.get(game, params={"as_seat": theirs}).json()["code"] == "not_seated"
        assert stranger.post(f"{game}/draw-stock").status_code == 404
        assert stranger.http.get(f"{game}/events").status_code == 404
        assert ana.post(f"{game}/next-deal").json()["code"] == "wrong_phase"
        after = ana.view(game)
        assert {**after, "server_time": None} == {**before, "server_time": None}

    def test_a_move_and_the_scheduler_cannot_both_win(self, ana, ben):
        game = ana.open(
            variant={"preset": "classic", "overrides": {"first_dealer": 1}},
            seats=2,
            clock={"turn_ms": 400, "call_window_ms": None, "next_deal_ms": None},
        )
        ben.post(f"{game}/seats", {"invite_code": ana.view(game)["invite_code"]})
        ana.post(f"{game}/start")
        version = ana.view(game)["version"]
        # The first turn runs out while it is being hammered at with the same version.
        answers = []

        def hammered():
            answers.append(ana.post(f"{game}/draw-stock", version=version, as_seat=0, dry_run="true"))
            return ana.view(game)["version"] > version

        wait_for(hammered, "the clock")

        late = ana.post(f"{game}/draw-stock", version=version)
        assert late.json()["code"] == "version_conflict"
        first = [event for event in ana.events(game) if event["version"] == version + 1]
        assert kinds(first)[0] == "clock.expired"
        assert kinds(first).count("stock.drawn") == 1
        assert kinds(first).count("card.discarded") == 1


def send_and_hang_up(player, path, key, body=None):
    """Send a request and close the line before the answer can come."""
    where = urlsplit(str(player.http.base_url))
    # As the client of the second attempt writes it: another text would be another request.
    content = json.dumps({} if body is None else body, separators=(",", ":")).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: Bearer {player.token}\r\n"
        f"Idempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    with socket.create_connection((where.hostname, where.port)) as line:
        line.sendall(head.encode() + content)


def finish_the_deal(game, *people):
    """Draw and throw until the stock is gone and the deal with it."""

    def mover():
        view = people[0].view(game)
        return None if view["status"] != "playing" else people[view["turn"]["seat"]]

    while who := mover():
        drawn = who.post(f"{game}/draw-stock")
        if drawn.status_code == 201:
            who.post(f"{game}/discard", {"card": drawn.json()["events"][0]["card"]})
        else:
            who.post(f"{game}/pass")
