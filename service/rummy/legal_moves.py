"""Every legal move of a seat, and no other.

Moves are generated, not tried: generation follows the checks that `play` makes, and a
property test compares the two in both directions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Final, assert_never

from service.rummy.calling import callable_positions, cards_that_may_join, positions_taken
from service.rummy.cards import Card, is_joker, without
from service.rummy.drawing import can_draw_stock, legal_takes
from service.rummy.laying import can_keep
from service.rummy.melds import openings
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    End,
    KeepCard,
    LayMeld,
    LayOff,
    Pass,
    PlayerMove,
    TakeDiscard,
)
from service.rummy.must_use import (
    Holding,
    can_lay_off_last,
    fewest_cards_to_use,
    leaves_enough,
    may_meld,
    open_melds,
    targets_of,
)
from service.rummy.possible_melds import PossibleMeld, jokers_of, meld_shapes, possible_melds
from service.rummy.state import Game, LaidCard, Meld, MeldKind, Phase, Stage
from service.rummy.variants import Variant

#: A longer list is truncated; a dry run answers for any other move.
MAX_LEGAL_MOVES: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalMoves:
    """The legal moves of a seat; `truncated` names the move types that are incomplete."""

    moves: tuple[PlayerMove, ...]
    truncated: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Return whether the list is complete."""
        return not self.truncated


def seats_to_act(game: Game) -> tuple[int, ...]:
    """Return the seats that may act now: one, or those asked for a rummy call, or none."""
    if game.status is not Stage.PLAYING:
        return ()
    turn = game.deal.turn
    return turn.asked if turn.phase is Phase.RUMMY_CALL else (turn.seat,)


def legal_moves(game: Game, seat: int, *, limit: int = MAX_LEGAL_MOVES) -> LegalMoves:
    """Return every legal move of the seat, up to `limit`; none where it may not act.

    The move types that can run into thousands (melds and calls with jokers) come last.
    `truncated` names the type at which the list was cut; later types are then missing
    too.
    """
    if seat not in seats_to_act(game):
        return LegalMoves(moves=())
    found = tuple(islice(_moves(game, seat), limit + 1))
    if len(found) <= limit:
        return LegalMoves(moves=found)
    return LegalMoves(moves=found[:limit], truncated=(found[limit].type,))


def _moves(game: Game, seat: int) -> Iterator[PlayerMove]:
    phase = game.deal.turn.phase
    match phase:
        case Phase.DRAW:
            yield from _draws(game, seat)
        case Phase.MELD:
            yield from _ends_of_turn(game, seat)
            yield from _lay_offs(game, seat)
            yield from _melds(game, seat)
        case Phase.RUMMY_CALL:
            yield Pass(seat=seat)
            yield from _calls(game, seat)
        case _:
            assert_never(phase)


def _draws(game: Game, seat: int) -> Iterator[PlayerMove]:
    yield DrawStock(seat=seat) if can_draw_stock(game) else Pass(seat=seat)
    pile = game.deal.discard_pile
    for position in legal_takes(game, seat):
        yield TakeDiscard(seat=seat, card=pile[position], position=position)


def _ends_of_turn(game: Game, seat: int) -> Iterator[PlayerMove]:
    turn, hand = game.deal.turn, game.deal.hands[seat]
    if turn.must_use is not None:
        return
    for card in dict.fromkeys(hand):
        if card != turn.may_not_discard or hand.count(card) > 1:
            yield Discard(seat=seat, card=card)
    if can_keep(game, seat):
        yield KeepCard(seat=seat)


@dataclass(slots=True)
class _HandAfter:
    """Checks whether the rules allow the hand that is left after laying cards."""

    game: Game
    seat: int
    targets: tuple[Meld, ...]
    holding: Holding = field(init=False)

    def __post_init__(self) -> None:
        """Count the hand once for all checks."""
        self.holding = Holding.of(self.game.deal.hands[self.seat])

    @property
    def lay_off_settles(self) -> bool:
        """Return whether laying off the card that must be used is enough (RULES 2.10)."""
        return self.game.variant.lay_off_settles or self.game.deal.turn.called

    def allow(self, used: Sequence[Card], *, melds: int, table: Callable[[], tuple[Meld, ...]]) -> bool:
        """Return whether the hand may lay these cards; `table` returns the melds to lay off on then."""
        deal, variant = self.game.deal, self.game.variant
        turn, hand = deal.turn, deal.hands[self.seat]
        settled = turn.must_use in used and (melds or self.lay_off_settles)
        if turn.must_use is not None and not settled:
            if variant.taken_card_first:
                return False
            holding = self.holding.without(used)
            allowed = variant.melds_per_turn
            fewest = fewest_cards_to_use(
                turn.must_use,
                holding,
                targets=table(),
                may_meld=allowed is None or turn.melds_laid + melds < allowed,
                variant=variant,
            )
            return fewest is not None and leaves_enough(holding.size, fewest, variant)
        left = len(hand) - len(used)
        if not left:
            return not variant.must_keep_a_discard
        barred = None if turn.may_not_discard in used else turn.may_not_discard
        if left == 1 and barred is not None and not (turn.floating and variant.floating):
            last = without(hand, used)[0]
            return last != barred or can_lay_off_last(last, table(), variant)
        return True


