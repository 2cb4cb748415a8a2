"""Laying melds, laying off and discarding (RULES 3, 4 and 6)."""

from collections import Counter
from collections.abc import Iterable, Sequence

from service.rummy.cards import Card, is_joker
from service.rummy.ending import end_deal, end_turn, go_out
from service.rummy.errors import ChoiceRequired, IllegalMove
from service.rummy.events import CardDiscarded, CardKept, CardLaidOff, MeldLaid
from service.rummy.melds import fitting_ends, joker_not_declared, not_a_joker, read_meld, why_not
from service.rummy.move_result import MoveResult
from service.rummy.moves import Discard, End, KeepCard, LayMeld, LayOff
from service.rummy.must_use import (
    Holding,
    can_lay_off_last,
    fewest_cards_to_use,
    leaves_enough,
    may_meld,
    needs_own_meld,
    opened_by_a_meld,
    targets_of,
)
from service.rummy.scoring import has_reached_target
from service.rummy.sentences import Sentence
from service.rummy.state import Game, Meld


def lay_meld(result: MoveResult, move: LayMeld) -> None:
    """Lay a new meld from the hand."""
    deal, variant = result.deal, result.variant
    check_held(deal.hands[move.seat], move.cards, deal.melds)
    _check_taken_card_first(result, settles=deal.turn.must_use in move.cards)
    kind, laid = read_meld(
        move.cards, stands_for=move.stands_for, ace=move.ace, seat=move.seat, variant=variant
    )
    if not may_meld(deal, variant):
        raise IllegalMove(
            "one_meld_a_turn", "In this game you may lay one new meld a turn. Lay off or discard."
        )
    meld = Meld(id=f"m{len(deal.melds) + 1}", owner=move.seat, kind=kind, cards=laid, laid_at_once=len(laid))
    result.emit(MeldLaid(seat=move.seat, meld=meld))
    _check_hand_left(result, move.seat)


def _check_taken_card_first(result: MoveResult, *, settles: bool) -> None:
    """Raise IllegalMove if another card must be laid before the cards of this move (RULES 2.13)."""
    owed = result.turn.must_use
    if owed is not None and result.variant.taken_card_first and not settles:
        raise IllegalMove(
            "must_use_taken_card",
            Sentence(
                "taken_card_comes_first",
                "In this game you lay the {card} you took before other cards.",
                card=owed,
            ),
        )


def check_held(hand: Sequence[Card], cards: Sequence[Card], melds: Iterable[Meld]) -> None:
    """Raise IllegalMove unless the hand holds the cards, each as often as it is named.

    The refusal does not depend on where a missing card is, unless it is on the table
    for all to see.
    """
    for card, times in Counter(cards).items():
        held = hand.count(card)
        if not held:
            if any(laid.card == card for meld in melds for laid in meld.cards):
                raise IllegalMove(
                    "meld_is_fixed",
                    Sentence(
                        "card_is_on_the_table",
                        "The {card} is in a meld on the table and stays there.",
                        card=card,
                    ),
                )
            raise IllegalMove(
                "card_not_in_hand", Sentence("card_not_in_hand", "You do not hold the {card}.", card=card)
            )
        if times > held:
            raise IllegalMove(
                "repeated_card",
                Sentence(
                    "card_named_too_often", "You named the {card} more often than you hold it.", card=card
                ),
            )


def lay_off(result: MoveResult, move: LayOff) -> None:
    """Add one card of the hand to a meld on the table."""
    deal, variant = result.deal, result.variant
    check_held(deal.hands[move.seat], (move.card,), deal.melds)
    face = _face(move)
    if needs_own_meld(deal, move.seat, variant):
        raise IllegalMove("meld_first", "In this game you may lay off only after you have laid a meld.")
    meld = _target(result.game, move, face)
    if variant.side(meld.owner) != variant.side(move.seat) and variant.lay_off_targets == "own_side":
        raise IllegalMove("not_your_side", "In this game you may lay off only on melds of your own side.")
    end = _end(result.game, move, meld, face)
    owed = deal.turn.must_use
    must_be_melded = not variant.lay_off_settles and not deal.turn.called
    # With a second copy in hand one may be laid off: the other must still be used.
    if must_be_melded and move.card == owed and deal.hands[move.seat].count(owed) == 1:
        raise IllegalMove(
            "must_start_new_meld",
            Sentence(
                "taken_card_needs_new_meld",
                "The {card} must go into a new meld; you may not lay it off.",
                card=owed,
            ),
        )
    _check_taken_card_first(result, settles=not must_be_melded and move.card == owed)
    result.emit(
        CardLaidOff(
            seat=move.seat,
            meld_id=meld.id,
            card=move.card,
            stands_for=face if is_joker(move.card) else None,
            end=end,
        )
    )
    _check_hand_left(result, move.seat)


def _face(move: LayOff) -> Card:
    """Return what the card laid off counts as: itself, or what a joker stands for."""
    if not is_joker(move.card):
        if move.stands_for not in (None, move.card):
            raise not_a_joker(move.card)
        return move.card
    if move.stands_for is None or is_joker(move.stands_for):
        raise joker_not_declared(move.card, move.stands_for)
    return move.stands_for


def _target(game: Game, move: LayOff, face: Card) -> Meld:
    """Return the meld of the move; the player must name it (RULES 4.2)."""
    if move.meld_id is not None:
        for meld in game.deal.melds:
            if meld.id == move.meld_id:
                return meld
        raise IllegalMove(
            "no_such_meld",
            Sentence("no_such_meld", "There is no meld {meld_id} on the table.", meld_id=move.meld_id),
        )
    choices = [
        {"meld_id": meld.id}
        for meld in targets_of(game.deal, move.seat, game.variant)
        if fitting_ends(meld, face, game.variant)
    ]
    if not choices:
        raise IllegalMove(
            "no_such_meld",
            Sentence("no_meld_takes_card", "No meld on the table takes the {card}.", card=face),
        )
    raise ChoiceRequired(
        Sentence("which_meld", "Say which meld to lay the {card} off on.", card=face), choices
    )


