"""Builds a replay from the record and the log of a game, as one viewer may see them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from service.games.record import (
    GameAborted,
    GameLogEntry,
    GameRecord,
    LoggedEvent,
    SeatJoined,
    SeatKind,
    SeatLeft,
    SeatReplaced,
    UnknownEvent,
)
from service.notation.event_lines import LineBuilder
from service.notation.lines import (
    PLACELESS,
    Ending,
    GivenPosition,
    Opening,
    RecordedDeal,
    Replay,
    ReplaySeat,
    Result,
)
from service.rummy.cards import in_order
from service.rummy.dealing import deal_seed
from service.rummy.events import EVENT_TYPES, DealStarted, GameEnded, GameStarted, PositionGiven
from service.rummy.positions import GivenMeld, GivenTurn
from service.rummy.presets import overrides_of
from service.rummy.state import DealerDraw, Phase, Turn
from service.rummy.variants import Variant
from service.rummy.views import redact

_LONGEST_LABEL = 16
#: Words with another meaning where a seat label may stand.
_RESERVED: Final = frozenset(
    {"Seat", "Seed", "Commitment", "Score", "End", "stock", "pile", "totals", "turn", "nobody"}
)
_FREE = ReplaySeat(label="", kind=None, name=None)


def is_over(record: GameRecord, deal: int) -> bool:
    """Return whether a deal has no secrets left: it was scored, or the game ended in it."""
    if record.game is None or record.status.is_over:
        return True
    return deal in {result.deal for result in record.game.deals}


def revealed_seed(record: GameRecord, deal: int) -> bytes | None:
    """Return the seed of a deal once it is over, None before."""
    return deal_seed(record.key, deal) if is_over(record, deal) else None


def replay_from_record(record: GameRecord, log: Iterable[GameLogEntry], viewer: int | None) -> Replay:
    """Return the game as the viewer may see it: finished deals whole, the running one redacted."""
    builder = ReplayBuilder(record.variant, len(record.seats), lambda deal: revealed_seed(record, deal))
    for logged in log:
        event = logged.event
        if isinstance(event, UnknownEvent):
            continue
        if event.type in EVENT_TYPES and not is_over(record, builder.deal_of(event)):
            event = redact(event, viewer)  # type: ignore[arg-type] # EVENT_TYPES is what `redact` takes
        builder.add(event)
    return builder.build(
        game_id=record.id,
        begun_at=record.created_at,
        rated=record.rated,
        sandbox=record.sandbox,
        viewer=viewer,
    )


class ReplayBuilder:
    """Builds a replay from the events of a game, added in order.

    `seed_of` returns the seed of a deal, None while it is secret.
    """

    def __init__(self, variant: Variant, seats: int, seed_of: Callable[[int], bytes | None]) -> None:
        self._variant: Final = variant
        self._seed_of: Final = seed_of
        self._seats: Final = [_FREE] * seats
        self._draws: tuple[DealerDraw, ...] = ()
        self._deals: Final[list[RecordedDeal]] = []
        self._running: tuple[Opening, LineBuilder] | None = None
        self._result = Result(ending=Ending.UNFINISHED)

    def deal_of(self, event: LoggedEvent) -> int:
        """Return the number of the deal that the next event belongs to; 1 before the first."""
        if isinstance(event, DealStarted | PositionGiven):
            return event.deal
        return 1 if self._running is None else self._running[0].number

    def add(self, event: LoggedEvent, place: str = PLACELESS) -> None:
        """Add the next event; `place` is where it was read."""
        match event:
            case GameStarted(dealer_draws=draws):
                self._draws = draws
            case DealStarted() | PositionGiven():
                self._finish_deal()
                opening = opening_from_event(event, seed=self._seed_of(event.deal), place=place)
                self._running = (opening, line_builder_for(opening, self._variant))
            case GameEnded() | GameAborted():
                self._result = replace(result_from_event(event), place=place)
            case _ if self._running is None:
                _seat(self._seats, event)
            case _:
                self._running[1].add(event, place)

    def _finish_deal(self) -> None:
        if self._running is not None:
            opening, line_builder = self._running
            self._deals.append(RecordedDeal(opening=opening, lines=line_builder.finish()))

    def build(self, *, game_id: str, begun_at: int, rated: bool, sandbox: bool, viewer: int | None) -> Replay:
        """Return the replay; no event can be added after that."""
        self._finish_deal()
        secret = self._running is not None and self._running[0].seed is None
        return Replay(
            game_id=game_id,
            begun_at=begun_at,
            preset=self._variant.name,
            overrides=overrides_of(self._variant, seats=len(self._seats)),
            rated=rated,
            sandbox=sandbox,
            seats=label_seats(self._seats),
            seen_by=viewer if secret else None,
            draws=self._draws,
            deals=tuple(self._deals),
            result=self._result,
        )


def _seat(seats: list[ReplaySeat], event: LoggedEvent) -> None:
    match event:
        case SeatJoined(seat=seat, name=name, kind=kind):
            level = name if kind is SeatKind.COMPUTER else None
            seats[seat] = ReplaySeat(label="", kind=kind, name=name, level=level)
        case SeatReplaced(seat=seat, level=level):
            seats[seat] = ReplaySeat(label="", kind=SeatKind.COMPUTER, name=level, level=level)
        case SeatLeft(seat=seat):
            seats[seat] = _FREE
        case _:
            return


def label_seats(seats: Sequence[ReplaySeat]) -> tuple[ReplaySeat, ...]:
    """Return the seats with a label each: the letters and digits of the name.

    Equal labels, and those that are words of the notation, get the number of the seat.
    """
    words = ["".join(filter(str.isalnum, seat.name or ""))[:_LONGEST_LABEL] or "Seat" for seat in seats]
    labels: list[str] = []
    for number, word in enumerate(words):
        label = f"{word}-{number}" if words.count(word) > 1 or word in _RESERVED else word
        labels.append(label)
    return tuple(
        ReplaySeat(label=label, kind=seat.kind, name=seat.name, level=seat.level)
        for label, seat in zip(labels, seats, strict=True)
    )


def opening_from_event(event: DealStarted | PositionGiven, *, seed: bytes | None, place: str = "") -> Opening:
    """Return the start of a deal from its event."""
    given = None
    pile = (event.upcard,) if isinstance(event, DealStarted) else event.discard_pile
    if isinstance(event, PositionGiven):
        given = GivenPosition(
            known=event.known,
            melds=tuple(GivenMeld(owner=meld.owner, cards=meld.cards) for meld in event.melds),
            turn=_given_turn(event.turn),
            totals=event.totals,
        )
    return Opening(
        number=event.deal,
        dealer=event.dealer,
        commitment=event.commitment,
        seed=seed,
        hands=tuple(None if hand is None else in_order(hand) for hand in event.hands),
        stock=event.stock,
        stock_count=event.stock_count,
        pile=pile,
        given=given,
        place=place,
    )


def _given_turn(turn: Turn) -> GivenTurn:
    return GivenTurn(
        seat=turn.seat,
        phase=turn.phase,
        must_use=turn.must_use,
        may_not_discard=turn.may_not_discard,
        discarder=turn.discarder,
        melds_laid=turn.melds_laid,
        tabled_before_turn=turn.tabled_before,
    )


def line_builder_for(opening: Opening, variant: Variant) -> LineBuilder:
    """Return a line builder for the deal."""
    asking = opening.given is not None and opening.given.turn.phase is Phase.RUMMY_CALL
    return LineBuilder(variant, asking=asking)


def result_from_event(event: GameEnded | GameAborted) -> Result:
    """Return the result of a game from the event that ended it."""
    if isinstance(event, GameAborted):
        return Result(ending=Ending.GIVEN_UP, reason=event.reason)
    ending = Ending.WON if event.winners else Ending.DRAWN
    return Result(ending=ending, winners=event.winners, reason=event.reason)
