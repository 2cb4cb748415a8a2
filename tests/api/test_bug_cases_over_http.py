"""What went wrong in other card programs, as a client would meet it here; each with others of its kind.

Numbers are those of the collection of public bug reports, which `tests/rules` plays through
the rules. Here they are sandbox games and requests; what takes a second process to go wrong
stands in `ELSEWHERE`.
"""

import re
import sys
from typing import ClassVar

import pytest

from tests.support.http_tables import OverHttp
from tests.support.tables import (
    call,
    cards,
    discard,
    draw_stock,
    hand,
    keep,
    lay,
    lay_off,
    next_deal,
    pass_,
    take_discard,
)

CASES = frozenset(
    {1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38}
    | {40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74, 76}
)
ELSEWHERE = {
    22: "a computer's turn is played by a worker: tests/workers",
    50: "a restart takes a server that stops: tests/e2e",
    59: "what a computer falls back to is its own business: tests/workers, tests/rules",
}
FLOATING = {"going_out": "discard_required", "floating": True}


def test_every_case_is_here_or_elsewhere():
    told = " ".join(
        one.__doc__ or "" for one in vars(sys.modules[__name__]).values() if isinstance(one, type)
    )
    here = {int(number) for number in re.findall(r"Case (\d+)", told)}

    assert here | set(ELSEWHERE) == CASES
    assert not here & set(ELSEWHERE)


@pytest.fixture
def room(client, ana):
    return OverHttp(client, ana)


@pytest.fixture
def at(room):
    """Set a table in a position."""
    return room.table


@pytest.fixture
def people(client, open_table, settle):
    """Open a game that people sit at, and return its path and the headers of each."""

    def people(*names, preset="classic", **body):
        headers = [settle(name) for name in names]
        game = open_table(
            headers[0], seats=len(names), visibility="public", variant={"preset": preset}, **body
        )
        path = f"/v1/games/{game['id']}"
        for one in headers[1:]:
            assert client.post(f"{path}/seats", headers=one).status_code == 201
        assert client.post(f"{path}/start", headers=headers[0]).status_code == 200
        return path, headers

    return people


class TestLowAceScoredAsHigh:
    """Case 1"""

    @pytest.mark.parametrize(
        "options, worth", [({}, 6), ({"card_values": "five_point"}, 15), ({"ace_value": "always_15"}, 20)]
    )
    def test_the_run_counts_its_ace_by_place(self, at, options, worth):
        deal = at(hands=["AC 2C 3C KD", "9S"], phase="meld", **options)

        laid = deal.move(lay("AC 2C 3C"))

        assert laid.points(0) == worth
        assert laid.move(discard("KD")).scores[0] == worth

    def test_so_does_an_ace_laid_off_below_a_two(self, at):
        assert at(hands=["AC KD"], melds=["2C 3C 4C"], phase="meld").move(lay_off("AC", "m1")).points(0) == 1


class TestLayOffTargetGuessed:
    """Case 2"""

    def test_the_choices_are_told_and_the_named_one_is_obeyed(self, at):
        deal = at(hands=["TH 4C 2C", "JH 2D", "3S"], melds=["TS TD TC", "2: 7H 8H 9H"], phase="meld")

        refusal = deal.refusal(lay_off("TH"))
        assert (refusal.code, refusal.rule) == ("choice_required", "4.2")
        assert refusal.details == {"choices": [{"meld_id": "m1"}, {"meld_id": "m2"}]}

        laid = deal.move(lay_off("TH", "m2"))
        assert laid.points(0) == 10
        next_turn = laid.move(discard("4C"), draw_stock(), lay_off("JH", "m2"))
        assert next_turn.melds["m2"] == "7H 8H 9H TH JH"

    def test_the_ace_that_fits_both_ends_of_one_run(self, at):
        deal = at(hands=["AH 4C"], melds=["2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"], phase="meld")

        assert deal.refusal(lay_off("AH", "m1")).details["choices"] == [{"end": "low"}, {"end": "high"}]
        assert deal.move(lay_off("AH", "m1", end="low")).points(0) == 1


class TestGameDecidedByTurn:
    """Case 4"""

    @pytest.mark.parametrize(
        "options, winners",
        [({}, (1,)), ({"go_out_breaks_tie": True}, (0,)), ({"must_go_out_to_win": True}, (0,))],
    )
    def test_the_total_decides_unless_the_game_says_otherwise(self, at, options, winners):
        deal = at(
            hands=["4H 2C", "2H 2D"],
            melds=["0: 4S 4C 4D", "0: 6S 6C 6D", "1: 5S 5D 5C", "1: KS KD KC"],
            phase="meld",
            totals=[470, 488],
            **options,
        )

        after = deal.move(lay_off("4H", "m1"), discard("2C"))

        assert (after.scores, after.result.totals) == ((34, 41), (504, 529))
        assert (after.result.went_out, after.winners) == (0, winners)


