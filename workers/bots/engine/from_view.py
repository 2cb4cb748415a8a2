"""From the view of a seat to a deal of the engine."""

from collections.abc import Iterable, Sequence

from service.rummy.cards import RANK, SUIT, is_joker
from service.rummy.state import Meld, MeldKind, Phase
from service.rummy.variants import Variant
from service.rummy.views import View
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.deal_state import DRAW, MELD, NO_CARD
from workers.bots.engine.melds import MeldOnTable
from workers.bots.engine.rules import code_of, rules_for


def deal_of(
    view: View,
    variant: Variant,
    *,
    hands: Sequence[Iterable[int]],
    stock: Iterable[int],
    melds_laid: int = 0,
    floats: bool = False,
) -> SimulatedDeal:
    """Return the deal that the view shows, with these hands and this stock.

    `hands` are codes by seat; the first code of `stock` is drawn next. `melds_laid` counts the melds of
    the current turn, which `floats` if it began with an empty hand. Whether the turn has been quiet, which
    a view does not show, is set as after an active turn.
    """
    rules = rules_for(variant, len(view.seats))
    deal = SimulatedDeal(rules)
    for player, hand in zip(deal.players, hands, strict=True):
        for code in hand:
            player.give(code)
    deal.stock = list(stock)
    deal.stock.reverse()
    for card in view.discard_pile:
        deal.put_on_pile(code_of(card))
    deal.place([meld_on_table(meld) for meld in view.melds])
    for meld in view.melds:
        for laid in meld.cards:
            deal.players[laid.laid_by].has_tabled = True
            deal.on_table |= 1 << code_of(laid.face)
    for player, other in zip(deal.players, view.seats, strict=True):
        player.points = other.table_points
        for card in other.known_cards:
            if not is_joker(card):
                player.known |= 1 << code_of(card)
    turn = view.turn
    if turn is not None:
        deal.give_turn(turn.seat)
        deal.phase = MELD if view.phase is Phase.MELD else DRAW
        deal.owed = NO_CARD if turn.must_use is None else code_of(turn.must_use)
        deal.barred = NO_CARD if turn.may_not_discard is None else code_of(turn.may_not_discard)
    deal.melds_laid = melds_laid
    deal.tabled = melds_laid > 0
    deal.tabled_before = deal.player.has_tabled
    deal.floats = floats
    deal.quiet = deal.phase == DRAW
    deal.quiet_turns = view.quiet_turns
    return deal


def meld_on_table(meld: Meld) -> MeldOnTable:
    """Return a meld in the engine's form."""
    size = len(meld.cards)
    if meld.kind is MeldKind.SET:
        faces = 0
        for laid in meld.cards:
            faces |= 1 << SUIT[laid.face]
        return MeldOnTable(
            meld.owner, -1, RANK[meld.cards[0].face] - 1, RANK[meld.cards[0].face] - 1, faces, size
        )
    return MeldOnTable(meld.owner, meld.suit, meld.low - 1, meld.high - 1, 0, size)