def _end(game: Game, move: LayOff, meld: Meld, face: Card) -> End | None:
    """Return the end of a run that the card goes to, None in a set."""
    ends = fitting_ends(meld, face, game.variant)
    if not ends:
        raise _taken_by_joker(meld, face) or why_not(meld, face, game.variant)
    if move.end is None:
        if len(ends) > 1:
            raise ChoiceRequired(
                Sentence("which_end", "The {card} fits both ends of that run. Say which end.", card=face),
                [{"end": end} for end in ends],
            )
        return ends[0]
    if ends != (None,) and move.end not in ends:
        raise IllegalMove(
            "not_adjacent",
            Sentence(
                "card_does_not_fit_end",
                "The {card} does not fit the {end} end of that run.",
                card=face,
                end=move.end,
            ),
        )
    return move.end if ends != (None,) else None


def _taken_by_joker(meld: Meld, face: Card) -> IllegalMove | None:
    """Return the refusal of a card whose place a joker has; None if no joker has it (RULES 5.3)."""
    if any(laid.stands_for == face for laid in meld.cards):
        return IllegalMove(
            "joker_fixed",
            Sentence(
                "joker_stands_already", "A joker already stands for the {card} in that meld.", card=face
            ),
        )
    return None


def _check_hand_left(result: MoveResult, seat: int) -> None:
    """Check the hand that is left after cards were laid; end what the cards bring to an end.

    Whether they may be laid never depends on the totals.
    """
    turn = result.turn
    hand = result.deal.hands[seat]
    if turn.must_use is not None:
        if cards_to_settle(result.game, turn.must_use) is None:
            raise IllegalMove(
                "would_strand_taken_card",
                Sentence(
                    "use_taken_card_first",
                    "Use the {card} you took first: after this move you could not.",
                    card=turn.must_use,
                ),
            )
    elif not hand and result.variant.must_keep_a_discard:
        raise IllegalMove(
            "must_keep_a_discard", "Keep one card: in this game your last card must be a discard."
        )
    elif hand == (turn.may_not_discard,) and not _can_end_turn_with(hand[0], result.game):
        raise IllegalMove(
            "same_card_back",
            Sentence(
                "only_barred_card_left",
                "That would leave you only the {card}, which you may not discard this turn.",
                card=hand[0],
            ),
        )
    if has_reached_target(result.game, seat):
        end_deal(result, went_out=None, target_reached=True)
    elif not hand:
        _empty_hand(result, seat)


def _can_end_turn_with(card: Card, game: Game) -> bool:
    """Return whether a turn can still end when its last card may not be discarded."""
    deal, variant = game.deal, game.variant
    targets = targets_of(deal, deal.turn.seat, variant)
    return can_keep(game, deal.turn.seat) or can_lay_off_last(card, targets, variant)


def _empty_hand(result: MoveResult, seat: int) -> None:
    if result.variant.floating:
        end_turn(result, thrown=False)
    else:
        go_out(result, seat)


def cards_to_settle(game: Game, owed: Card) -> int | None:
    """Return the fewest cards that use the owed card this turn; None if it cannot be used.

    The seat whose turn it is holds the card. A card that must be kept to discard counts
    as unavailable.
    """
    deal, variant = game.deal, game.variant
    seat = deal.turn.seat
    holding = Holding.of(deal.hands[seat])
    fewest = fewest_cards_to_use(
        owed,
        holding,
        targets=targets_of(deal, seat, variant),
        opened=opened_by_a_meld(deal, seat, variant),
        may_meld=may_meld(deal, variant),
        variant=variant,
    )
    return fewest if fewest is not None and leaves_enough(holding.size, fewest, variant) else None


def discard(result: MoveResult, move: Discard) -> None:
    """Discard a card, which ends the turn."""
    turn = result.turn
    hand = result.deal.hands[move.seat]
    check_held(hand, (move.card,), result.deal.melds)
    if turn.must_use is not None:
        raise IllegalMove(
            "must_use_taken_card",
            Sentence("use_taken_card", "Meld or lay off the {card} before you discard.", card=turn.must_use),
        )
    # Only the copy taken is barred; a second copy may be discarded.
    if move.card == turn.may_not_discard and hand.count(move.card) == 1:
        raise IllegalMove(
            "same_card_back",
            Sentence(
                "discard_another_card", "You just took the {card}. Discard another card.", card=move.card
            ),
        )
    result.emit(CardDiscarded(seat=move.seat, card=move.card))
    if result.deal.hands[move.seat]:
        end_turn(result, thrown=True)
    else:
        go_out(result, move.seat)


def keep_card(result: MoveResult, move: KeepCard) -> None:
    """Keep the only card in hand after floating, which ends the turn."""
    if not can_keep(result.game, move.seat):
        raise IllegalMove(
            "not_floating", "Only a player who began the turn without cards may keep their one card."
        )
    result.emit(CardKept(seat=move.seat))
    end_turn(result, thrown=False)


def can_keep(game: Game, seat: int) -> bool:
    """Return whether the seat may end its turn by keeping its only card (RULES 6.5)."""
    turn = game.deal.turn
    begun_without = turn.floating and game.variant.floating
    return begun_without and turn.must_use is None and len(game.deal.hands[seat]) == 1