class TestAceInASetOfKings:
    """Case 5"""

    def test_an_ace_is_no_king_but_follows_it(self, at):
        deal = at(hands=["KC KD AD QD 3S"], phase="meld")

        assert deal.refused(lay("KC KD AD")) == "not_a_set"
        assert [move["body"]["cards"] for move in deal.lawful() if move["type"] == "meld"] == [
            ["QD", "KD", "AD"]
        ]
        assert deal.move(lay("QD KD AD")).points(0) == 35


class TestOneCardInTwoMelds:
    """Case 7"""

    def test_a_card_on_the_table_is_used_up(self, at):
        laid = at(hands=["JC JS JD 9D TD 4H"], phase="meld").move(lay("JC JS JD"))

        assert laid.points(0) == 30
        assert laid.refused(lay("9D TD JD")) == "meld_is_fixed"
        assert laid.refused(discard("JD")) == "meld_is_fixed"
        assert laid.refused(lay_off("JD", "m1")) == "meld_is_fixed"


class TestTiedWinners:
    """Case 8"""

    def test_cardcouch_draws(self, at):
        after = at(preset="cardcouch", hands=["2C", "KD"], phase="meld", totals=[517, 527]).move(
            discard("2C")
        )

        assert (after.status, after.winners, after.view["reason"]) == ("finished", (), "tie")

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "kitchen-table"])
    def test_the_others_play_on(self, at, preset):
        after = at(preset=preset, hands=["2C", "KD"], phase="meld", totals=[517, 527]).move(discard("2C"))

        assert (after.status, after.winners, after.view["reason"]) == ("deal_over", None, None)
        assert after.move(next_deal()).deal == 2


class TestPlacingSpoilsABetterLayOff:
    """Case 10"""

    def test_the_named_meld_is_obeyed_and_both_are_offered(self, at):
        deal = at(hands=["TS 9S 4D"], melds=["JS QS KS", "TD TC TH"], phase="meld")

        places = [move["body"] for move in deal.lawful() if move["type"] == "lay_off"]
        assert places == [{"card": "TS", "meld_id": "m1"}, {"card": "TS", "meld_id": "m2"}]
        assert deal.move(lay_off("TS", "m1"), lay_off("9S", "m1")).points(0) == 19


class TestTwinsConfuseRuns:
    """Case 11"""

    def test_one_of_the_twins_goes_down(self, at):
        deal = at(hands=["JD QD QD KD 3C"], seats=5, phase="meld")

        assert deal.refused(lay("JD QD QD KD")) == "not_a_run"
        offered = [move["body"] for move in deal.lawful() if move["type"] == "meld"]
        assert offered == [{"cards": ["JD", "QD", "KD"]}]
        after = deal.move(lay("JD QD KD"))
        assert (after.points(0), after.hand(0)) == (30, hand("QD 3C"))


class TestJokerPlayedSeveralTimes:
    """Case 13"""

    BODY: ClassVar = {"card": "X1", "meld_id": "m1", "stands_for": "8S"}

    @pytest.fixture
    def deal(self, at):
        return at(hands=["X1 QC KD"], melds=["5S 6S 7S"], phase="meld", jokers_per_pack=2)

    def test_the_same_request_again_gets_the_same_answer(self, room, deal):
        first, second, third = (
            room.post(f"{deal.path}/lay-offs", self.BODY, **{"Idempotency-Key": "lay"}) for _ in range(3)
        )

        assert first == second == third
        (meld,) = room.get(deal.path)["melds"]
        assert [laid["card"] for laid in meld["cards"]] == ["5S", "6S", "7S", "X1"]

    def test_another_request_for_the_same_card_is_refused(self, room, deal):
        room.post(f"{deal.path}/lay-offs", self.BODY, **{"Idempotency-Key": "one", "If-Match": '"1"'})

        stale = {"Idempotency-Key": "two", "If-Match": '"1"'}
        assert room.post(f"{deal.path}/lay-offs", self.BODY, status=412, **stale)["current_version"] == 2
        late = room.post(f"{deal.path}/lay-offs", self.BODY, status=409, **{"Idempotency-Key": "three"})
        assert late["code"] == "meld_is_fixed"

    def test_it_is_named_once_in_a_meld(self, deal):
        assert deal.refused(lay("QC X1=QD X1=QH")) == "repeated_card"


class TestJokersPlaceNotFixed:
    """Case 14"""

    def test_its_place_is_taken_and_the_run_goes_on(self, at):
        deal = at(hands=["4C X1 6C 9D KH", "5C 7C 2S"], phase="meld", jokers_per_pack=2)
        laid = deal.move(lay("4C X1=5C 6C"))
        assert laid.points(0) == 25
        assert laid.view["melds"][0]["cards"][1] == {"card": "X1", "laid_by": 0, "stands_for": "5C"}

        next_turn = laid.move(discard("9D"), draw_stock())

        assert next_turn.refused(lay_off("5C", "m1")) == "joker_fixed"
        assert next_turn.move(lay_off("7C", "m1")).points(1) == 7


