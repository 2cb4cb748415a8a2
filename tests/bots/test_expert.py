"""The level `expert`: it evaluates the legal moves, as the rules play them, and search finds better ones."""

import random
from typing import NamedTuple

import pytest

from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import Discard, DrawStock, KeepCard, LayMeld, LayOff, TakeDiscard
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS
from service.rummy.state import Stage
from service.rummy.views import view_for
from tests.proofs.engine_agrees import difference, simulated
from tests.support.strategies import agree
from tests.support.tables import KEY, draw_stock, lay, table
from workers.bots.bot import Budget
from workers.bots.engine.determinization import make_move
from workers.bots.engine.legal_plays import can_keep
from workers.bots.engine.melds import HIGH_END
from workers.bots.levels.expert import Expert
from workers.bots.levels.shrewd import Shrewd
from workers.bots.registry import bot_for
from workers.bots.search.rollout_evaluator import RolloutEvaluator


def asked(game, seat=0, worlds=40, seed=1):
    """Return the move of expert in the position of a game."""
    expert = Expert(Budget(worlds=worlds))
    return expert.choose(view_for(game, seat), legal_moves(game, seat), game.variant, random.Random(seed))


class TestEngineMoves:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_do_in_the_engine_what_they_do_by_the_rules(self, preset):
        set_up = agree(preset, min(PRESETS[preset].players[1], max(3, PRESETS[preset].players[0])), [])
        chance = random.Random(11)
        _, game = new_game(set_up.variant, seats=set_up.seats, key=KEY)
        while game.status is Stage.PLAYING:
            seat = seats_to_act(game)[0]
            legal = legal_moves(game, seat)
            evaluator = RolloutEvaluator(view_for(game, seat), game.variant, legal.moves, chance)
            tried = chance.sample(legal.moves, min(6, len(legal.moves)))
            for move in tried:
                _, after = play(game, move)
                deal = simulated(game)
                make_move(deal, evaluator.engine_move(move), evaluator.own, chance.random)
                assert difference(after, deal) is None
            # Melds and deep takes make the positions that matter.
            preferred = [move for move in tried if isinstance(move, LayMeld | LayOff | TakeDiscard)]
            _, game = play(game, chance.choice(preferred or tried))

    def test_the_only_card_may_be_kept_after_floating(self):
        floating = {"going_out": "discard_required", "floating": True}
        drawn = table(hands=["-", "KD QD"], stock="3C 4C", **floating).move(draw_stock()).game
        left = table(hands=["7H 7D 7C 2S", "KD"], phase="meld", **floating).move(lay("7H 7D 7C")).game

        for game, may in ((drawn, True), (left, False)):
            legal = legal_moves(game, 0)
            evaluator = RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))
            assert can_keep(evaluator.base) is (KeepCard(seat=0) in legal.moves) is may

    def test_an_ace_goes_to_the_end_where_it_fits(self):
        game = table(
            hands=["AS 4D KC", "4H 9C"], pile="3D", melds=["2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"],
            phase="meld", ace_in_run="high",
        ).game  # fmt: skip
        legal = legal_moves(game, 0)
        (move,) = [move for move in legal.moves if isinstance(move, LayOff)]
        evaluator = RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))

        assert evaluator.engine_move(move).lay_off.end == HIGH_END

    def test_a_whole_suit_begins_with_its_ace_where_aces_are_low(self):
        game = table(
            hands=["AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS 4D", "4H 9C"], pile="3D", phase="meld",
            ace_in_run="low",
        ).game  # fmt: skip
        legal = legal_moves(game, 0)
        (move,) = [move for move in legal.moves if isinstance(move, LayMeld) and len(move.cards) == 13]
        lay = (
            RolloutEvaluator(view_for(game, 0), game.variant, legal.moves, random.Random(1))
            .engine_move(move)
            .lay
        )

        assert (lay.low, lay.high) == (0, 12)


