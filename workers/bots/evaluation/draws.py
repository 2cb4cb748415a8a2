"""How to draw: what each take of the pile would come to, against a card of the stock, against none."""

from collections.abc import Sequence

from service.rummy.calling import taken_by_call
from service.rummy.cards import Card
from service.rummy.moves import CallRummy, DrawStock, LayMeld, Pass, PlayerMove, TakeDiscard
from service.rummy.scoring import hand_points
from workers.bots.evaluation.deal_end import caught, game_by_ending
from workers.bots.evaluation.discards import best_discard
from workers.bots.evaluation.hand_value import Habits, Keeping, grown_table
from workers.bots.evaluation.melding import Tabling, best_tabling
from workers.bots.seat_view import Sight


def best_draw(moves: Sequence[PlayerMove], sight: Sight, habits: Habits) -> PlayerMove:
    """Return the draw that promises most; of equals the first listed."""
    return max(moves, key=lambda move: _worth_of_draw(move, sight, habits))


def _worth_of_draw(move: PlayerMove, sight: Sight, habits: Habits) -> float:
    match move:
        case TakeDiscard():
            return _worth_of_take(move, sight, habits)
        case DrawStock():
            return _worth_of_stock(sight, habits)
        case _:
            return _worth_of_pass(sight, habits)


def _worth_of_take(take: TakeDiscard, sight: Sight, habits: Habits) -> float:
    pile = sight.view.discard_pile
    position = pile.index(take.card) if take.position is None else take.position
    taken = pile[position:]
    free = len(taken) == 1 and sight.variant.top_discard == "may_keep"
    denied = habits.deny * hand_points(taken, sight.variant)
    return denied + _worth_of_hand(
        (*sight.hand, *taken),
        pile[:position],
        sight,
        habits,
        owed=None if free else take.card,
        barred=take.card if free and sight.variant.same_card_back == "forbidden" else None,
    )


def _worth_of_stock(sight: Sight, habits: Habits) -> float:
    """Return what a card of the stock is worth: the hand as it is, and a hope.

    Looking at what each card of the stock would do was no better in the arena, and took
    twenty times as long.
    """
    return habits.stock + _worth_of_hand(sight.hand, sight.view.discard_pile, sight, habits)


def _worth_of_pass(sight: Sight, habits: Habits) -> float:
    """Return what doing without is worth: the end of the deal, or a turn with the hand as it is."""
    if sight.variant.stock_empty == "play_on":
        return _worth_of_hand(sight.hand, sight.view.discard_pile, sight, habits)
    keeping = Keeping(sight, habits, sight.targets, sight.view.discard_pile)
    decided = game_by_ending(sight, gain=0.0, hand=sight.hand, out=False)
    return keeping.value(sight.hand, 0.0) + habits.out * caught(sight) + decided


def _worth_of_hand(  # noqa: PLR0913 - a hand, and what goes with it
    hand: Sequence[Card],
    pile: tuple[Card, ...],
    sight: Sight,
    habits: Habits,
    *,
    owed: Card | None = None,
    barred: Card | None = None,
) -> float:
    """Return what the rest of a turn with this hand is worth, in points."""
    tabling = best_tabling(
        hand, sight.targets, sight.variant, owed=owed, melds_allowed=sight.variant.melds_per_turn
    )
    return _worth_of_tabling(tabling, pile, sight, habits, barred)


def _worth_of_tabling(
    tabling: Tabling, pile: tuple[Card, ...], sight: Sight, habits: Habits, barred: Card | None
) -> float:
    variant, rest = sight.variant, tabling.rest
    gain = habits.progress * tabling.points
    if len(rest) == 1 or (not rest and variant.going_out == "any"):
        out = habits.out * caught(sight) + variant.going_out_bonus
        return gain + out + game_by_ending(sight, gain=gain, hand=(), out=True)
    keeping = Keeping(sight, habits, grown_table(sight, tabling.pieces), pile)
    allowed = [card for card in rest if card != barred or rest.count(card) > 1]
    return gain + best_discard(rest, allowed, keeping, careful=False)[1]


def best_call(moves: Sequence[PlayerMove], sight: Sight, habits: Habits) -> PlayerMove:
    """Return the rummy call that gains most over waiting for one's own turn, else the pass."""
    pile, variant = sight.view.discard_pile, sight.variant
    best: PlayerMove = next(move for move in moves if isinstance(move, Pass))
    most = _worth_of_hand(sight.hand, pile, sight, habits)
    for position, calls in _calls_by_position(moves, sight).items():
        taken = taken_by_call(pile, position, variant)
        left = (*pile[:position], *pile[position + len(taken) :])
        hand = (*sight.hand, *taken)
        worth = _worth_of_hand(hand, left, sight, habits, owed=pile[position])
        if worth > most:
            best, most = _best_use(calls, hand, sight, pile[position]), worth
    return best


def _calls_by_position(moves: Sequence[PlayerMove], sight: Sight) -> dict[int, list[CallRummy]]:
    calls: dict[int, list[CallRummy]] = {}
    for move in moves:
        if isinstance(move, CallRummy):
            at = sight.view.discard_pile.index(move.card) if move.position is None else move.position
            calls.setdefault(at, []).append(move)
    return calls


def _best_use(calls: Sequence[CallRummy], hand: Sequence[Card], sight: Sight, owed: Card) -> CallRummy:
    """Return the call that begins with the best tabling, else the one that tables most at once."""
    tabling = best_tabling(
        hand, sight.targets, sight.variant, owed=owed, melds_allowed=sight.variant.melds_per_turn
    )
    planned = [call for call in calls if any(piece.begins_with(call.use) for piece in tabling.pieces)]
    return max(planned or calls, key=lambda call: _points_of_use(call, sight))


def _points_of_use(call: CallRummy, sight: Sight) -> int:
    cards = call.use.cards if isinstance(call.use, LayMeld) else (call.use.card,)
    return hand_points(cards, sight.variant)