class TestTurnOwnerNotChecked:
    """Case 16"""

    MOVES = (
        draw_stock(),
        take_discard("8C"),
        lay("8H 8D 8S"),
        lay_off("8S", "m1"),
        discard("8H"),
        pass_(),
        discard("2C"),
        lay("KC KD KH"),
        lay_off("9S", "m9"),
    )

    @pytest.mark.parametrize("phase", ["draw", "meld"])
    def test_every_move_out_of_turn_gets_the_same_answer(self, at, phase):
        deal = at(
            hands=["2C 3D", "KC KD KH", "8H 8D 8S"], pile="8C", melds=["0: 5S 6S 7S"], phase=phase, turn=1
        )

        refusals = [deal.refusal(move, by=2) for move in self.MOVES]

        assert {(one.code, one.rule, one.message) for one in refusals} == {
            ("not_your_turn", "2.2", "It is not your turn. Wait until it is.")
        }
        assert [one.details for one in refusals] == [{}] * len(refusals)

    def test_other_people_get_it_too(self, client, people):
        path, headers = people("Ana", "Ben", "Cem")
        seat = client.get(path, headers=headers[0]).json["turn"]["seat"]

        for number, other in enumerate(headers):
            answer = client.post(f"{path}/draw-stock", headers=other)
            if number != seat:
                assert (answer.status_code, answer.json["code"]) == (409, "not_your_turn")
            else:
                assert answer.status_code == 201
                seat = None

    def test_nobody_moves_for_another(self, client, people):
        path, headers = people("Ana", "Ben")

        answer = client.post(f"{path}/draw-stock?as_seat=1", headers=headers[0])

        assert (answer.status_code, answer.json["code"]) == (403, "not_seated")


class TestLowRunRefused:
    """Case 17"""

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "kitchen-table", "cardcouch", "jokers"])
    def test_ace_two_three_is_a_run(self, at, preset):
        deal = at(preset=preset, hands=["AH 2H 3H 9C"], phase="meld").move(lay("3H AH 2H"))

        assert (deal.points(0), deal.melds) == (6, {"m1": "AH 2H 3H"})


class TestTwinsAfterATake:
    """Case 19"""

    def test_one_twin_is_melded_and_the_other_stays(self, at):
        deal = at(hands=["7H 7D 7C 2S"], seats=6, pile="7H").move(take_discard("7H"))
        assert deal.must_use == "7H"

        after = deal.move(lay("7D 7C 7H"), discard("2S"))

        assert (after.points(0), after.hand(0)) == (21, hand("7H"))
        # Whether the twin that is left was the known one cannot be told: everybody saw a 7H go.
        assert after.known(0) == ()

    def test_where_twins_lie_in_the_pile_the_place_is_told(self, at):
        deal = at(preset="kitchen-table", hands=["7D 7C 2S"], seats=5, pile="7H 4C 7H 9D")

        refusal = deal.refusal(take_discard("7H"))
        assert refusal.details["choices"] == [{"position": 0}, {"position": 2}]

        assert deal.move(take_discard("7H", 2)).pile == cards("7H 4C")


class TestARunOutOfOneTake:
    """Case 20"""

    def test_cards_that_came_along_may_make_the_meld(self, at):
        deal = at(preset="cardcouch", hands=["2S 4H QC"], pile="KC 8D TD 9D")
        assert deal.takes() == ["8D"]

        after = deal.move(take_discard("8D"), lay("8D 9D TD"), discard("QC"))

        assert (after.points(0), after.pile) == (27, cards("KC QC"))


class TestDrawRequestLost:
    """Case 23"""

    def test_sent_again_it_draws_once(self, room, at):
        deal = at(hands=["KC 9S"], stock=12)
        key = {"Idempotency-Key": "draw-1", "If-Match": '"1"'}

        first, second = (room.post(f"{deal.path}/draw-stock", **key) for _ in range(2))

        assert first == second
        view = room.get(deal.path)
        assert (view["stock_count"], view["phase"], len(view["you"]["hand"])) == (11, "meld", 3)


class TestJokerValueLeftOut:
    """Case 25"""

    def test_it_counts_fifteen_on_the_table_and_in_the_hand(self, at):
        deal = at(preset="jokers", hands=["4C", "X2"], melds=["0: KH KD X1=KS"], phase="meld")

        assert deal.move(discard("4C")).scores == (35, -15)


