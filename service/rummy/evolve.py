"""Applies events to a game: the only place where the state changes.

`evolve` trusts its events: the move was checked before they were made. Applying all
events of a game in order, from `GameStarted` and `DealStarted`, gives its state.
"""

from collections.abc import Iterable, Sequence
from typing import assert_never

from service.rummy.cards import Card, in_order, without
from service.rummy.events import (
    CallWindowOpened,
    CardDiscarded,
    CardKept,
    CardLaidOff,
    DealEnded,
    DealStarted,
    DiscardTaken,
    Event,
    GameEnded,
    GameStarted,
    MeldLaid,
    PlayerWentOut,
    PositionGiven,
    RummyCalled,
    StockDrawn,
    StockRenewed,
    TurnPassed,
    TurnStarted,
)
from service.rummy.state import Deal, Game, LaidCard, Meld, MeldKind, Phase, Stage, Turn
from service.rummy.values import changed


def evolve(game: Game, event: Event) -> Game:  # noqa: C901, PLR0912 - one arm an event
    """Return the game after an event."""
    match event:
        case StockDrawn():
            return changed(game, deal=_stock_drawn(game, event))
        case DiscardTaken():
            return changed(game, deal=_discard_taken(game.deal, event))
        case MeldLaid():
            return changed(game, deal=_meld_laid(game.deal, event))
        case CardLaidOff():
            return changed(game, deal=_card_laid_off(game.deal, event, settles=_lay_off_settles(game)))
        case CardDiscarded():
            return changed(game, deal=_card_discarded(game.deal, event))
        case TurnStarted():
            return changed(game, deal=_turn_started(game.deal, event))
        case TurnPassed():
            return changed(game, deal=_turn_passed(game, event))
        case CallWindowOpened():
            return changed(game, deal=_call_window_opened(game.deal, event))
        case RummyCalled():
            return changed(game, deal=_rummy_called(game.deal, event))
        case StockRenewed():
            return changed(game, deal=_stock_renewed(game.deal, event))
        case DealStarted():
            return changed(game, status=Stage.PLAYING, deal=deal_from_event(event))
        case DealEnded(result=result):
            return changed(game, status=Stage.DEAL_OVER, deals=(*game.deals, result), totals=result.totals)
        case GameEnded(winners=winners, reason=reason):
            return changed(game, status=Stage.FINISHED, winners=winners, reason=reason)
        case CardKept() | PlayerWentOut():
            return game
        case GameStarted() | PositionGiven():
            msg = "A game starts once: give its first two events to `begin`."
            raise ValueError(msg)
        case _:
            assert_never(event)


def begin(key: bytes, start: GameStarted, first: DealStarted | PositionGiven) -> Game:
    """Return the game after its first two events."""
    return Game(
        variant=start.variant,
        seats=start.seats,
        key=key,
        dealer_draws=start.dealer_draws,
        status=Stage.PLAYING,
        deal=_deal_of_position(first) if isinstance(first, PositionGiven) else deal_from_event(first),
        deals=(),
        totals=first.totals if isinstance(first, PositionGiven) else (0,) * start.variant.sides(start.seats),
    )


def _deal_of_position(event: PositionGiven) -> Deal:
    hands = tuple(in_order(_require_known(hand)) for hand in event.hands)
    return Deal(
        number=event.deal,
        dealer=event.dealer,
        hands=hands,
        known=tuple(in_order(cards) for cards in event.known),
        stock=_require_known(event.stock),
        discard_pile=event.discard_pile,
        melds=event.melds,
        turn=event.turn,
    )


def replay(key: bytes, events: Iterable[Event]) -> Game:
    """Return the state after all events of a game, unredacted and from the start."""
    stream = iter(events)
    start, first = next(stream), next(stream)
    if not isinstance(start, GameStarted) or not isinstance(first, DealStarted | PositionGiven):
        msg = "The events of a game begin with game.started and a deal or a given position."
        raise TypeError(msg)
    game = begin(key, start, first)
    for event in stream:
        game = evolve(game, event)
    return game


