"""What may be shown: `view_for` and `redact` are the only way out of the rules.

A viewer is a seat, or None for a spectator, who sees no hand.
"""

from dataclasses import dataclass, replace

from service.rummy.cards import Card
from service.rummy.events import DealStarted, Event, PositionGiven, StockDrawn, StockRenewed
from service.rummy.legal_moves import seats_to_act
from service.rummy.scoring import hand_points, points_by_seat
from service.rummy.state import DealResult, Game, Meld, Phase, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """The running turn; `may_act` lists every seat that may move now."""

    seat: int
    may_act: tuple[int, ...]
    must_use: Card | None
    may_not_discard: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """What every viewer sees of a seat; `total` is that of its side."""

    hand_count: int
    known_cards: tuple[Card, ...]
    table_points: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A game as one viewer may see it. `hand` is the viewer's own, None without a seat.

    `phase` and `turn` are None unless a deal is running. The oldest card of the discard
    pile comes first. `hand_points` counts the cards of `hand`, `meld_points` those of each meld, whoever laid
    them. `quiet_turns` counts the consecutive turns without progress, of
    which `quiet_turn_limit` end the deal (RULES 7.7). `deals` shows the hands of finished
    deals.
    """

    status: Stage
    viewer: int | None
    phase: Phase | None
    deal: int
    dealer: int
    turn: TurnView | None
    hand: tuple[Card, ...] | None
    hand_points: int | None
    seats: tuple[SeatView, ...]
    stock_count: int
    discard_pile: tuple[Card, ...]
    melds: tuple[Meld, ...]
    meld_points: tuple[int, ...]
    totals: tuple[int, ...]
    quiet_turns: int
    quiet_turn_limit: int
    winners: tuple[int, ...] | None
    reason: str | None
    deals: tuple[DealResult, ...]


def view_for(game: Game, viewer: int | None) -> View:
    """Return what the viewer may see of the game.

    >>> from service.rummy.play import new_game
    >>> from service.rummy.presets import resolve
    >>> _, game = new_game(resolve("classic", {}, seats=2), seats=2, key=bytes(32))
    >>> len(view_for(game, 0).hand), view_for(game, None).hand
    (13, None)
    """
    deal, variant = game.deal, game.variant
    running = game.status is Stage.PLAYING
    hand = None if viewer is None else deal.hands[viewer]
    laid = [points_by_seat(meld, variant) for meld in deal.melds]
    return View(
        status=game.status,
        viewer=viewer,
        phase=deal.turn.phase if running else None,
        deal=deal.number,
        dealer=deal.dealer,
        turn=_turn_view(game) if running else None,
        hand=hand,
        hand_points=None if hand is None else hand_points(hand, variant),
        seats=tuple(
            SeatView(
                hand_count=len(cards),
                known_cards=deal.known[seat],
                table_points=sum(points.get(seat, 0) for points in laid),
                total=game.totals[variant.side(seat)],
            )
            for seat, cards in enumerate(deal.hands)
        ),
        stock_count=len(deal.stock),
        discard_pile=deal.discard_pile,
        melds=deal.melds,
        meld_points=tuple(sum(points.values()) for points in laid),
        totals=game.totals,
        quiet_turns=deal.quiet_turns,
        quiet_turn_limit=variant.quiet_turn_limit,
        winners=game.winners,
        reason=game.reason,
        deals=game.deals,
    )


def _turn_view(game: Game) -> TurnView:
    turn = game.deal.turn
    return TurnView(
        seat=turn.seat,
        may_act=seats_to_act(game),
        must_use=turn.must_use,
        may_not_discard=turn.may_not_discard,
    )


def redact(event: Event, viewer: int | None) -> Event:
    """Return the event as the viewer may see it: secret members are None."""
    match event:
        case StockDrawn(seat=seat) if seat != viewer:
            return replace(event, card=None)
        case DealStarted(hands=hands) | PositionGiven(hands=hands):
            own = tuple(hand if seat == viewer else None for seat, hand in enumerate(hands))
            return replace(event, hands=own, stock=None)
        case StockRenewed():
            return replace(event, order=None)
        case _:
            return event