class TestSoundPlay:
    """Positions that any good level plays right."""

    def test_goes_out_when_that_catches_the_other_with_a_full_hand(self):
        game = table(
            hands=["7C 7D 7H", "2C KD KH QS JS AS AC"], pile="3D", stock="4D 5S 9H", phase="meld"
        ).game

        assert isinstance(asked(game), LayMeld)

    def test_takes_deep_for_three_kings(self):
        game = table(hands=["KC KD 4C 9S", "2C 9D 3S 6H 8H"], pile="KH 2D 5S", stock="4D 5C 7H 8D").game

        move = asked(game)

        assert isinstance(move, TakeDiscard)
        assert move.card == "KH"

    def test_discards_no_card_that_the_next_player_can_lay_off(self):
        game = table(
            hands=["8S 2D KC", "4H 9C 9D 3C"],
            pile="3D",
            melds=["5S 6S 7S"],
            stock="4D 5C TH 8D QD 2H",
            phase="meld",
        ).game

        move = asked(game, worlds=80)

        assert not (isinstance(move, Discard) and move.card == "8S")

    def test_draws_from_the_stock_if_nothing_in_the_pile_is_useful(self):
        game = table(hands=["2C 9D KH", "3S 5D 8C"], pile="7S", stock="4D 5C TH").game

        assert isinstance(asked(game), DrawStock)

    def test_answers_a_call_window_with_a_legal_move(self):
        game = table(
            preset="ace-low",
            hands=["7C 8C", "2C 9S KD", "9H 7H TH"],
            pile="4C 8H",
            phase="rummy_call",
            turn=1,
            discarder=0,
        ).game

        assert asked(game, seat=2) in legal_moves(game, 2).moves


class Better(NamedTuple):
    """A position, and the move that is clearly better than what `shrewd` and `steady` play there.

    Found in self-play of `shrewd`: over 600 paired samples, drawn apart from those of the search, the
    move leads the one of `shrewd` by 12 to 39 points, which is more than eight standard errors.
    """

    move: type
    card: str | None
    position: dict


BETTER = {
    "takes seven cards for a run and a chance of more": Better(
        TakeDiscard,
        "6H",
        {
            "hands": ["QC 8D TD JD KD 7H 8H 7S TS", "8C 9D QD AH TH JH KH 9S QS KS"],
            "pile": "3H 6H 4S 2D 3S 4D 9C 7D",
            "stock": "6D 9H 2H 6C 7C JS KC 6S QH 2S JC 4H 3D AD AS TC AC 8S",
            "melds": ["1: 5D 5H 5S", "0: 2C 3C 4C 5C"],
            "known": ["", ""],
        },
    ),
    "leaves a pile whose cards would be caught in hand": Better(
        DrawStock,
        None,
        {
            "hands": ["KD 3S KS", "7D 6H 8H"],
            "pile": "5S AS 4S AC",
            "stock": "5H 7H KC 2C 8D TD 9H 2S 6D",
            "melds": [
                "1: JC JD JS JH@0",
                "1: AD 2D 3D 4D 5D@0",
                "0: QH KH AH",
                "0: 9C 9D 9S",
                "1: 2H 3H 4H",
                "1: 3C 4C@0 5C@0 6C 7C 8C@0",
                "1: TC TH TS",
                "1: QC QD QS",
                "1: 6S 7S 8S",
            ],
            "known": ["", "7D 6H 8H"],
        },
    ),
    "keeps the card that the opponent's last card goes with": Better(
        Discard,
        "AC",
        {
            "hands": ["AC 2C 4C 5C KD 2S 3S", "KH"],
            "phase": "meld",
            "stock": "AS TS 3C KC 7C 4S 5S KS",
            "melds": [
                "0: 6C 6D 6S 6H",
                "0: AH 2H 3H 4H@1 5H@1",
                "1: QC QD QH QS@0",
                "1: TC TD TH",
                "0: 8C 8H 8S 8D@1",
                "0: AD 2D@1 3D 4D 5D",
                "1: JD JH JS JC@0",
                "1: 9C 9H 9S 9D@0",
                "0: 7D 7H 7S",
            ],
            "known": ["AC 2C 4C 5C KD 2S", "KH"],
        },
    ),
    "discards low where a high card would be used": Better(
        Discard,
        "3D",
        {
            "hands": ["7C 3D 8D", "9C"],
            "phase": "meld",
            "pile": "5S 4D 5D 2S 6S AH KC 9S JC",
            "stock": "TC 3S 6H 6D 7D QC 7S 7H 8S 6C KH 2H 8C 9D 2D 4S",
            "melds": [
                "0: AC 2C@1 3C 4C 5C",
                "1: 3H 4H 5H",
                "1: TD JD@0 QD KD AD",
                "1: TS JS@0 QS@0 KS@0 AS@0",
                "1: 8H@0 9H@0 TH JH QH",
            ],
            "known": ["", ""],
        },
    ),
    "holds a lay-off back": Better(
        Discard,
        "3D",
        {
            "hands": ["3D 6H 3S", "7C"],
            "phase": "meld",
            "pile": "5S 4D 5D 2S 6S AH KC 8D",
            "stock": "6D 7D QC 7S 7H 8S 6C KH 2H 8C 9D 2D 4S",
            "melds": [
                "0: AC 2C@1 3C 4C 5C",
                "1: 3H 4H 5H",
                "1: TD JD@0 QD KD AD",
                "1: 9S TS JS@0 QS@0 KS@0 AS@0",
                "1: 8H@0 9H@0 TH JH QH",
                "1: 9C TC JC",
            ],
            "known": ["", "7C"],
        },
    ),
}