class TestJokerHidesADuplicate:
    """Case 26"""

    def test_a_suit_stays_single(self, at):
        deal = at(hands=["4D 4D X1 4H 9C"], seats=5, phase="meld", jokers_per_pack=2)

        assert deal.refused(lay("4D 4D X1=4S")) == "duplicate_suit"
        assert deal.refused(lay("4D 4H X1=4H")) == "duplicate_suit"
        assert deal.move(lay("4D X1=4S 4H")).points(0) == 23


class TestReshuffleDiffers:
    """Case 28"""

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_the_same_game_draws_the_same_cards(self, at, way):
        def drawn():
            deal = at(hands=["KC", "KD 9S"], pile="2C 7S QH 4D", stock=0, stock_empty=way)
            first = deal.move(draw_stock())
            assert first.told("stock.renewed", "shuffled") == [way == "reshuffle"]
            assert first.told("stock.renewed", "order") == [None]
            second = first.move(discard("KC"), draw_stock())
            return first.told("stock.drawn", "card") + second.told("stock.drawn", "card")

        first, again = drawn(), drawn()

        assert first == again
        if way == "flip":
            assert first == ["2C", "7S"]


class TestStockBelowNothing:
    """Case 29"""

    def test_nobody_draws_past_the_end(self, at):
        deal = at(hands=["KC 9S", "9D 9C"], pile="4H", stock="3S")

        last = deal.move(draw_stock(), discard("9S"))

        assert last.refused(draw_stock()) == "stock_empty"
        assert last.stock_count == 0
        assert {move["type"] for move in last.lawful()} == {"take_discard", "pass"}
        assert last.move(pass_()).result.reason == "stock_end"


class TestFailedDrawBlocksTheTurn:
    """Case 31"""

    def test_a_refusal_changes_nothing(self, at):
        deal = at(preset="cardcouch", hands=["QS QH 3D"], pile="5C QD", stock=0)
        assert deal.refused(draw_stock()) == "stock_empty"
        assert deal.refused(take_discard("5C")) == "deepest_card_unusable"

        taken = deal.move(take_discard("QD"))
        assert taken.refused(lay("QS QH 3D")) == "not_a_set"
        after = taken.move(lay("QS QH QD"), discard("3D"))

        assert (after.points(0), after.result.went_out) == (30, 0)


class TestRenewalDoublesCards:
    """Case 32"""

    @pytest.mark.parametrize("way", ["reshuffle", "flip"])
    def test_only_the_pile_becomes_the_stock(self, at, way):
        deal = at(
            hands=["KC 2D", "9D 3S", "4S TH"],
            pile="5C 6H 7D",
            melds=["2: 8S 8H 8D"],
            stock=0,
            stock_empty=way,
        )

        after = deal.move(draw_stock())

        assert (after.hand(2), after.melds) == (hand("4S TH"), {"m1": "8S 8H 8D"})
        assert (after.stock_count, after.pile) == (2, ())


class TestHandsOfTheSecondDeal:
    """Case 34"""

    def test_the_first_deals_hands_are_open_and_the_seconds_are_not(self, room, at):
        first = at(hands=["2C", "KD QD"], phase="meld").move(discard("2C"))
        assert first.result.seats[1].hand == hand("KD QD")

        second = first.move(next_deal())

        hidden = set(second.hand(1)) - {*second.hand(0), *second.pile, *hand("2C KD QD")}
        for outlet in ("", "/events", "/replay", "/legal-moves", "/deals/2/proof"):
            told = room.client.get(
                f"{second.path}{outlet}?as_seat=0".replace("proof?as_seat=0", "proof"), headers=room.headers
            )
            assert told.status_code == 200
            # A proof lists the whole pack, in the order in which no card lies.
            shown = told.text if "proof" not in outlet else str({**told.json, "pack": []})
            if outlet == "/replay":
                shown = str(told.json["deals"][1])
            assert not [card for card in hidden if f'"{card}"' in shown.replace("'", '"')], outlet


class TestLastDrawnCardLeaked:
    """Case 35"""

    def test_only_the_drawer_reads_which_card_it_was(self, room, at):
        deal = at(hands=["KC", "KD"], stock="6D 7S").move(draw_stock())
        assert deal.told("stock.drawn", "card") == ["6D"]

        for outlet in ("", "/events", "/replay"):
            mine = room.client.get(f"{deal.path}{outlet}?as_seat=0", headers=room.headers).text
            theirs = room.client.get(f"{deal.path}{outlet}?as_seat=1", headers=room.headers).text
            assert ('"6D"' in mine, '"6D"' in theirs) == (True, False)

    def test_a_take_is_public(self, room, at):
        deal = at(preset="kitchen-table", hands=["KC", "KD"], pile="6D").move(take_discard("6D"))

        seen = room.get(f"{deal.path}/events?as_seat=1")["events"][-1]

        assert seen == deal.events[-1]
        assert deal.known(0) == cards("6D")


