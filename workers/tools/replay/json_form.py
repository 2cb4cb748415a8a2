"""The JSON form of a replay, as getReplay answers it: read strictly, and compared member by member.

Its events become the lines of the notation, and are judged as those are. What lines
leave out, such as how many cards were left, is then held against the events that the
rules make of the moves.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from service.api.views.rendering import event_view
from service.games.record import LOGGED_TYPES, GameLogEntry, LoggedEvent, Status
from service.notation.from_record import ReplayBuilder
from service.notation.lines import Ending, Replay
from service.notation.verify import Fault, Verification
from service.rummy.cards import card
from service.rummy.events import EVENT_TYPES, GameEnded, GameStarted, PositionGiven
from service.rummy.variants import Variant
from service.runtime.json_object import Json

#: What every event has, and what no rule decides.
_ENVELOPE: Final = ("id", "game_id", "version", "seq", "at")
_CARDS: Final = frozenset(
    {
        *("card", "cards", "discard_pile", "hand", "hands", "known", "may_not_discard", "must_use", "order"),
        *("stands_for", "stock", "table", "upcard"),
    }
)
_ENDINGS: Final[Mapping[Status, tuple[Ending, ...]]] = {
    Status.WAITING: (Ending.UNFINISHED,),
    Status.PLAYING: (Ending.UNFINISHED,),
    Status.DEAL_OVER: (Ending.UNFINISHED,),
    Status.FINISHED: (Ending.WON, Ending.DRAWN),
    Status.ABORTED: (Ending.GIVEN_UP,),
}


class Unreadable(Exception):  # noqa: N818 - named for what it is
    """JSON that is no replay; the message is one whole sentence that names the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An event as it stands in the replay, and as what the rules know it."""

    place: str
    told: Json
    event: LoggedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReplay:
    """A replay read from JSON: as lines to be judged, and its events deal by deal."""

    replay: Replay
    deals: tuple[tuple[Recorded, ...], ...]
    faults: tuple[Fault, ...]


class _Rules(msgspec.Struct):
    """The variant of a game."""

    preset: str
    options: Json


class _Summary(msgspec.Struct):
    """The game, as far as the replay needs it."""

    id: str
    status: Status
    variant: _Rules
    seats: list[Json]
    rated: bool
    sandbox: bool
    created_at: datetime


class _Deal(msgspec.Struct):
    """A deal of the replay; an older service tells no seed."""

    deal: int
    over: bool
    events: list[Json]
    seed: str | None = None


class _Told(msgspec.Struct):
    """What getReplay answers."""

    game: _Summary
    before: list[Json]
    deals: list[_Deal]


def json_replay_of(text: str) -> JsonReplay:
    """Return the replay; raise Unreadable where a member is missing or is not what it should be."""
    try:
        told = msgspec.json.decode(text, type=_Told)
    except msgspec.ValidationError as error:
        raise Unreadable(f"This is not what getReplay answers: {error}.") from None
    except msgspec.DecodeError as error:
        raise Unreadable(f"This is no JSON: {error}.") from None
    return _read(told)


def _read(told: _Told) -> JsonReplay:
    game, faults = told.game, []
    try:
        variant = msgspec.convert({"name": game.variant.preset, **game.variant.options}, Variant)
        seeds = {deal.deal: None if deal.seed is None else bytes.fromhex(deal.seed) for deal in told.deals}
    except (msgspec.ValidationError, ValueError) as error:
        raise Unreadable(f"This is not what getReplay answers: {error}.") from None
    builder = ReplayBuilder(variant, len(game.seats), seeds.get)
    parts = [list(_recorded(told.before)), *(list(_recorded(deal.events)) for deal in told.deals)]
    for one in (one for part in parts for one in part):
        builder.add(one.event, one.place)
        if isinstance(one.event, GameStarted) and (one.event.variant, one.event.seats) != (
            variant,
            len(game.seats),
        ):
            faults.append(
                Fault(place=one.place, message="The game began by other rules than it names above.")
            )
    replay = builder.build(
        game_id=game.id,
        begun_at=int(game.created_at.timestamp() * 1000),
        rated=game.rated,
        sandbox=game.sandbox,
        viewer=None,
    )
    faults += _outside(told, replay)
    return JsonReplay(replay=replay, deals=tuple(map(tuple, parts[1:])), faults=tuple(faults))


def _recorded(events: list[Json]) -> Iterator[Recorded]:
    """Yield the events that are known here; others may have come since, and are none of the rules'."""
    for told in events:
        kind = LOGGED_TYPES.get(str(told.get("type")))
        if kind is None:
            continue
        place = f"event {told.get('id')}"
        try:
            _check_cards(told)
            event = msgspec.convert(_completed(told), kind)
        except (msgspec.ValidationError, ValueError) as error:
            raise Unreadable(f"{place} is no event of a replay: {error}.") from None
        yield Recorded(place=place, told=told, event=event)


