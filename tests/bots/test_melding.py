"""The best meld plan is optimal: compared with every order of melds and lay-offs by the rules."""

import random

from service.rummy.cards import cards
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import LayMeld, LayOff
from service.rummy.play import play
from service.rummy.presets import resolve
from service.rummy.scoring import hand_points, table_points
from service.rummy.state import Game, Phase, Stage
from service.rummy.views import view_for
from tests.support.positions import random_position, to_game
from workers.bots.evaluation.melding import best_meld_plan
from workers.bots.levels.shrewd import Shrewd

#: With jokers there are more orders than a test can try; such positions are left out.
MOST_TRIED = 600
CLASSIC = resolve("classic", {}, seats=2)


def worth(game, seat):
    """Return the points that the seat has laid less those in its hand."""
    return table_points(game.deal, seat, game.variant) - hand_points(game.deal.hands[seat], game.variant)


def lays(game, seat):
    if game.status is not Stage.PLAYING or game.deal.turn.seat != seat:
        return []
    return [move for move in legal_moves(game, seat).moves if isinstance(move, LayMeld | LayOff)]


def most_worth(game: Game, seat: int, known: dict) -> int:
    """Return the best value of any order of melds and lay-offs; an owed card must be used."""
    key = (game.deal.hands[seat], tuple(sorted(str(meld.cards) for meld in game.deal.melds)))
    if key not in known:
        if len(known) > MOST_TRIED:
            raise OverflowError
        owed = game.status is Stage.PLAYING and game.deal.turn.must_use is not None
        found = [] if owed else [worth(game, seat)]
        found += [most_worth(play(game, move)[1], seat, known) for move in lays(game, seat)]
        known[key] = max(found, default=-1000)
    return known[key]


def positions_after_the_draw(first, last):
    """Yield positions in which cards may be laid and only their points matter."""
    for seed in range(first, last):
        game = to_game(random_position(random.Random(seed)))
        variant, turn = game.variant, game.deal.turn
        simple = variant.going_out == "any" and variant.scoring == "table_minus_hand"
        if turn.phase is Phase.MELD and simple and turn.may_not_discard is None and lays(game, turn.seat):
            yield seed, game


class TestTheBestMeldPlan:
    def test_no_order_of_melds_and_lay_offs_comes_to_more(self):
        tried = 0
        for seed, game in positions_after_the_draw(0, 600):
            seat = game.deal.turn.seat
            try:
                most = most_worth(game, seat, {})
            except OverflowError:
                continue
            tried += 1
            reached = game
            while lays(reached, seat):
                legal = legal_moves(reached, seat)
                move = Shrewd().choose(view_for(reached, seat), legal, game.variant, random.Random(1))
                if not isinstance(move, LayMeld | LayOff):
                    break
                _, reached = play(reached, move)
            assert worth(reached, seat) == most, f"seed {seed}"
        assert tried > 15

    def test_fifty_cards_do_not_explode_the_search(self):
        chance = random.Random(1)
        pack = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
        hand = cards(" ".join(chance.sample(pack, 50)))

        plan = best_meld_plan(hand, (), CLASSIC)

        assert len(plan.rest) <= 2
        assert sorted((*plan.rest, *(card for option in plan.options for card in option.cards))) == sorted(
            hand
        )
