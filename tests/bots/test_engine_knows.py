"""Variants that the engine does not know are played by the rules: by every level, in hints and in reviews."""

from random import Random

import pytest

from service.jobs.levels import LEVELS
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import LayMeld
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Phase, Stage
from service.rummy.views import view_for
from tests.laws.test_hidden_information import another_game
from tests.support.tables import KEY, table
from workers.bots.bot import Budget
from workers.bots.engine.rules import engine_knows, rules_for
from workers.bots.levels.expert import Expert
from workers.bots.levels.rule_based import STEADY, RuleBasedBot
from workers.bots.levels.shrewd import Shrewd
from workers.bots.registry import bot_for
from workers.bots.search.hint_search import HintSearch
from workers.bots.search.rules_evaluator import RulesEvaluator

#: A variant of each kind that the engine does not know, in the words that the level expert describes it with.
UNKNOWN = {
    "three packs": resolve("classic", {"packs": 3}, seats=3),
    "runs round the corner": resolve("classic", {"ace_in_run": "around"}, seats=3),
    "lay-offs only after a meld": resolve("classic", {"lay_off_after_meld": True}, seats=3),
    "the taken card first": resolve("classic", {"taken_card_first": True}, seats=3),
    "jokers in sets of any suits": resolve("kitchen-table", {"packs": 3, "jokers_per_pack": 2}, seats=3),
    "four aces laid over time": resolve(
        "classic", {"four_aces": 100, "four_aces_laid": "over_time"}, seats=3
    ),
    "the target reached at once": resolve("classic", {"target_reached": "at_once", "target": 60}, seats=3),
}
unknown = pytest.mark.parametrize("variant", UNKNOWN.values(), ids=list(UNKNOWN))


def advice_for(game, seat, *, worlds=8, also=()):
    search = HintSearch(Shrewd(), RuleBasedBot(STEADY))
    legal = legal_moves(game, seat)
    return search.advise(
        view_for(game, seat), legal, game.variant, Random(1), Budget(worlds=worlds), also=also
    )


def play_deal(variant, level, seats=3):
    """Yield each game of a deal that the level plays against itself, with the seat to act."""
    _, game = new_game(variant, seats=seats, key=KEY)
    bot, chance = bot_for(level, Budget(worlds=4)), Random(1)
    while game.status is Stage.PLAYING:
        seat = seats_to_act(game)[0]
        yield game, seat
        move = bot.choose(view_for(game, seat), legal_moves(game, seat), variant, chance)
        _, game = play(game, move)


class TestTheEngine:
    @pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
    def test_knows_every_preset(self, preset):
        for seats in {*preset.players}:
            assert engine_knows(resolve(preset.name, {}, seats=seats))

    @unknown
    def test_refuses_a_variant_that_it_does_not_know(self, variant):
        assert not engine_knows(variant)
        with pytest.raises(ValueError, match="does not know"):
            rules_for(variant, 3)


class TestComputers:
    @pytest.mark.parametrize("kind", UNKNOWN)
    def test_expert_says_where_it_does_not_search(self, kind):
        assert kind in LEVELS["expert"]

    @unknown
    @pytest.mark.parametrize("level", LEVELS)
    def test_play_a_deal_at_every_level(self, variant, level):
        turns = list(play_deal(variant, level))

        assert len(turns) > 3

    @unknown
    def test_expert_plays_as_shrewd(self, variant):
        for game, seat in play_deal(variant, "shrewd"):
            position = view_for(game, seat), legal_moves(game, seat), variant
            assert Expert(Budget(worlds=4)).choose(*position, Random(1)) == Shrewd().choose(
                *position, Random(1)
            )


class TestAdvice:
    @unknown
    def test_evaluates_every_listed_move_in_whole_deals(self, variant):
        positions = list(play_deal(variant, "steady"))
        for game, seat in positions[:: len(positions) // 3]:
            moves = legal_moves(game, seat).moves

            advice = advice_for(game, seat, also=moves[-1:])

            assert all(one.move in moves and one.worlds >= 8 and one.reason for one in advice)
            assert moves[-1] in [one.move for one in advice]

    @unknown
    def test_rests_on_few_deals_where_a_review_asks_for_many(self, variant):
        after_the_draw = (one for one in play_deal(variant, "steady") if one[0].deal.turn.phase is Phase.MELD)
        game, seat = next(after_the_draw)

        assert max(one.worlds for one in advice_for(game, seat, worlds=200)) == 24

    @unknown
    def test_never_depends_on_what_the_seat_cannot_see(self, variant):
        for game, seat in list(play_deal(variant, "steady"))[::20]:
            assert advice_for(game, seat) == advice_for(another_game(game, seat, Random(2)), seat)


class TestRolloutsByTheRules:
    """In variants that the engine knows as well: the value does not depend on how it is found."""

    def values(self, game, moves):
        legal = legal_moves(game, 0)
        evaluator = RulesEvaluator(
            view_for(game, 0), game.variant, legal.moves, RuleBasedBot(STEADY), Random(1)
        )
        evaluate = next(evaluator.samples(moves))
        return [evaluate(index) for index in range(len(moves))]

    @pytest.mark.parametrize("scoring, lead", [("table_minus_hand", 42), ("penalty", 21)])
    def test_score_the_lead_of_the_side(self, scoring, lead):
        known = ["", "2C KD 9S"]
        position = table(
            hands=["7C 7D 7H", "2C KD 9S"], known=known, pile="3D", phase="meld", scoring=scoring
        )
        goes_out = LayMeld(seat=0, cards=("7C", "7D", "7H"))

        assert self.values(position.game, [goes_out]) == [lead]

    def test_leave_out_a_move_that_is_illegal_there(self):
        game = table(hands=["7C 7D 7H", "2C KD 9S"], pile="3D", phase="meld").game

        assert self.values(game, [LayMeld(seat=0, cards=("KC", "KD", "KH"))]) == [None]

    def test_answer_calls(self):
        game = table(
            preset="ace-low",
            hands=["7C 8C", "2C 9S KD", "9H 7H TH"],
            pile="4C 8H",
            phase="rummy_call",
            turn=1,
            discarder=0,
        ).game
        assert game.deal.turn.phase is Phase.RUMMY_CALL
        seat = seats_to_act(game)[0]
        moves = legal_moves(game, seat).moves
        evaluator = RulesEvaluator(view_for(game, seat), game.variant, moves, RuleBasedBot(STEADY), Random(1))

        evaluate = next(evaluator.samples(moves))

        assert all(evaluate(index) is not None for index in range(len(moves)))
