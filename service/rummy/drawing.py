"""Drawing from the stock or the discard pile (RULES 2.3 to 2.11 and 7)."""

from dataclasses import dataclass

from service.rummy.cards import Card
from service.rummy.dealing import deal_seed, shuffled, stock_seed
from service.rummy.errors import ChoiceRequired, IllegalMove
from service.rummy.events import DiscardTaken, StockDrawn, StockRenewed
from service.rummy.move_result import MoveResult
from service.rummy.moves import TakeDiscard
from service.rummy.must_use import (
    Holding,
    can_lay_off_last,
    fewest_cards_to_use,
    leaves_enough,
    opened_by_a_meld,
    targets_of,
)
from service.rummy.sentences import Sentence
from service.rummy.state import Game, Meld
from service.rummy.variants import Variant


def can_draw_stock(game: Game) -> bool:
    """Return whether the seat can draw from the stock, if need be after renewing it."""
    return bool(game.deal.stock or _next_stock(game))


def _next_stock(game: Game) -> tuple[Card, ...]:
    """Return the discards that become the stock when it is renewed, oldest first (RULES 7.2, 7.3, 7.8)."""
    variant, pile = game.variant, game.deal.discard_pile
    if not variant.renews_stock:
        return ()
    return pile[:-1] if variant.upcard_stays else pile


def renew_stock(result: MoveResult) -> None:
    """Make the discards the new stock."""
    game = result.game
    result.emit(renewed_stock(game, deal_seed(game.key, game.deal.number)))


def renewed_stock(game: Game, seed: bytes) -> StockRenewed:
    """Return the discards as the new stock: shuffled by the deal's seed, or turned over."""
    deal, order = game.deal, _next_stock(game)
    shuffle = game.variant.stock_empty == "reshuffle"
    if shuffle:
        order = shuffled(order, stock_seed(seed, deal.number, deal.renewals + 1))
    return StockRenewed(shuffled=shuffle, order=order, stock_count=len(order))


def draw_stock(result: MoveResult, seat: int) -> None:
    """Draw the first card of the stock."""
    deal = result.deal
    result.emit(StockDrawn(seat=seat, card=deal.stock[0], stock_count=len(deal.stock) - 1))


def find_in_pile(pile: tuple[Card, ...], card: Card, position: int | None) -> int:
    """Return the position of a card in the pile; 0 is the oldest card.

    Raises IllegalMove when it is not there, ChoiceRequired when it is there twice and
    no position is given.
    """
    places = [place for place, lying in enumerate(pile) if lying == card]
    if not places:
        raise IllegalMove(
            "card_not_in_pile",
            Sentence(
                "card_not_in_pile",
                "The {card} is not in the discard pile. Name a card that is.",
                card=card,
            ),
        )
    if position is None:
        if len(places) > 1:
            raise ChoiceRequired(
                Sentence(
                    "card_twice_in_pile",
                    "The {card} is in the discard pile twice. Give the position of the one you want.",
                    card=card,
                ),
                [{"position": place} for place in places],
            )
        return places[0]
    if position not in places:
        raise IllegalMove(
            "card_not_in_pile",
            Sentence(
                "card_elsewhere_in_pile",
                "The {card} is not at position {position} of the discard pile; it is at {actual}.",
                card=card,
                position=position,
                actual=places[0],
            ),
        )
    return position


_TAKE_REFUSED = {
    "stock_empty": "The stock has run out, which ends the deal. Pass.",
    "top_card_only": "In this game only the top discard may be taken from the discard pile.",
    "must_start_new_meld": (
        "The deepest card you take must go into a new meld this turn, and it cannot. Choose another draw."
    ),
    "deepest_card_unusable": (
        "The deepest card you take must be melded or laid off this turn, and it cannot. Choose another draw."
    ),
    "must_keep_a_discard": "Using that card would leave you no card to discard. Choose another draw.",
    "same_card_back": (
        "You would hold only the card you took, and you may not discard it this turn. Choose another draw."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForSeat:
    """The melds on the table for a seat: where it may lay off, and what a new meld opens to it."""

    targets: tuple[Meld, ...]
    opened: tuple[Meld, ...]

    @classmethod
    def of(cls, game: Game, seat: int) -> "TableForSeat":
        """Return the table as it is for a seat."""
        return cls(
            targets=targets_of(game.deal, seat, game.variant),
            opened=opened_by_a_meld(game.deal, seat, game.variant),
        )


def take_refusal(game: Game, position: int, holding: Holding, table: TableForSeat) -> str | None:
    """Return the code of the rule that a take breaks, None if it is legal.

    `holding` is the hand with the taken cards.
    """
    variant, pile = game.variant, game.deal.discard_pile
    if variant.stock_empty == "end_at_once" and not game.deal.stock:
        return "stock_empty"
    is_upcard = position == len(pile) - 1
    if not is_upcard and not variant.deep_draw:
        return "top_card_only"
    if not variant.owes_deepest(len(pile) - position):
        may_end = not is_upcard or _can_end_after_keeping(pile[-1], holding, table.targets, variant)
        return None if may_end else "same_card_back"
    card = pile[position]
    fewest = fewest_cards_to_use(
        card, holding, targets=table.targets, opened=table.opened, may_meld=True, variant=variant
    )
    if fewest is None:
        only_new_melds = variant.deepest_card_use == "new_meld_only"
        return "must_start_new_meld" if only_new_melds else "deepest_card_unusable"
    if not leaves_enough(holding.size, fewest, variant):
        return "must_keep_a_discard"
    return None


def _can_end_after_keeping(card: Card, holding: Holding, targets: tuple[Meld, ...], variant: Variant) -> bool:
    """Return whether a turn that takes and keeps the top discard can end."""
    return (
        holding.size > 1
        or variant.floating
        or variant.same_card_back == "allowed"
        or can_lay_off_last(card, targets, variant)
    )


def legal_takes(game: Game, seat: int) -> list[int]:
    """Return the positions of the pile that the seat may take from, deepest last."""
    pile = game.deal.discard_pile
    table = TableForSeat.of(game, seat)
    holding = Holding.of(game.deal.hands[seat])
    takes = []
    for position in range(len(pile) - 1, -1, -1):
        holding.add(pile[position])
        refusal_code = take_refusal(game, position, holding, table)
        if refusal_code is None:
            takes.append(position)
        elif refusal_code in ("top_card_only", "stock_empty"):
            break
    return takes


def take_discard(result: MoveResult, move: TakeDiscard) -> None:
    """Take a card of the pile and all above it, if the rules allow that take."""
    game, deal, variant = result.game, result.deal, result.variant
    position = find_in_pile(deal.discard_pile, move.card, move.position)
    taken = deal.discard_pile[position:]
    holding = Holding.of(deal.hands[move.seat] + taken)
    refusal_code = take_refusal(game, position, holding, TableForSeat.of(game, move.seat))
    if refusal_code is not None:
        raise IllegalMove(refusal_code, _TAKE_REFUSED[refusal_code])
    kept = not variant.owes_deepest(len(taken))
    barred = kept and len(taken) == 1 and variant.same_card_back == "forbidden"
    result.emit(
        DiscardTaken(
            seat=move.seat,
            card=move.card,
            position=position,
            cards=taken,
            must_use=None if kept else move.card,
            may_not_discard=move.card if barred else None,
        )
    )
