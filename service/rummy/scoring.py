"""Scoring of a deal, and whether it decides the game (RULES 9 and 10)."""

from collections.abc import Sequence

from service.rummy.cards import ACE, QUEEN_OF_SPADES, RANK, TEN, Card, is_joker
from service.rummy.options import MAX_DEALS
from service.rummy.state import Deal, DealResult, Game, GameEndReason, LaidCard, Meld, MeldKind, SeatResult
from service.rummy.variants import Variant

JOKER_POINTS = 15
ACE_POINTS = 15
TEN_POINTS = 10
FIVE_POINTS = 5
LOW_ACE_POINTS = 1
RUMMY_BONUS = 10
_FOUR = 4

WENT_OUT = "went_out"
STOCK_END = "stock_end"
TARGET_REACHED = "target"


def points(card: Card, variant: Variant, *, low_ace: bool = False) -> int:
    """Return the points of a card; `low_ace` is an ace at the low end of a run (RULES 9.1 to 9.4, 9.12).

    >>> from service.rummy.presets import resolve
    >>> points(Card("AS"), resolve("classic", {}, seats=2), low_ace=True)
    1
    """
    if is_joker(card):
        return JOKER_POINTS
    if card == QUEEN_OF_SPADES and variant.queen_of_spades is not None:
        return variant.queen_of_spades
    rank = RANK[card]
    if rank == ACE:
        return _ace_points(variant, low_ace=low_ace)
    if rank >= TEN:
        return TEN_POINTS
    return FIVE_POINTS if variant.card_values == "five_point" else rank


def _ace_points(variant: Variant, *, low_ace: bool) -> int:
    if variant.ace_value == "always_1":
        return LOW_ACE_POINTS
    if low_ace and variant.ace_value == "by_place":
        return FIVE_POINTS if variant.card_values == "five_point" else LOW_ACE_POINTS
    return ACE_POINTS


def points_in_meld(meld: Meld, place: int, variant: Variant) -> int:
    """Return the points of the card at a place of a meld, places from 0."""
    card = meld.cards[place].card
    return points(card, variant, low_ace=meld.kind is MeldKind.RUN and place == 0)


def has_four_aces(meld: Meld, seat: int, variant: Variant) -> bool:
    """Return whether the meld holds four natural aces of a seat that count extra (RULES 9.5)."""
    if variant.four_aces is None or meld.kind is not MeldKind.SET:
        return False
    laid = meld.cards
    if variant.four_aces_laid == "at_once":
        laid = laid[: meld.laid_at_once] if meld.owner == seat else ()
    return sum(RANK[one.card] == ACE for one in laid if one.laid_by == seat) >= _FOUR


def points_by_seat(meld: Meld, variant: Variant) -> dict[int, int]:
    """Return what the cards of a meld count for each seat that laid some of them."""
    counted: dict[int, int] = {}
    for place, laid in enumerate(meld.cards):
        counted[laid.laid_by] = counted.get(laid.laid_by, 0) + points_in_meld(meld, place, variant)
    for seat in counted:
        if has_four_aces(meld, seat, variant):
            counted[seat] += (variant.four_aces or 0) - _FOUR * _ace_points(variant, low_ace=False)
    return counted


def table_points(deal: Deal, seat: int, variant: Variant) -> int:
    """Return the points of all cards that a seat laid, on any meld."""
    return sum(points_by_seat(meld, variant).get(seat, 0) for meld in deal.melds)


def hand_points(hand: Sequence[Card], variant: Variant) -> int:
    """Return the points of the cards in hand, as a positive number."""
    return sum(points(card, variant) for card in hand)


def has_reached_target(game: Game, seat: int) -> bool:
    """Return whether what the seat's side has written ends the game at once (RULES 10.1)."""
    variant, side = game.variant, game.side(seat)
    if variant.target_reached != "at_once":
        return False
    partners = [other for other in range(game.seats) if game.side(other) == side]
    laid = sum(table_points(game.deal, other, variant) for other in partners)
    return game.totals[side] + laid >= variant.target


def score_deal(game: Game, *, went_out: int | None, target_reached: bool = False) -> DealResult:
    """Return the result of the running deal; `went_out` is None if no player did.

    With `target_reached` the deal is unfinished: only cards on the table count.

    >>> from service.rummy.play import new_game
    >>> from service.rummy.presets import resolve
    >>> _, game = new_game(resolve("classic", {}, seats=3), seats=3, key=bytes(32))
    >>> result = score_deal(game, went_out=None)
    >>> result.reason, [seat.score + seat.hand_points for seat in result.seats]
    ('stock_end', [0, 0, 0])
    """
    variant, deal = game.variant, game.deal
    table = [table_points(deal, seat, variant) for seat in range(game.seats)]
    held = [hand_points(hand, variant) for hand in deal.hands]
    seats = tuple(
        _seat_result(
            game, seat, table=table[seat], held=held, went_out=went_out, target_reached=target_reached
        )
        for seat in range(game.seats)
    )
    reason = STOCK_END if went_out is None else WENT_OUT
    totals = list(game.totals)
    for seat, result in enumerate(seats):
        totals[variant.side(seat)] += result.score
    return DealResult(
        deal=deal.number,
        reason=TARGET_REACHED if target_reached else reason,
        went_out=went_out,
        seats=seats,
        totals=tuple(totals),
    )


