"""What a player can foresee of a legal turn before making it (RULES 2.12).

The preview ends where a card comes in that the player has not seen, or where the deal may end,
because that opens the other hands.
"""

from dataclasses import dataclass
from enum import StrEnum

from service.rummy.drawing import can_draw_stock
from service.rummy.moves import DrawStock
from service.rummy.play import play
from service.rummy.state import Game, Phase, Stage
from service.rummy.whole_turns import DiscardDrawn, TurnMove, WholeTurn


class PreviewEnd(StrEnum):
    """Why a preview ends before a move: it brings unseen cards, or the deal may end with it."""

    HIDDEN_CARD = "hidden_card"
    DEAL_MAY_END = "deal_may_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The game after the moves of a turn, as far as its player can foresee it.

    `stopped_before` is the index of the first move that is not in it, None if all are.
    """

    game: Game
    stopped_before: int | None = None
    reason: PreviewEnd | None = None


def preview_turn(game: Game, turn: WholeTurn) -> Preview:
    """Return what the player of a turn that `play_turn` allows can foresee of it."""
    for place, move in enumerate(turn.moves):
        after = _foreseen(game, move)
        if isinstance(after, PreviewEnd):
            return Preview(game=game, stopped_before=place, reason=after)
        game = after
    return Preview(game=game)


def _foreseen(game: Game, move: TurnMove) -> Game | PreviewEnd:
    if isinstance(move, DrawStock | DiscardDrawn):
        return PreviewEnd.HIDDEN_CARD
    _, after = play(game, move)
    if after.status is not Stage.PLAYING:
        return PreviewEnd.DEAL_MAY_END
    if after.deal.turn.phase is Phase.DRAW and not can_draw_stock(after):
        # Whether the next seat has a turn may depend on its hand (RULES 7.1).
        return PreviewEnd.DEAL_MAY_END
    return after