def _completed(told: Json) -> Json:
    """Return an event with what the API leaves out, because it follows from the rest."""
    if "meld" in told:
        return {**told, "meld": _meld(told["meld"])}
    if "melds" in told:
        return {**told, "melds": [_meld(meld) for meld in told["melds"]]}
    if "variant" in told:
        rules = msgspec.convert(told["variant"], _Rules)
        return {**told, "variant": {"name": rules.preset, **rules.options}}
    return told


def _meld(told: Json) -> Json:
    return {**told, "laid_at_once": len(told.get("cards", ()))}


def _check_cards(told: object, *, are_cards: bool = False) -> None:
    """Raise ValueError unless every card named is one."""
    if isinstance(told, dict):
        for name, value in told.items():
            _check_cards(value, are_cards=name in _CARDS)
    elif isinstance(told, list):
        for value in told:
            _check_cards(value, are_cards=are_cards)
    elif isinstance(told, str) and are_cards:
        card(told)


def _outside(told: _Told, replay: Replay) -> Iterator[Fault]:
    """Yield what is wrong beside the deals: the order of the log, and how the game is said to stand."""
    last = (0, 0)
    events = [*told.before, *(event for deal in told.deals for event in deal.events)]
    for event in events:
        at = (event.get("version", 0), event.get("seq", 0))
        place = f"event {event.get('id')}"
        if at <= last and event is not events[0]:
            yield Fault(place=place, message="The events are not in the order they happened in.")
        if event.get("game_id") != told.game.id or event.get("id") != f"{at[0]}-{at[1]}":
            yield Fault(place=place, message="The event does not belong here: its id or game is another.")
        last = at
    if replay.result.ending not in _ENDINGS[told.game.status]:
        yield Fault(place="game", message=f"The log does not tell that the game is {told.game.status}.")
    for number, deal in enumerate(told.deals):
        if deal.over != (deal.seed is not None):
            yield Fault(place=f"deals.{number}", message="A deal that is over has a seed, and no other has.")


def unlike(read: JsonReplay, verification: Verification) -> Iterator[Fault]:
    """Yield the members of events that are not as the rules make them, where all else was right."""
    for recorded, judged in zip(read.deals, verification.deals, strict=True):
        if not judged.is_proven:
            continue
        told = [one for one in recorded if one.event.type in EVENT_TYPES]
        if told and isinstance(told[-1].event, GameEnded):
            # Compared as the game's result: a resignation is no event of the deal's rules.
            told.pop()
        made = [
            event for event in judged.events if event.type in EVENT_TYPES and not isinstance(event, GameEnded)
        ]
        if isinstance(recorded[0].event, PositionGiven):
            # The replay's own words: what the rules make of a position is the game, not its event.
            told, made = told[1:], made[1:]
        for one, event in zip(told, made, strict=False):
            yield from _members(one, event)
        if len(told) != len(made):
            yield Fault(place=recorded[-1].place, message=f"By the rules the deal has {len(made)} events.")


def _members(one: Recorded, event: LoggedEvent) -> Iterator[Fault]:
    seen = event_view(GameLogEntry(version=0, seq=0, at=0, event=event), None, game_id="", open_hands=True)
    decided = {name: value for name, value in seen.items() if name not in _ENVELOPE}
    true = msgspec.json.decode(msgspec.json.encode(decided))
    for name, value in true.items():
        if one.told.get(name) != value:
            yield Fault(place=one.place, message=f"By the rules {name} is {json.dumps(value)}.")
