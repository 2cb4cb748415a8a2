"""The body of createGame as a `NewGame`. Which options go together is checked by the table."""

from dataclasses import replace
from typing import TypeVar

from service.api.auth import Caller
from service.api.limits import address_hash
from service.api.services import Services
from service.api.views.visibility import visible_game
from service.games.earlier_games import position_at
from service.games.opening import NewGame
from service.games.record import SpectatorAccess, TimeControl, Visibility
from service.games.refusals import Refusal
from service.rummy.cards import Card
from service.rummy.errors import ImpossiblePosition
from service.rummy.positions import GivenMeld, GivenTurn, Position
from service.rummy.presets import PRESETS, overrides_of
from service.rummy.state import LaidCard, MeldKind, Phase
from service.runtime.json_object import Json

T = TypeVar("T")


def new_game(services: Services, caller: Caller, body: Json) -> NewGame:
    """Return the game that a validated body asks for.

    Raises `Problem` or `Refusal` if it is to start from a game that the caller may not see, or one that
    is still running.
    """
    new = _as_described(body)
    if body["position_of"] is None:
        return new
    if not new.sandbox:
        raise Refusal("sandbox_only", "position_of needs sandbox: true.", member="position_of")
    record = visible_game(services, body["position_of"]["game_id"], caller).record
    return replace(
        new,
        preset=record.variant.name,
        overrides=overrides_of(record.variant, seats=len(record.seats)),
        seats=len(record.seats),
        position=position_at(record, services.table.whole_log(record), body["position_of"]["version"]),
    )


def _as_described(body: Json) -> NewGame:
    variant = body["variant"]
    return NewGame(
        preset=variant["preset"],
        overrides=variant["overrides"],
        options=variant["options"] or {},
        seats=seat_count(body),
        opponents=tuple(opponent["level"] for opponent in body["opponents"]),
        visibility=Visibility(body["visibility"]),
        spectators=SpectatorAccess(body["spectators"]),
        spectator_delay_ms=body["spectator_delay_ms"],
        rated=body["rated"],
        computer_pace_ms=body["computer_pace_ms"],
        thinking_ms=body["thinking_ms"],
        clock=clock_of(body, default="default"),
        sandbox=body["sandbox"],
        seed=body["seed"],
        origin=address_hash(),
        position=_position(body["position"]),
        seats_held=body["seats_held"] is not None,
    )


def seat_count(body: Json) -> int:
    """Return the number of seats: as given, else that of the position or the opponents, else the minimum."""
    if body["seats"] is not None:
        return int(body["seats"])
    if body.get("position") is not None:
        return len(body["position"]["hands"] or body["position"]["seats"])
    minimum, _ = PRESETS[body["variant"]["preset"]].players
    return max(minimum, 1 + len(body.get("opponents", ())))


def clock_of(body: Json, *, default: T) -> TimeControl | T | None:
    """Return the clock that a body asks for; `default` if it has none."""
    if "clock" not in body:
        return default
    return None if body["clock"] is None else TimeControl(**body["clock"])


def _position(given: Json | None) -> Position | None:
    if given is None:
        return None
    turn = given["turn"]
    if turn is None or turn["seat"] is None:
        raise ImpossiblePosition(
            "turn", "There the deal is over. Send a position in which a seat has the turn."
        )
    seats: list[Json | None] = given["seats"] or [None] * len(given["hands"])
    known = _known(given, seats)
    # The rules refuse too few of them.
    cards_known = [*known, *[()] * len(seats)]
    hands = _hands(given, len(seats))
    hidden = tuple(
        0 if hand is not None else _hidden_count(seat, len(cards_known[number]))
        for number, (hand, seat) in enumerate(zip(hands, seats, strict=True))
    )
    return Position(
        hands=tuple(
            tuple(cards_known[number] if hand is None else hand) for number, hand in enumerate(hands)
        ),
        hidden=hidden,
        discard_pile=_discard_pile(given),
        stock=None if given["stock"] is None else tuple(given["stock"]),
        stock_count=given["stock_count"],
        melds=tuple(_meld(meld) for meld in given["melds"]),
        turn=_turn(turn),
        known=known,
        totals=_totals(given),
        dealer=_dealer(given, len(seats)),
        deal=given["deal"],
    )


def _known(given: Json, seats: list[Json | None]) -> tuple[tuple[Card, ...], ...]:
    if given["known"] is not None:
        return tuple(map(tuple, given["known"]))
    return tuple(tuple(seat["known_cards"]) if seat else () for seat in seats)


def _hands(given: Json, seats: int) -> list[list[Card] | None]:
    """Return the hands as far as they are given, by seat."""
    hands = list(given["hands"] or [None] * seats)
    if given["you"] is not None and hands[given["viewer"]["seat"]] is None:
        hands[given["viewer"]["seat"]] = given["you"]["hand"]
    return hands


def _hidden_count(seat: Json | None, known: int) -> int | None:
    if seat is None or seat["hand_count"] is None:
        return None
    return max(0, int(seat["hand_count"]) - known)


def _discard_pile(given: Json) -> tuple[Card, ...]:
    return tuple(given["discard_pile"] or ([given["upcard"]] if given["upcard"] else ()))


def _turn(given: Json) -> GivenTurn:
    before = given["tabled_before_turn"]
    return GivenTurn(
        seat=given["seat"],
        phase=Phase(given["phase"]),
        must_use=given["must_use"],
        may_not_discard=given["may_not_discard"],
        discarder=given["discarder"],
        melds_laid=given["melds_laid"],
        tabled_before_turn=given["tabled_before"] if before is None else before,
    )


def _totals(given: Json) -> tuple[int, ...] | None:
    """Return the totals by side: as given, else as the teams or the seats show them."""
    if given["totals"] is not None:
        return tuple(given["totals"])
    shown = [side["total"] for side in given["teams"] or given["seats"] or ()]
    return None if None in shown else tuple(shown) or None


def _dealer(given: Json, seats: int) -> int:
    """Return the dealer: as given, else the seat before the one whose turn it is."""
    if given["dealer"] is not None:
        return int(given["dealer"])
    return (int(given["turn"]["seat"]) - 1) % max(1, seats)


def _meld(given: Json) -> GivenMeld:
    cards = (
        LaidCard(
            card=laid["card"],
            laid_by=given["owner"] if laid["laid_by"] is None else laid["laid_by"],
            stands_for=laid["stands_for"],
        )
        for laid in given["cards"]
    )
    return GivenMeld(
        owner=given["owner"],
        cards=tuple(cards),
        id=given["id"],
        kind=None if given["kind"] is None else MeldKind(given["kind"]),
    )