class TestSpectators:
    """Case 37"""

    def test_they_look_on_and_do_nothing(self, client, people, settle):
        path, headers = people("Ana", "Ben", spectators="public")
        watcher = settle("Eve")

        view = client.get(path, headers=watcher).json

        assert (view["viewer"], view["you"]) == ({"role": "spectator", "seat": None}, None)
        for operation in ("draw-stock", "pass", "keep", "next-deal", "resignation"):
            for query in ("", "?as_seat=0", "?dry_run=true"):
                answer = client.post(f"{path}/{operation}{query}", headers=watcher)
                assert (answer.status_code, answer.json["code"]) == (403, "not_seated")
        for query in ("", "?as_seat=0"):
            assert client.get(f"{path}/legal-moves{query}", headers=watcher).status_code == 403
        assert client.get(path, headers=headers[0]).json["version"] == view["version"]

    def test_whoever_sits_there_learns_nothing_by_asking_to_watch(self, client, people):
        path, headers = people("Ana", "Ben", spectators="public")

        for seat, mine in enumerate(headers):
            other = client.get(f"{path}?as_seat={1 - seat}", headers=mine)
            assert (other.status_code, other.json["code"]) == (403, "not_seated")
            assert client.get(path, headers=mine).json["viewer"] == {"role": "player", "seat": seat}

    @pytest.mark.parametrize("outlet", ["", "/events", "/replay", "/rules", "/legal-moves", "/deals/1/proof"])
    def test_a_private_game_is_not_there_for_strangers(self, client, open_table, ana, ben, outlet):
        game = open_table(ana, opponents=[{}])

        hidden = client.get(f"/v1/games/{game['id']}{outlet}", headers=ben)
        none = client.get(f"/v1/games/{'g00' + 'A' * 26}{outlet}", headers=ben)

        assert hidden.status_code == none.status_code == 404
        assert hidden.json["detail"] == none.json["detail"]


class TestCardsTracedByPosition:
    """Case 38"""

    def test_a_hand_tells_nothing_of_when_a_card_came(self, at):
        first = at(hands=["5C 9D KH", "2S"], stock="7D 4S").move(draw_stock())
        second = at(hands=["5C 7D KH", "2S"], stock="9D 4S").move(draw_stock())

        assert first.hand(0) == second.hand(0)

    def test_cards_taken_are_known_until_they_are_played(self, at):
        deal = at(preset="kitchen-table", hands=["5C 5D 5S KH"], pile="2C 5H JD").move(take_discard("5H"))
        assert deal.known(0) == hand("5H JD")

        after = deal.move(lay("5C 5H 5D"), discard("KH"))

        assert after.known(0) == hand("JD")

    def test_two_games_that_differ_in_hidden_cards_look_alike(self, at):
        one = at(hands=["KC QC", "KD QD"], pile="2C", stock="4S 5S 6S").move(draw_stock())
        other = at(hands=["JC TC", "KD QD"], pile="2C", stock="9S 8S 7S").move(draw_stock())

        apart = {"id": "", "invite_code": ""}
        assert {**one.seen_by(1), **apart} == {**other.seen_by(1), **apart}


class TestAnyCardCanBePlayed:
    """Case 40"""

    def test_the_refusal_does_not_tell_where_the_card_is(self, at):
        told = set()
        for stock, others in [("7S 2C", "8S 9S"), ("2C 3C 7S", "8S 9S"), ("2C 3C", "8S 9S"), ("2C", "7S 9S")]:
            deal = at(hands=["7C 7D 4H", others], phase="meld", stock=stock)
            for move in (lay("7C 7D 7S"), discard("7S"), lay_off("7S")):
                refusal = deal.refusal(move)
                told.add((refusal.code, refusal.rule, refusal.message, str(refusal.details)))

        assert told == {("card_not_in_hand", "3.1", "You do not hold the seven of spades.", "{}")}


class TestOneCardNamedTwice:
    """Case 41"""

    @pytest.mark.parametrize("preset", ["classic", "kitchen-table"])
    def test_a_single_card_makes_no_pair(self, at, preset):
        assert at(preset=preset, seats=5, hands=["8C 8H KD"], phase="meld").refused(lay("8C 8C 8H")) == (
            "repeated_card"
        )

    def test_two_copies_do_where_suits_are_free(self, at):
        deal = at(preset="kitchen-table", seats=5, hands=["8C 8C 8H KD"], phase="meld")

        assert deal.move(lay("8C 8C 8H")).hand(0) == hand("KD")


