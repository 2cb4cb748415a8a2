"""Drawing: the stock, the discard pile, and doing without (RULES 2.3 to 2.11 and 7)."""

from service.rummy.cards import Card, long_name
from service.rummy.dealing import deal_seed, shuffled, stock_seed
from service.rummy.errors import ChoiceRequired, IllegalMove
from service.rummy.events import DiscardTaken, StockDrawn, StockRenewed
from service.rummy.move_result import MoveResult
from service.rummy.moves import TakeDiscard
from service.rummy.must_use import Holding, can_lay_off_last, fewest_cards_to_use, leaves_enough, targets_of
from service.rummy.state import Game, Meld
from service.rummy.variants import Variant


def can_draw_stock(game: Game) -> bool:
    """Tell whether a stock card can be had, if need be by renewing the stock."""
    deal = game.deal
    return bool(deal.stock) or (game.variant.renews_stock and bool(deal.discard_pile))


def renewal_is_pointless(game: Game) -> bool:
    """Tell whether drawing would renew a stock that brought nothing to the table (RULES 7.7)."""
    deal = game.deal
    return not deal.stock and deal.renewals > 0 and not deal.tabled_since_renewal


def renew_stock(result: MoveResult) -> None:
    """Make the discard pile the new stock."""
    game = result.game
    result.emit(renewed_stock(game, deal_seed(game.key, game.deal.number)))


def renewed_stock(game: Game, seed: bytes) -> StockRenewed:
    """Return the pile as the new stock: shuffled from the deal's seed, or turned over, the oldest on top."""
    deal, order = game.deal, game.deal.discard_pile
    shuffle = game.variant.stock_empty == "reshuffle"
    if shuffle:
        order = shuffled(order, stock_seed(seed, deal.number, deal.renewals + 1))
    return StockRenewed(shuffled=shuffle, order=order, stock_count=len(order))


def draw_stock(result: MoveResult, seat: int) -> None:
    """Draw the first card of the stock."""
    deal = result.deal
    result.emit(StockDrawn(seat=seat, card=deal.stock[0], stock_count=len(deal.stock) - 1))


def find_in_pile(pile: tuple[Card, ...], card: Card, position: int | None) -> int:
    """Return where in the pile a card lies, positions from 0, the oldest.

    Raises IllegalMove when it does not, ChoiceRequired when it lies there twice
    and no position is given.
    """
    places = [place for place, lying in enumerate(pile) if lying == card]
    if not places:
        raise IllegalMove(
            "card_not_in_pile", f"The {long_name(card)} is not in the discard pile: name one that is."
        )
    if position is None:
        if len(places) > 1:
            raise ChoiceRequired(
                f"The {long_name(card)} lies in the discard pile twice: say which by its position.",
                [{"position": place} for place in places],
            )
        return places[0]
    if position not in places:
        raise IllegalMove(
            "card_not_in_pile",
            f"The {long_name(card)} does not lie at position {position} of the discard pile: it does at "
            f"{places[0]}.",
        )
    return position


_TAKE_REFUSED = {
    "stock_empty": "The stock has run out, and with it the deal: pass.",
    "top_card_only": "In this game only the upcard may be taken from the discard pile.",
    "must_start_new_meld": "The deepest card taken must go into a new meld, and it cannot: draw otherwise.",
    "deepest_card_unusable": (
        "The deepest card taken must be melded or laid off this turn, and it cannot be: draw otherwise."
    ),
    "must_keep_a_discard": "Using that card would leave no card to discard: draw otherwise.",
    "same_card_back": "You hold no other card, and that one may not be thrown straight back: draw otherwise.",
}


def take_refusal(game: Game, position: int, holding: Holding, targets: tuple[Meld, ...]) -> str | None:
    """Return the code of the rule a take breaks, None if it is lawful.

    `holding` is the hand with the cards it takes; `targets` the melds the seat may
    lay off on.
    """
    variant, pile = game.variant, game.deal.discard_pile
    if variant.stock_empty == "end_at_once" and not game.deal.stock:
        return "stock_empty"
    is_upcard = position == len(pile) - 1
    if not is_upcard and not variant.deep_draw:
        return "top_card_only"
    if is_upcard and variant.top_discard == "may_keep":
        return None if _can_end_after_keeping(pile[-1], holding, targets, variant) else "same_card_back"
    card = pile[position]
    fewest = fewest_cards_to_use(card, holding, targets=targets, may_meld=True, variant=variant)
    if fewest is None:
        only_new_melds = variant.deepest_card_use == "new_meld_only"
        return "must_start_new_meld" if only_new_melds else "deepest_card_unusable"
    if not leaves_enough(holding.size, fewest, variant):
        return "must_keep_a_discard"
    return None


def _can_end_after_keeping(card: Card, holding: Holding, targets: tuple[Meld, ...], variant: Variant) -> bool:
    """Tell whether a turn that takes the lone upcard can end; only without another card may it not."""
    return (
        holding.size > 1
        or variant.floating
        or variant.same_card_back == "allowed"
        or can_lay_off_last(card, targets, variant)
    )


def legal_takes(game: Game, seat: int) -> list[int]:
    """Return the positions of the pile that the seat may take from, deepest last."""
    pile = game.deal.discard_pile
    targets = targets_of(game.deal, seat, game.variant)
    holding = Holding.of(game.deal.hands[seat])
    takes = []
    for position in range(len(pile) - 1, -1, -1):
        holding.add(pile[position])
        fault = take_refusal(game, position, holding, targets)
        if fault is None:
            takes.append(position)
        elif fault in ("top_card_only", "stock_empty"):
            break
    return takes


def take_discard(result: MoveResult, move: TakeDiscard) -> None:
    """Take a card of the pile and all above it, where the deepest can be used as the variant asks."""
    game, deal, variant = result.game, result.deal, result.variant
    position = find_in_pile(deal.discard_pile, move.card, move.position)
    taken = deal.discard_pile[position:]
    holding = Holding.of(deal.hands[move.seat] + taken)
    fault = take_refusal(game, position, holding, targets_of(deal, move.seat, variant))
    if fault is not None:
        raise IllegalMove(fault, _TAKE_REFUSED[fault])
    kept = len(taken) == 1 and variant.top_discard == "may_keep"
    result.emit(
        DiscardTaken(
            seat=move.seat,
            card=move.card,
            position=position,
            cards=taken,
            must_use=None if kept else move.card,
            may_not_discard=move.card if kept and variant.same_card_back == "forbidden" else None,
        )
    )
