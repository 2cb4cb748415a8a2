"""Evaluates moves by rolling them out in the rules themselves, for variants that the engine does not know.

A rollout takes ten milliseconds or more, a hundred times as long as one of the engine.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Final

from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import PlayerMove
from service.rummy.play import play
from service.rummy.state import Deal, DealResult, Game, Phase, Stage, Turn
from service.rummy.variants import Variant
from service.rummy.views import View, view_for
from workers.bots.bot import Bot
from workers.bots.observation import Observation
from workers.bots.search.monte_carlo import Evaluate

#: A sampled game is never shuffled, unless its stock is renewed: then any key will do.
_KEY: Final = bytes(32)
_SEED_BITS: Final = 64


class RulesEvaluator:
    """Evaluates the moves of one seat in one position; every seat plays on by the same policy."""

    def __init__(
        self, view: View, variant: Variant, moves: Sequence[PlayerMove], policy: Bot, chance: Random
    ) -> None:
        """Read the view; `moves` are the legal moves of its seat."""
        self.observation: Final = Observation.of(view, variant)
        self._turn: Final = _turn(self.observation, moves)
        self._policy: Final = policy
        self._chance: Final = chance

    def samples(self, moves: Sequence[PlayerMove | None]) -> Iterator[Evaluate]:
        """Yield an evaluation function for each sampled deal."""
        while True:
            yield partial(self._roll_out, self._sample(), self._chance.getrandbits(_SEED_BITS), moves)

    def _sample(self) -> Game:
        """Return a game that agrees with the view: the hidden cards are dealt at random."""
        observation = self.observation
        view, variant = observation.view, observation.variant
        cards = [card for card, copies in observation.unseen.items() for _ in range(copies)]
        self._chance.shuffle(cards)
        hands = []
        for seat, other in enumerate(view.seats):
            if seat == observation.seat:
                hands.append(observation.hand)
            else:
                hidden = observation.hidden_cards(seat)
                hands.append((*other.known_cards, *cards[:hidden]))
                del cards[:hidden]
        deal = Deal(
            number=view.deal,
            dealer=view.dealer,
            hands=tuple(hands),
            known=tuple(other.known_cards for other in view.seats),
            stock=tuple(cards[: view.stock_count]),
            discard_pile=view.discard_pile,
            melds=view.melds,
            turn=self._turn,
        )
        return Game(
            variant=variant,
            seats=len(view.seats),
            key=_KEY,
            dealer_draws=(),
            status=Stage.PLAYING,
            deal=deal,
            deals=view.deals,
            totals=view.totals,
        )

    def _roll_out(
        self, game: Game, seed: int, moves: Sequence[PlayerMove | None], index: int
    ) -> float | None:
        """Return the lead of the seat's side at the end of the deal; None if the move is illegal in it."""
        move, chance = moves[index], Random(seed)
        assert move is not None  # noqa: S101 - only a search in the engine asks for the end of the turn
        try:
            _, game = play(game, move)
        except IllegalMove:
            return None
        while game.status is Stage.PLAYING:
            seat = seats_to_act(game)[0]
            view = view_for(game, seat)
            chosen = self._policy.choose(view, legal_moves(game, seat), game.variant, chance)
            assert chosen is not None  # noqa: S101 - the seat to act always has a legal move
            _, game = play(game, chosen)
        return _lead(game.deals[-1], game.variant, self.observation.seat)


def _turn(observation: Observation, moves: Sequence[PlayerMove]) -> Turn:
    """Return the running turn as far as the view shows it."""
    view = observation.view
    assert view.turn is not None  # noqa: S101 - moves are offered in a turn
    seat, phase = view.turn.seat, view.phase or Phase.DRAW
    melds_laid, floating = observation.turn_so_far(moves)
    is_window = phase is Phase.RUMMY_CALL
    return Turn(
        seat=seat,
        phase=phase,
        must_use=view.turn.must_use,
        may_not_discard=view.turn.may_not_discard,
        melds_laid=melds_laid,
        tabled=melds_laid > 0,
        tabled_before=any(laid.laid_by == seat for meld in view.melds for laid in meld.cards),
        floating=floating,
        quiet=phase is Phase.DRAW,
        discarder=(seat - 1) % len(view.seats) if is_window else None,
        asked=view.turn.may_act if is_window else (),
    )


def _lead(result: DealResult, variant: Variant, seat: int) -> float:
    """Return the lead of the seat's side over the mean of the others in a deal."""
    scores = [0] * variant.sides(len(result.seats))
    for other, had in enumerate(result.seats):
        scores[variant.side(other)] += had.score
    own = scores[variant.side(seat)]
    lead = own - (sum(scores) - own) / (len(scores) - 1)
    return -lead if variant.scoring == "penalty" else lead