def deal_from_event(event: DealStarted) -> Deal:
    """Return the deal after the cards are dealt, before the first turn."""
    hands = tuple(in_order(_require_known(hand)) for hand in event.hands)
    return Deal(
        number=event.deal,
        dealer=event.dealer,
        hands=hands,
        known=((),) * len(hands),
        stock=_require_known(event.stock),
        discard_pile=(event.upcard,),
        melds=(),
        turn=Turn(seat=(event.dealer + 1) % len(hands), phase=Phase.DRAW),
    )


def _require_known(cards: tuple[Card, ...] | None) -> tuple[Card, ...]:
    if cards is None:
        msg = "A redacted event cannot be replayed."
        raise ValueError(msg)
    return cards


def _with_hand(deal: Deal, seat: int, hand: tuple[Card, ...]) -> tuple[tuple[Card, ...], ...]:
    return (*deal.hands[:seat], hand, *deal.hands[seat + 1 :])


def _stock_drawn(game: Game, event: StockDrawn) -> Deal:
    deal, card = game.deal, event.card
    if card is None:
        msg = "A redacted event cannot be replayed."
        raise ValueError(msg)
    return changed(
        deal,
        stock=deal.stock[1:],
        hands=_with_hand(deal, event.seat, in_order((*deal.hands[event.seat], card))),
        turn=changed(deal.turn, phase=Phase.MELD, quiet=game.variant.renews_stock),
    )


def _take(deal: Deal, seat: int, position: int, cards: tuple[Card, ...]) -> Deal:
    """Return the deal after the seat takes cards of the pile, which all players see.

    They lie at the position and above it, but need not lie side by side (RULES 8.4).
    """
    pile = deal.discard_pile
    return changed(
        deal,
        discard_pile=pile[:position] + _without_in_order(pile[position:], cards),
        hands=_with_hand(deal, seat, in_order(deal.hands[seat] + cards)),
        known=(*deal.known[:seat], in_order(deal.known[seat] + cards), *deal.known[seat + 1 :]),
    )


