"""The body of createGame as a `NewGame`. Which options go together is checked by the table."""

from typing import TypeVar

from service.games.opening import NewGame
from service.games.record import SpectatorAccess, TimeControl, Visibility
from service.rummy.cards import Card
from service.rummy.positions import GivenMeld, GivenTurn, Position
from service.rummy.presets import PRESETS
from service.rummy.state import LaidCard, Phase
from service.runtime.json_object import Json

T = TypeVar("T")


def new_game(body: Json) -> NewGame:
    """Return the game that a validated body asks for."""
    variant = body["variant"]
    return NewGame(
        preset=variant["preset"],
        overrides=variant["overrides"],
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
        position=_position(body["position"]),
        seats_held=body["seats_held"] is not None,
    )


def seat_count(body: Json) -> int:
    """Return the number of seats: as given, else that of the position or the opponents, else the minimum."""
    if body["seats"] is not None:
        return int(body["seats"])
    if body.get("position") is not None:
        return len(body["position"]["hands"])
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
    return Position(
        hands=_rows(given["hands"]),
        discard_pile=tuple(given["discard_pile"]),
        stock=None if given["stock"] is None else tuple(given["stock"]),
        melds=tuple(_meld(meld) for meld in given["melds"]),
        turn=GivenTurn(**{**turn, "phase": Phase(turn["phase"])}),
        known=None if given["known"] is None else _rows(given["known"]),
        totals=None if given["totals"] is None else tuple(given["totals"]),
        dealer=_dealer(given),
        deal=given["deal"],
    )


def _rows(hands: list[list[Card]]) -> tuple[tuple[Card, ...], ...]:
    return tuple(tuple(hand) for hand in hands)


def _dealer(given: Json) -> int:
    """Return the dealer: as given, else the seat before the one whose turn it is."""
    if given["dealer"] is not None:
        return int(given["dealer"])
    return (int(given["turn"]["seat"]) - 1) % max(1, len(given["hands"]))


def _meld(given: Json) -> GivenMeld:
    cards = (
        LaidCard(
            card=laid["card"],
            laid_by=given["owner"] if laid["laid_by"] is None else laid["laid_by"],
            stands_for=laid["stands_for"],
        )
        for laid in given["cards"]
    )
    return GivenMeld(owner=given["owner"], cards=tuple(cards))