class TestRepeatedEndOfTurn:
    """Case 43"""

    def test_only_the_first_discard_counts(self, room, at):
        deal = at(hands=["3C 4D", "3D", "3H", "3S"], phase="meld")
        path = f"{deal.path}/discard?as_seat=0"

        room.post(path, {"card": "3C"})

        for number in range(4):
            late = room.post(path, {"card": "3C"}, status=409, **{"Idempotency-Key": f"click-{number}"})
            assert late["code"] == "not_your_turn"
        assert room.get(deal.path)["turn"]["seat"] == 1
        assert room.get(deal.path)["version"] == 2


class TestPendingDuty:
    """Case 44"""

    def test_the_turn_waits_for_the_debt(self, at):
        deal = at(hands=["6S 6H KC"], pile="6C 2D").move(take_discard("6C"))
        assert deal.must_use == "6C"

        for move, code in [
            (discard("KC"), "must_use_taken_card"),
            (pass_(), "already_drawn"),
            (draw_stock(), "already_drawn"),
            (take_discard("6C"), "already_drawn"),
            (keep(), "option_off"),
        ]:
            assert deal.refused(move) == code
        assert deal.discards() == []

        assert deal.move(lay("6S 6H 6C"), discard("KC")).pile == cards("KC")


class TestActionsBeforeAndAfter:
    """Case 46"""

    MOVES = (draw_stock(), lay("KD KH KC"), lay_off("KD"), discard("KD"), pass_(), keep(), take_discard("2C"))

    def test_a_finished_game_takes_no_move(self, room, at):
        finished = at(hands=["2C", "KD"], phase="meld", totals=[500, 0]).move(discard("2C"))
        assert (finished.winners, finished.view["turn"], finished.view["phase"]) == ((0,), None, None)

        for move in (*self.MOVES, next_deal()):
            assert finished.refused(move, by=1) == "game_over"
        assert room.get(finished.path)["winners"] == [0]

    def test_nor_does_a_finished_deal(self, at):
        between = at(hands=["2C", "KD"], phase="meld").move(discard("2C"))

        for move in self.MOVES:
            assert between.refused(move, by=1) == "deal_over"

    def test_nor_does_a_table_that_still_waits_for_players(self, client, open_table, ana):
        game = open_table(ana, seats=2)

        for operation in ("draw-stock", "pass", "keep", "next-deal"):
            answer = client.post(f"/v1/games/{game['id']}/{operation}", headers=ana)
            assert (answer.status_code, answer.json["code"]) == (409, "wrong_phase")


class TestRefreshThrowsThePlayerOut:
    """Cases: Case 47, Case 71"""

    def test_with_the_token_everything_is_as_it_was(self, app, contract, room, at):
        deal = at(hands=["6S 6H KC 2S", "9D"], pile="6C 2D", melds=["0: TS TD TC"], totals=[265, -35]).move(
            take_discard("6C")
        )
        before = deal.seen_by(0)

        fresh = app.test_client()
        fresh.contract = contract
        reloaded = fresh.get(deal.path, headers=room.headers).json

        assert {**reloaded, "server_time": ""} == {**before, "server_time": ""}
        assert (reloaded["seats"][0]["total"], reloaded["seats"][0]["table_points"]) == (265, 30)
        assert reloaded["turn"]["must_use"] == "6C"

    def test_the_name_opens_nothing(self, client, people, settle):
        path, headers = people("Ana", "Ben")
        namesake = settle("Ben")

        assert client.post(f"{path}/seats", headers=namesake).json["code"] == "already_started"
        assert client.get(path, headers=namesake).json["code"] == "not_seated"
        assert client.get(path, headers=headers[1]).json["viewer"]["seat"] == 1

    def test_no_player_sits_twice(self, client, open_table, ana, ben):
        path = f"/v1/games/{open_table(ana, seats=3, visibility='public')['id']}"
        client.post(f"{path}/seats", headers=ben)

        client.post(f"{path}/seats", headers=ben)

        seated = [seat["kind"] for seat in client.get(path, headers=ana).json["seats"]]
        assert seated == ["human", "human", None]


class TestStaleSelection:
    """Case 49"""

    def test_a_card_thrown_before_cannot_be_thrown_again(self, at):
        deal = at(hands=["9S QD"], pile="4H", phase="meld")

        assert deal.refused(discard("4H")) == "card_not_in_hand"


class TestGameWaitsForSomebodyWhoLeft:
    """Case 52"""

    def test_a_computer_plays_on(self, client, people, turns):
        path, headers = people("Ana", "Ben", "Cem", "Dan")
        seat = client.get(path, headers=headers[0]).json["turn"]["seat"]

        answer = client.post(f"{path}/resignation", headers=headers[seat])

        assert answer.status_code == 201
        after = client.get(path, headers=headers[(seat + 1) % 4]).json
        assert (after["seats"][seat]["kind"], after["status"]) == ("computer", "playing")
        assert turns.asked[-1][1] == after["version"]