def _lay_offs(game: Game, seat: int) -> Iterator[LayOff]:
    deal, variant = game.deal, game.variant
    targets = targets_of(deal, seat, variant)
    hand_after = _HandAfter(game, seat, targets)
    held = deal.hands[seat]
    # Where the card that must be used needs a new meld, only a second copy of it may be laid off.
    bound = not hand_after.lay_off_settles and held.count(deal.turn.must_use) == 1
    hand = [card for card in dict.fromkeys(held) if not (bound and card == deal.turn.must_use)]
    for meld in targets:
        for move, end in _lay_offs_on(meld, hand, seat, variant):
            table = partial(_with_lay_off, targets, meld, move, end)
            if hand_after.allow((move.card,), melds=0, table=table):
                yield move


def _lay_offs_on(
    meld: Meld, cards: Iterable[Card], seat: int, variant: Variant
) -> Iterator[tuple[LayOff, End | None]]:
    """Yield the lay-offs of some cards on a meld, each with its end; the move names an ambiguous end."""
    fits = openings(meld, variant)
    for card in cards:
        if is_joker(card):
            faces = dict.fromkeys(fits)
        elif card in fits:
            faces = {card: None}
        else:
            continue
        for face in faces:
            ends = fits[face]
            for end in ends:
                move = LayOff(
                    seat=seat,
                    card=card,
                    meld_id=meld.id,
                    end=end if len(ends) > 1 else None,
                    stands_for=face if is_joker(card) else None,
                )
                yield move, end


def _with_lay_off(targets: tuple[Meld, ...], meld: Meld, move: LayOff, end: End | None) -> tuple[Meld, ...]:
    laid = LaidCard(card=move.card, laid_by=move.seat, stands_for=move.stands_for)
    grown = replace(meld, cards=(laid, *meld.cards) if end == "low" else (*meld.cards, laid))
    return tuple(grown if target.id == meld.id else target for target in targets)


def _melds(game: Game, seat: int) -> Iterator[LayMeld]:
    deal, variant = game.deal, game.variant
    if not may_meld(deal, variant):
        return
    hand, turn = deal.hands[seat], deal.turn
    targets = open_melds(deal, seat, variant)
    hand_after = _HandAfter(game, seat, targets)
    jokers = jokers_of(hand)
    # Only two cards decide whether the rest of the hand is allowed: must_use and may_not_discard. Melds of
    # one shape differ only in their jokers, so they get one answer unless one of the two is a joker.
    jokers_matter = any(card is not None and is_joker(card) for card in (turn.must_use, turn.may_not_discard))
    for shape in meld_shapes(hand, variant):
        allowed_by_spending: dict[tuple[bool, bool], bool] = {}
        for meld in shape.melds(jokers):
            spends = (turn.must_use in meld.cards, turn.may_not_discard in meld.cards)
            if spends not in allowed_by_spending:
                table = partial(_with_meld, targets, meld, seat)
                allowed_by_spending[spends] = hand_after.allow(meld.cards, melds=1, table=table)
            if allowed_by_spending[spends]:
                yield LayMeld(seat=seat, cards=meld.cards, stands_for=meld.stands_for, ace=meld.ace)
            elif not jokers_matter:
                break


def _with_meld(targets: tuple[Meld, ...], meld: PossibleMeld, seat: int) -> tuple[Meld, ...]:
    """Return the targets and the new meld, as far as it matters for what fits onto it."""
    cards = tuple(
        LaidCard(card=card, laid_by=seat, stands_for=meld.stands_for.get(card))
        for card in (meld.cards[:1] if meld.kind is MeldKind.RUN else meld.cards)
    )
    if meld.kind is MeldKind.RUN:
        # Only the first card of a run and its length matter.
        cards *= len(meld.cards)
    laid = Meld(id="new", owner=seat, kind=meld.kind, cards=cards, laid_at_once=len(cards))
    return (*targets, laid)


def _calls(game: Game, seat: int) -> Iterator[CallRummy]:
    deal, variant = game.deal, game.variant
    targets = targets_of(deal, seat, variant)
    pile, joining = deal.discard_pile, cards_that_may_join(game, seat)

    def allowed(position: int, used: Sequence[Card]) -> bool:
        taken = positions_taken(pile, position, used, joining, variant)
        return leaves_enough(len(deal.hands[seat]) + len(taken), len(used), variant)

    for position in callable_positions(pile, variant):
        card = pile[position]
        if allowed(position, (card,)):
            for meld in targets:
                for use, _ in _lay_offs_on(meld, (card,), seat, variant):
                    yield CallRummy(seat=seat, card=card, position=position, use=use)
        if variant.call_takes == "single_card":
            continue
        pool = joining + pile[position:]
        for meld_of_pool in possible_melds(pool, variant, with_card=card):
            if allowed(position, meld_of_pool.cards):
                use_in_meld = LayMeld(
                    seat=seat,
                    cards=meld_of_pool.cards,
                    stands_for=meld_of_pool.stands_for,
                    ace=meld_of_pool.ace,
                )
                yield CallRummy(seat=seat, card=card, position=position, use=use_in_meld)