@pytest.mark.parametrize("better", BETTER.values(), ids=BETTER)
class TestSearch:
    """Positions in which search finds more than the static evaluation of its default move."""

    def test_plays_the_better_move(self, better):
        game = table(**better.position).game

        for seed in range(3):
            move = asked(game, worlds=80, seed=seed)
            assert (type(move), getattr(move, "card", None)) == (better.move, better.card)

    @pytest.mark.parametrize("level", ["shrewd", "steady"])
    def test_no_level_without_search_does(self, better, level):
        game = table(**better.position).game
        view, legal = view_for(game, 0), legal_moves(game, 0)

        for seed in range(10):
            move = bot_for(level).choose(view, legal, game.variant, random.Random(seed))
            assert (type(move), getattr(move, "card", None)) != (better.move, better.card)


class TestItsBudget:
    def test_a_number_of_worlds_gives_the_same_move_whatever_the_clock(self):
        game = table(hands=["KC KD 4C 9S 5S 6S", "2C 9D"], pile="KH QH JH 7S", stock="4D 5C 7H").game

        assert len({asked(game, worlds=12, seed=3) for _ in range(3)}) == 1

    def test_too_few_worlds_give_the_default_move(self):
        game = table(hands=["2C 5D 8H JS KC TD 6S", "4C 9D 7H 3S"], pile="QH 7S", phase="meld").game
        default_move = Shrewd().choose(
            view_for(game, 0), legal_moves(game, 0), game.variant, random.Random(1)
        )

        assert {asked(game, worlds=3, seed=seed) for seed in range(20)} == {default_move}

    def test_a_time_gives_a_legal_move(self):
        game = table(hands=["KC KD 4C 9S 5S 6S", "2C 9D"], pile="KH QH JH 7S", stock="4D 5C 7H").game
        legal = legal_moves(game, 0)

        move = Expert(Budget(milliseconds=5)).choose(view_for(game, 0), legal, game.variant, random.Random(1))

        assert move in legal.moves


class TestNearTheEndOfAGame:
    def test_winning_the_game_is_worth_more_than_the_points_of_the_deal(self):
        far, near = (
            table(hands=["7C 7D 7H", "2C KD"], pile="3D", phase="meld", hand_size=7, totals=totals).game
            for totals in ([0, 0], [490, 0])
        )

        means = [
            Expert(Budget(worlds=8))
            .candidates(view_for(game, 0), legal_moves(game, 0), game.variant, random.Random(1))[0]
            .mean
            for game in (far, near)
        ]

        assert means[1] == means[0] + 100
