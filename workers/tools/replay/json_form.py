"""The JSON form of a replay, an answer of getReplay: parsed strictly, and compared member by member.

Its events are converted to lines of the notation and verified as those are. What the lines leave out, such as
the size of the stock, is then compared with the events that the rules derive from the moves.
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
from workers.tools.replay.sources import describe

#: Members of every event that no rule determines.
#: What the rules do not decide: when it was, and until when.
_ENVELOPE: Final = ("id", "game_id", "version", "seq", "at", "deadline_at")
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
    """The JSON is not a replay; the message is a sentence that names the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An event as the replay contains it, and as the rules know it."""

    place: str
    sent: Json
    event: LoggedEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReplay:
    """A replay from JSON: as lines for verification, and its events by deal."""

    replay: Replay
    deals: tuple[tuple[Recorded, ...], ...]
    faults: tuple[Fault, ...]


class _Rules(msgspec.Struct):
    """The variant of a game."""

    preset: str
    options: Json


class _Summary(msgspec.Struct):
    """The members of the game that a replay needs."""

    id: str
    status: Status
    variant: _Rules
    seats: list[Json]
    rated: bool
    sandbox: bool
    created_at: datetime


class _Deal(msgspec.Struct):
    """A deal of the replay; older services sent no seed."""

    deal: int
    over: bool
    events: list[Json]
    seed: str | None = None


class _Document(msgspec.Struct):
    """An answer of getReplay."""

    game: _Summary
    before: list[Json]
    deals: list[_Deal]


def parse_json_replay(text: str) -> JsonReplay:
    """Return the replay; raises Unreadable if a member is missing or invalid."""
    try:
        sent = msgspec.json.decode(text, type=_Document)
    except msgspec.ValidationError as error:
        raise Unreadable(f"Not a getReplay response: {describe(error)}.") from None
    except msgspec.DecodeError as error:
        raise Unreadable(f"Not valid JSON: {error}.") from None
    return _read(sent)


def _read(sent: _Document) -> JsonReplay:
    game, faults = sent.game, []
    try:
        variant = msgspec.convert({"name": game.variant.preset, **game.variant.options}, Variant)
        seeds = {deal.deal: None if deal.seed is None else bytes.fromhex(deal.seed) for deal in sent.deals}
    except (msgspec.ValidationError, ValueError) as error:
        raise Unreadable(f"Not a getReplay response: {error}.") from None
    builder = ReplayBuilder(variant, len(game.seats), seeds.get)
    parts = [list(_recorded(sent.before)), *(list(_recorded(deal.events)) for deal in sent.deals)]
    for one in (one for part in parts for one in part):
        builder.add(one.event, one.place)
        if isinstance(one.event, GameStarted) and (one.event.variant, one.event.seats) != (
            variant,
            len(game.seats),
        ):
            faults.append(
                Fault(place=one.place, message="The game started with rules other than its `variant`.")
            )
    replay = builder.build(
        game_id=game.id,
        begun_at=int(game.created_at.timestamp() * 1000),
        rated=game.rated,
        sandbox=game.sandbox,
        viewer=None,
    )
    faults += _log_faults(sent, replay)
    return JsonReplay(replay=replay, deals=tuple(map(tuple, parts[1:])), faults=tuple(faults))


def _recorded(events: list[Json]) -> Iterator[Recorded]:
    """Yield the events of known types; a newer service may send others, which the rules ignore."""
    for sent in events:
        kind = LOGGED_TYPES.get(str(sent.get("type")))
        if kind is None:
            continue
        place = f"event {sent.get('id')}"
        try:
            _check_cards(sent)
            event = msgspec.convert(_completed(sent), kind)
        except (msgspec.ValidationError, ValueError) as error:
            raise Unreadable(f"{place} is not a valid event: {error}.") from None
        yield Recorded(place=place, sent=sent, event=event)


def _completed(sent: Json) -> Json:
    """Return an event with the members that the API leaves out because they follow from the rest."""
    if "meld" in sent:
        return {**sent, "meld": _meld(sent["meld"])}
    if "melds" in sent:
        return {**sent, "melds": [_meld(meld) for meld in sent["melds"]]}
    if "variant" in sent:
        rules = msgspec.convert(sent["variant"], _Rules)
        return {**sent, "variant": {"name": rules.preset, **rules.options}}
    return sent


def _meld(sent: Json) -> Json:
    return {**sent, "laid_at_once": len(sent.get("cards", ()))}


def _check_cards(sent: object, *, are_cards: bool = False) -> None:
    """Raise ValueError for an invalid card."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            _check_cards(value, are_cards=name in _CARDS)
    elif isinstance(sent, list):
        for value in sent:
            _check_cards(value, are_cards=are_cards)
    elif isinstance(sent, str) and are_cards:
        card(sent)


def _log_faults(sent: _Document, replay: Replay) -> Iterator[Fault]:
    """Yield faults outside the deals: in the order of the log, its ids, the seeds and the status."""
    last = (0, 0)
    events = [*sent.before, *(event for deal in sent.deals for event in deal.events)]
    for event in events:
        at = (event.get("version", 0), event.get("seq", 0))
        place = f"event {event.get('id')}"
        if at <= last and event is not events[0]:
            yield Fault(place=place, message="The event is out of order.")
        if event.get("game_id") != sent.game.id or event.get("id") != f"{at[0]}-{at[1]}":
            yield Fault(place=place, message="The event's id or game is wrong.")
        last = at
    if replay.result.ending not in _ENDINGS[sent.game.status]:
        yield Fault(place="game", message=f"The log does not end with the status {sent.game.status}.")
    for number, deal in enumerate(sent.deals):
        if deal.over != (deal.seed is not None):
            yield Fault(place=f"deals.{number}", message="A deal must have a seed if and only if it is over.")


def member_faults(read: JsonReplay, verification: Verification) -> Iterator[Fault]:
    """Yield the members of events that differ from those that the rules derive."""
    for recorded, verified in zip(read.deals, verification.deals, strict=True):
        if not verified.is_proven:
            continue
        sent = [one for one in recorded if one.event.type in EVENT_TYPES]
        if sent and isinstance(sent[-1].event, GameEnded):
            # Compared as the game's result, because a resignation is no event of the rules.
            sent.pop()
        made = [
            event
            for event in verified.events
            if event.type in EVENT_TYPES and not isinstance(event, GameEnded)
        ]
        if isinstance(recorded[0].event, PositionGiven):
            # The rules derive a game from a position, and no event to compare with.
            sent, made = sent[1:], made[1:]
        for one, event in zip(sent, made, strict=False):
            yield from _members(one, event)
        if len(sent) != len(made):
            yield Fault(place=recorded[-1].place, message=f"By the rules the deal has {len(made)} events.")


def _members(one: Recorded, event: LoggedEvent) -> Iterator[Fault]:
    seen = event_view(GameLogEntry(version=0, seq=0, at=0, event=event), None, game_id="", open_hands=True)
    decided = {name: value for name, value in seen.items() if name not in _ENVELOPE}
    true = msgspec.json.decode(msgspec.json.encode(decided))
    for name, value in true.items():
        if one.sent.get(name) != value:
            yield Fault(place=one.place, message=f"By the rules {name} is {json.dumps(value)}.")