def _without_in_order(pile: tuple[Card, ...], cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the pile without cards of it, each the oldest above the one before."""
    if pile == cards:
        return ()
    left, taken = [], 0
    for card in pile:
        if taken < len(cards) and card == cards[taken]:
            taken += 1
        else:
            left.append(card)
    return tuple(left)


def _discard_taken(deal: Deal, event: DiscardTaken) -> Deal:
    return changed(
        _take(deal, event.seat, event.position, event.cards),
        turn=changed(
            deal.turn, phase=Phase.MELD, must_use=event.must_use, may_not_discard=event.may_not_discard
        ),
    )


def _rummy_called(deal: Deal, event: RummyCalled) -> Deal:
    taken = _take(deal, event.seat, event.position, event.cards)
    turn = Turn(
        seat=event.seat,
        phase=Phase.MELD,
        must_use=event.card,
        tabled_before=deal.has_tabled(event.seat),
        floating=not deal.hands[event.seat],
        called=True,
    )
    return changed(taken, turn=turn)


def _without_cards(deal: Deal, seat: int, cards: tuple[Card, ...]) -> Deal:
    """Return the deal without these cards of the seat; a known copy goes first (RULES 1.2)."""
    known = list(deal.known[seat])
    for card in cards:
        if card in known:
            known.remove(card)
    return changed(
        deal,
        hands=_with_hand(deal, seat, without(deal.hands[seat], cards)),
        known=(*deal.known[:seat], tuple(known), *deal.known[seat + 1 :]),
    )


def _tabled(turn: Turn, laid: Sequence[Card], *, settled: Sequence[Card], melds: int) -> Turn:
    """Return the turn after cards were laid; met duties are cleared.

    A laid copy of the card that may not be discarded is the one that was taken (RULES 2.9).
    """
    return changed(
        turn,
        must_use=None if turn.must_use in settled else turn.must_use,
        may_not_discard=None if turn.may_not_discard in laid else turn.may_not_discard,
        melds_laid=turn.melds_laid + melds,
        tabled=True,
        quiet=False,
    )


def _meld_laid(deal: Deal, event: MeldLaid) -> Deal:
    cards = tuple(laid.card for laid in event.meld.cards)
    spent = _without_cards(deal, event.seat, cards)
    return changed(
        spent,
        melds=(*deal.melds, event.meld),
        turn=_tabled(deal.turn, cards, settled=cards, melds=1),
    )


def _lay_off_settles(game: Game) -> bool:
    """Return whether laying off the card that must be used is enough (RULES 2.10)."""
    return game.variant.lay_off_settles or game.deal.turn.called


def _card_laid_off(deal: Deal, event: CardLaidOff, *, settles: bool) -> Deal:
    spent = _without_cards(deal, event.seat, (event.card,))
    laid = LaidCard(card=event.card, laid_by=event.seat, stands_for=event.stands_for)
    melds = tuple(_grown(meld, laid, event) if meld.id == event.meld_id else meld for meld in deal.melds)
    return changed(
        spent,
        melds=melds,
        turn=_tabled(deal.turn, (event.card,), settled=(event.card,) if settles else (), melds=0),
    )


def _grown(meld: Meld, laid: LaidCard, event: CardLaidOff) -> Meld:
    at_low_end = meld.kind is MeldKind.RUN and event.end == "low"
    return changed(meld, cards=(laid, *meld.cards) if at_low_end else (*meld.cards, laid))


def _card_discarded(deal: Deal, event: CardDiscarded) -> Deal:
    spent = _without_cards(deal, event.seat, (event.card,))
    return changed(spent, discard_pile=(*deal.discard_pile, event.card))


def _turn_passed(game: Game, event: TurnPassed) -> Deal:
    deal, turn = game.deal, game.deal.turn
    if turn.phase is Phase.RUMMY_CALL:
        return changed(
            deal, turn=changed(turn, asked=tuple(seat for seat in turn.asked if seat != event.seat))
        )
    # A player who passes and discards then holds one card less; a floating player has none to discard. Where
    # the pile may be taken freely, the next take could bring the card back for ever.
    quiet = not deal.hands[event.seat] or game.variant.deepest_card_use == "free"
    return changed(deal, turn=changed(turn, phase=Phase.MELD, quiet=quiet))


def _turn_started(deal: Deal, event: TurnStarted) -> Deal:
    turn = Turn(
        seat=event.seat,
        phase=Phase.DRAW,
        tabled_before=deal.has_tabled(event.seat),
        floating=not deal.hands[event.seat],
    )
    return changed(_turn_closed(deal), turn=turn)


def _call_window_opened(deal: Deal, event: CallWindowOpened) -> Deal:
    turn = Turn(seat=event.next_seat, phase=Phase.RUMMY_CALL, discarder=event.discarder, asked=event.asked)
    return changed(_turn_closed(deal), turn=turn)


def _turn_closed(deal: Deal) -> Deal:
    """Return the deal with the running turn counted (RULES 7.7); a turn counts once it drew."""
    if deal.turn.phase is not Phase.MELD:
        return deal
    return changed(deal, quiet_turns=quiet_turns_after(deal))


def quiet_turns_after(deal: Deal) -> int:
    """Return the number of consecutive turns without progress, with the running one (RULES 7.7)."""
    return deal.quiet_turns + 1 if deal.turn.quiet else 0


def _stock_renewed(deal: Deal, event: StockRenewed) -> Deal:
    return changed(
        deal,
        stock=_require_known(event.order),
        # A top discard that stays is the last card of the pile.
        discard_pile=deal.discard_pile[event.stock_count :],
        renewals=deal.renewals + 1,
    )
