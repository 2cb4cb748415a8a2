"""Moves and events as text, for golden playthroughs and failing examples."""

from collections.abc import Iterable, Mapping

from service.rummy.cards import Card
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
from service.rummy.moves import (
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    EndGame,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    StartNextDeal,
    TakeDiscard,
)
from service.rummy.state import DealResult, LaidCard, Meld


def row(cards: Iterable[Card]) -> str:
    """Return cards separated by spaces; a dash for none."""
    return " ".join(cards) or "-"


def move_in_words(move: Move) -> str:  # noqa: C901 - one arm a move
    """Return a move without its seat, as text."""
    match move:
        case DrawStock():
            return "draw"
        case TakeDiscard(card=card, position=position):
            return f"take {card}{_at(position)}"
        case LayMeld(cards=cards, stands_for=stands_for, ace=ace):
            said = f", ace {ace}" if ace else ""
            return f"meld {' '.join(_standing(card, stands_for) for card in cards)}{said}"
        case LayOff(card=card, meld_id=meld_id, end=end, stands_for=face):
            shown = _standing(card, {card: face} if face else {})
            return f"lay off {shown} on {meld_id}{f', {end} end' if end else ''}"
        case Discard(card=card):
            return f"discard {card}"
        case Pass():
            return "pass"
        case KeepCard():
            return "keep the card"
        case CallRummy(card=card, position=position, use=use):
            return f"call {card}{_at(position)}: {move_in_words(use)}"
        case CloseCallWindow():
            return "close the call window"
        case StartNextDeal():
            return "deal again"
        case EndGame(winners=winners, reason=reason):
            return f"end the game, {reason}, for {winners}"


def _at(position: int | None) -> str:
    return "" if position is None else f" at {position}"


def _standing(card: Card, stands_for: Mapping[Card, Card]) -> str:
    return f"{card}={stands_for[card]}" if card in stands_for else card


def meld_in_words(meld: Meld) -> str:
    """Return a meld on the table: X1=7H for a joker, 8H(2) for a card that seat 2 laid off on it."""
    return " ".join(_laid(laid, meld) for laid in meld.cards)


def _laid(laid: LaidCard, meld: Meld) -> str:
    shown = f"{laid.card}={laid.stands_for}" if laid.stands_for else laid.card
    return shown if laid.laid_by == meld.owner else f"{shown}({laid.laid_by})"


def event_in_words(event: Event) -> str:  # noqa: C901, PLR0912 - one arm an event
    """Return what happened. Turns that begin and moves that say it all themselves are an empty text."""
    match event:
        case StockDrawn(card=card, stock_count=count):
            return f"draws {card}, {count} left"
        case DiscardTaken(cards=cards, must_use=owed, may_not_discard=barred):
            bound = f", owes {owed}" if owed else f", may not throw {barred} back" if barred else ""
            return f"takes {row(cards)}{bound}"
        case MeldLaid(meld=meld):
            return f"lays {meld.id} {meld.kind} {meld_in_words(meld)}"
        case CardLaidOff(card=card, meld_id=meld_id, end=end):
            return f"lays off {card} on {meld_id}{f' {end}' if end else ''}"
        case CardDiscarded(card=card):
            return f"throws {card}"
        case CardKept():
            return "keeps the card"
        case TurnPassed():
            return "passes"
        case RummyCalled(card=card, cards=cards):
            return f"calls {card}, takes {row(cards)}"
        case StockRenewed(shuffled=shuffled, stock_count=count):
            return f"the pile is {'shuffled' if shuffled else 'turned over'}, {count} in the stock"
        case PlayerWentOut(seat=seat):
            return f"seat {seat} goes out"
        case CallWindowOpened(asked=asked):
            return f"may call: {', '.join(map(str, asked))}"
        case DealEnded(result=result):
            return f"the deal ends, {result.reason}"
        case GameEnded(winners=winners, reason=reason):
            return f"the game ends, {reason}: {f'won by {row_of_seats(winners)}' if winners else 'drawn'}"
        case TurnStarted() | GameStarted() | DealStarted() | PositionGiven():
            return ""


def row_of_seats(seats: Iterable[int]) -> str:
    """Return seats in a row."""
    return ", ".join(f"seat {seat}" for seat in seats)


def result_in_words(result: DealResult) -> Iterable[str]:
    """Yield a line for each seat: cards laid and held, their points, and the score; then the totals."""
    for seat, had in enumerate(result.seats):
        bonus = f" + {had.bonus}" if had.bonus else ""
        yield (
            f"seat {seat}: table {row(had.table)} ({had.table_points}), hand {row(had.hand)} "
            f"({had.hand_points}){bonus} = {had.score}"
        )
    yield f"totals: {' '.join(map(str, result.totals))}"