class TestUndo:
    """Case 53"""

    def test_no_operation_takes_anything_back(self, contract):
        moves = [name for name, one in contract.operations.items() if one["tags"] == ["moves"]]

        assert sorted(moves) == [
            "callRummy",
            "discardCard",
            "drawStock",
            "keepCard",
            "layMeld",
            "layOff",
            "passDraw",
            "playTurn",
            "readyForNextDeal",
            "resignGame",
            "takeDiscard",
        ]


class TestSeatLimit:
    """Case 55"""

    def test_one_too_many_is_turned_away(self, client, open_table, settle, ana):
        path = f"/v1/games/{open_table(ana, seats=4, visibility='public')['id']}"

        answers = [client.post(f"{path}/seats", headers=settle(f"P{number}")) for number in range(6)]

        assert [answer.status_code for answer in answers] == [201, 201, 201, 409, 409, 409]
        assert {answer.json["code"] for answer in answers[3:]} == {"game_full"}
        view = client.post(f"{path}/start", headers=ana).json
        assert sum(seat["hand_count"] for seat in view["seats"]) + view["stock_count"] + 1 == 52


class TestPredictableShuffle:
    """Case 56"""

    def test_the_seed_of_a_running_deal_is_nowhere(self, client, open_table, ana):
        path = f"/v1/games/{open_table(ana, opponents=[{}])['id']}"

        proof = client.get(f"{path}/deals/1/proof", headers=ana).json

        assert proof["seed"] is None
        assert len(proof["commitment"]) == 64

    def test_nobody_chooses_the_seed_of_a_real_game(self, client, ana):
        answer = client.post("/v1/games", json={"opponents": [{}], "seed": "1"}, headers=ana)

        assert (answer.status_code, answer.json["code"]) == (422, "sandbox_only")

    def test_no_two_games_are_dealt_alike(self, open_table, ana):
        dealt = {tuple(open_table(ana, opponents=[{}])["you"]["hand"]) for _ in range(20)}

        assert len(dealt) == 20


class TestDealsThatNeverEnd:
    """Case 58"""

    def test_taking_and_throwing_in_a_circle_ends(self, at):
        deal = at(preset="kitchen-table", hands=["2C 9H", "3S JD"], pile="KD", stock=0)

        turns = 0
        while not deal.over and turns < 100:
            top = deal.pile[-1]
            deal = deal.move(take_discard(top))
            deal = deal.move(discard(next(code for code in deal.discards() if code != top)))
            turns += 1

        assert turns <= 3
        assert (deal.result.reason, deal.result.went_out) == ("stock_end", None)

    def test_without_a_draw_hands_shrink_until_somebody_is_out(self, at):
        deal = at(preset="kitchen-table", hands=["2C 9H", "3S JD"], pile="KD", stock=0)

        deal = deal.move(pass_(), discard("9H"), pass_(), discard("JD"), pass_(), discard("2C"))

        assert deal.result.went_out == 0


class TestPickedCardNotUsed:
    """Case 61"""

    def test_a_meld_beside_it_leaves_the_debt(self, at):
        deal = at(hands=["QS QD QC 7H 7D"], pile="2S QH").move(take_discard("QH"))

        beside = deal.move(lay("QS QD QC"))

        assert beside.must_use == "QH"
        assert beside.refused(discard("7H")) == "must_use_taken_card"
        assert beside.move(lay_off("QH", "m1"), discard("7H")).points(0) == 40

    def test_where_only_a_new_meld_counts_that_would_strand_it(self, at):
        deal = at(hands=["QS QD QC 7H 7D"], pile="2S QH", deepest_card_use="new_meld_only")

        assert deal.move(take_discard("QH")).refused(lay("QS QD QC")) == "would_strand_taken_card"


class TestTwoCardsOntoARun:
    """Case 62"""

    def test_one_after_the_other_in_order(self, at):
        deal = at(preset="cardcouch", hands=["5D 6D KC"], melds=["7D 8D 9D"], phase="meld")

        assert deal.refused(lay_off("5D", "m1")) == "not_adjacent"
        assert deal.move(lay_off("6D", "m1"), lay_off("5D", "m1")).points(0) == 11


class TestWhoMayCall:
    """Case 64"""

    def test_all_but_the_discarder_and_the_one_who_draws_next(self, at):
        deal = at(
            hands=["9C 9D", "KC KD", "QC JH"],
            pile="5D",
            melds=["2D 3D 4D"],
            phase="rummy_call",
            turn=1,
            discarder=0,
            call_rummy="table_or_pile",
        )
        asked = call("5D", lay_off("5D", "m1"))
        assert deal.view["turn"]["may_act"] == [2]

        assert deal.refused(asked, by=0) == "discarder_cannot_call"
        assert deal.refused(asked, by=1) == "not_your_turn"
        called = deal.move(asked, by=2)
        assert called.points(2) == 5
        assert called.move(discard("QC")).to_move[0] == 0