def _seat_result(  # noqa: PLR0913 - a seat's cards, and how the deal ended
    game: Game, seat: int, *, table: int, held: Sequence[int], went_out: int | None, target_reached: bool
) -> SeatResult:
    score = _points_scored(game, seat, table=table, held=held, went_out=went_out)
    if target_reached:
        score = table
    turn = game.deal.turn
    goes_rummy = turn.tabled and not turn.tabled_before
    bonus = bonus_for_going_out(game.variant, score, goes_rummy=goes_rummy) if seat == went_out else 0
    return SeatResult(
        table=_laid_by(game.deal, seat),
        hand=game.deal.hands[seat],
        table_points=table,
        hand_points=held[seat],
        bonus=bonus,
        score=score + bonus,
    )


def _points_scored(game: Game, seat: int, *, table: int, held: Sequence[int], went_out: int | None) -> int:
    variant = game.variant
    if variant.scoring == "penalty":
        return held[seat]
    if variant.scoring == "winner_takes_hands":
        others = [points for other, points in enumerate(held) if variant.side(other) != variant.side(seat)]
        if went_out is None:
            return _score_at_stock_end(variant, held[seat], others, lowest=min(held))
        return sum(others) if seat == went_out else 0
    spared = went_out is None and variant.no_minus_at_stock_end
    return table if spared else table - held[seat]


def _score_at_stock_end(variant: Variant, own: int, others: Sequence[int], *, lowest: int) -> int:
    """Return what a hand scores where the winner takes the hands and no player went out (RULES 9.7)."""
    match variant.stock_end_score:
        case "minus_hand":
            return -own
        case "lowest_hand" if own == lowest:
            return sum(points - own for points in others)
        case _:
            return 0


def bonus_for_going_out(variant: Variant, score: int, *, goes_rummy: bool) -> int:
    """Return the bonus of the player who went out, with this score before it (RULES 9.9, 9.10)."""
    if variant.scoring == "penalty":
        return 0
    bonus = variant.going_out_bonus
    if not goes_rummy:
        return bonus
    match variant.going_rummy:
        case "double_bonus":
            return 2 * bonus
        case "double":
            return bonus + (score + bonus)
        case "bonus_10":
            return bonus + RUMMY_BONUS
        case _:
            return bonus


def _laid_by(deal: Deal, seat: int) -> tuple[Card, ...]:
    laid: list[LaidCard] = [one for meld in deal.melds for one in meld.cards if one.laid_by == seat]
    return tuple(one.card for one in laid)


def decide_winners(
    variant: Variant,
    totals: Sequence[int],
    *,
    earlier: Sequence[Sequence[int]],
    went_out: int | None,
    deals: int,
) -> tuple[tuple[int, ...], GameEndReason] | None:
    """Return the winning sides and the reason if the deal decides the game, else None (RULES 10).

    `totals` are by side, after this deal; `earlier` are those after each deal before it,
    oldest first (see `totals_so_far`). `went_out` is the side that went out in this deal,
    `deals` the number of deals played. No winning side means a draw. The last possible
    deal always decides the game (RULES 10.6).
    """
    decision = _decided(variant, totals, earlier, went_out, deals)
    if decision is None and deals >= MAX_DEALS:
        sides = leaders(variant, totals)
        return sides if len(sides) == 1 else (), GameEndReason.DEAL_LIMIT
    return decision


def totals_so_far(
    variant: Variant, deals: Sequence[DealResult], totals: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    """Return the totals by side before the first of the finished deals and after each of them.

    `totals` are the present ones; a game that began in a given position may have had some
    before its first deal.
    """
    if not deals:
        return (tuple(totals),)
    start = list(deals[0].totals)
    for seat, result in enumerate(deals[0].seats):
        start[variant.side(seat)] -= result.score
    return (tuple(start), *(deal.totals for deal in deals))


def _decided(
    variant: Variant,
    totals: Sequence[int],
    earlier: Sequence[Sequence[int]],
    went_out: int | None,
    deals: int,
) -> tuple[tuple[int, ...], GameEndReason] | None:
    if variant.deals is not None:
        return _best(variant, totals, GameEndReason.DEALS) if deals >= variant.deals else None
    reached = [side for side, total in enumerate(totals) if total >= variant.target]
    if variant.must_go_out_to_win:
        return ((went_out,), GameEndReason.TARGET) if went_out in reached and went_out is not None else None
    if not reached and not _breaks_a_tie(variant, earlier):
        return None
    if variant.go_out_breaks_tie and went_out is not None and went_out in reached and len(reached) > 1:
        return (went_out,), GameEndReason.TARGET
    return _best(variant, totals, GameEndReason.TARGET)


def _breaks_a_tie(variant: Variant, earlier: Sequence[Sequence[int]]) -> bool:
    """Return whether the deal is played only to break a tie at the target (RULES 10.3)."""
    if variant.tie != "until_ahead":
        return False
    for totals in reversed(earlier):
        if len(leaders(variant, totals)) == 1:
            return False
        if max(totals) >= variant.target:
            return True
    return False


def _best(
    variant: Variant, totals: Sequence[int], reason: GameEndReason
) -> tuple[tuple[int, ...], GameEndReason] | None:
    """Return the side with the best total; a tie is a draw or, as None, played on."""
    sides = leaders(variant, totals)
    if len(sides) == 1:
        return sides, reason
    return ((), GameEndReason.TIE) if variant.tie == "draw" else None


def leaders(variant: Variant, totals: Sequence[int]) -> tuple[int, ...]:
    """Return the sides with the best total, which is the lowest under penalty scoring."""
    best = min(totals) if variant.scoring == "penalty" else max(totals)
    return tuple(side for side, total in enumerate(totals) if total == best)