class TestRoundTheCorner:
    """Case 65"""

    @pytest.mark.parametrize(
        "preset",
        [
            "cardcouch",
            "classic",
            "ace-low",
            "jokers",
            "basic-rummy",
            "kitchen-table",
            "partnership",
            "persian",
        ],
    )
    def test_in_no_preset(self, at, preset):
        seats = 4 if preset in {"partnership", "persian"} else 2
        deal = at(preset=preset, seats=seats, hands=["QC KC AC 2C 3C"], phase="meld")

        for codes in ("QC KC AC 2C 3C", "KC AC 2C", "QC KC AC 2C", "KC AC 2C 3C"):
            assert deal.refused(lay(codes)) == "round_the_corner"


class TestFloating:
    """Case 67"""

    def test_float_float_again_and_go_out(self, at):
        deal = at(hands=["5H 6H 7H", "KD QS"], stock="JC 8H 4C TC 2S", phase="meld", **FLOATING)

        floating = deal.move(lay("5H 6H 7H"))
        assert (floating.points(0), floating.hand(0), floating.over) == (18, (), False)
        again = floating.move(draw_stock(), discard("JC"), draw_stock(), lay_off("8H", "m1"))
        assert (again.points(0), again.hand(0), again.over) == (26, (), False)
        out = again.move(draw_stock(), discard("4C"), draw_stock(), discard("TC"))

        assert (out.result.went_out, out.scores) == (0, (26, -20))

    def test_or_the_card_is_kept(self, at):
        deal = at(hands=["5H 6H 7H", "KD QS"], stock="JC 8H 4C TC 2S", phase="meld", **FLOATING)

        drawn = deal.move(lay("5H 6H 7H"), draw_stock(), discard("JC"), draw_stock())

        assert drawn.refused(lay("8H")) == "too_few_cards"
        kept = drawn.move(keep())
        assert kept.to_move[0] == 1
        assert kept.hand(0) == cards("8H")


class TestLayOffWithoutAMeldOfOnesOwn:
    """Case 68"""

    @pytest.mark.parametrize("preset", ["classic", "ace-low", "jokers", "basic-rummy", "kitchen-table"])
    def test_it_is_lawful(self, at, preset):
        deal = at(preset=preset, hands=["JC 4D"], melds=["JS JD JH"], phase="meld")

        assert deal.move(lay_off("JC", "m1")).points(0) == 10


class TestJokerWorthItsCard:
    """Case 70"""

    def test_it_counts_fifteen_whatever_it_stands_for(self, at):
        deal = at(hands=["3C 4C X1 KD"], phase="meld", jokers_per_pack=2)

        assert deal.move(lay("3C 4C X1=5C")).points(0) == 22


class TestGoingOutWithAPlayableCard:
    """Case 73"""

    def test_the_deal_is_over_and_nobody_calls(self, at):
        deal = at(hands=["JS", "KD", "KC"], melds=["8S 9S TS"], phase="meld", call_rummy="any_meld").move(
            discard("JS")
        )

        assert deal.result.went_out == 0
        assert "call_window.opened" not in deal.happened
        assert deal.refused(call("JS", lay_off("JS", "m1")), by=2) == "deal_over"


class TestTheWinningMoveSentTwice:
    """Case 74"""

    def test_the_deal_ends_once(self, room, at):
        deal = at(hands=["6C", "9D"], melds=["3C 4C 5C"], phase="meld")
        key = {"Idempotency-Key": "win", "If-Match": '"1"'}

        first, again = (
            room.post(f"{deal.path}/lay-offs", {"card": "6C", "meld_id": "m1"}, **key) for _ in range(2)
        )

        assert first == again
        assert [event["type"] for event in first["events"]] == [
            "card.laid_off",
            "player.went_out",
            "deal.ended",
        ]
        (result,) = room.get(deal.path)["deals"]
        assert (result["went_out"], [seat["score"] for seat in result["seats"]]) == (0, [6, 3])


class TestSeveralMovesOfOneKind:
    """Case 76"""

    def test_one_meld_a_turn(self, at):
        deal = at(preset="basic-rummy", hands=["2H 3H 4H 9S 9D 9C KD 5H"], phase="meld")

        laid = deal.move(lay("2H 3H 4H"))

        assert laid.refused(lay("9S 9D 9C")) == "one_meld_a_turn"
        assert [move for move in laid.lawful() if move["type"] == "meld"] == []
        assert laid.move(lay_off("5H", "m1")).points(0) == 14

    def test_one_draw_a_turn(self, at):
        deal = at(hands=["2H 3H"], pile="4C").move(draw_stock())

        assert deal.refused(draw_stock()) == "already_drawn"
        assert deal.refused(take_discard("4C")) == "already_drawn"
