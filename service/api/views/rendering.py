"""The JSON of games and events, as their viewer may see them.

The rules decide what is visible, by `view_for` and `redact`; this module only names
the members. Dataclasses whose members have the API's names, such as results of deals
and laid cards, are encoded unchanged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Final

from msgspec import Raw

from service.api.responses import encode
from service.api.schemas.events import GivenTurnViewSchema
from service.api.views.permissions import permitted_operations
from service.games.display_names import display_names
from service.games.record import (
    LOGGED_TYPES,
    TIMED_EVENTS,
    GameLogEntry,
    GameRecord,
    Seat,
    SpectatorAccess,
)
from service.games.table_moves import MovePreview
from service.rummy.events import EVENT_TYPES, GameStarted, MeldLaid, PositionGiven
from service.rummy.presets import overrides_of
from service.rummy.state import Meld
from service.rummy.variants import Variant
from service.rummy.views import SeatView, View, redact, view_for
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

_NO_PLAYERS: Final[Mapping[str, bool]] = {}
#: A seat before the first deal.
_UNDEALT: Final = SeatView(hand_count=0, known_cards=(), table_points=0, total=0)

_MEMBERS: Final = {
    name: tuple(member.name for member in fields(event)) for name, event in LOGGED_TYPES.items()
}


def game_view(
    record: GameRecord,
    viewer: int | None,
    *,
    now: int,
    online: Mapping[str, bool] = _NO_PLAYERS,
    player_id: str | None = None,
) -> Json:
    """Return the game as the seat may see it; a viewer of None is a spectator.

    `online` says by id which players are connected. `player_id` is the viewer's, also without a seat.
    """
    view = None if record.game is None else view_for(record.game, viewer)
    cards: Json = _before_the_deal() if view is None else _visible_cards(view)
    return {
        **_settings(record, variant=variant_view(record.variant, len(record.seats))),
        "seats": [
            {
                **place,
                **_seat_cards(view.seats[number] if view else _UNDEALT),
                "presence": presence_of(record.seats[number], online),
                "expiries": record.seats[number].expiries,
            }
            for number, place in enumerate(_places(record))
        ],
        **cards,
        "turn": _turn(record, view),
        "viewer": {
            "role": "spectator" if viewer is None else "player",
            "seat": viewer,
            "may": permitted_operations(record, viewer, now=now, player_id=player_id),
        },
        "auto_pass": None if viewer is None else record.seats[viewer].auto_pass,
        "teams": _teams(record.variant, view),
        "reason": record.reason if view is None else record.reason or view.reason,
        "seats_held": "creator" if record.seats_held else None,
        "computer_pace_ms": record.computer_pace_ms,
        "thinking_ms": record.thinking_ms,
        "clock": record.clock,
        "rematch_id": record.rematch_id,
        "invite_code": None if viewer is None else record.invite_code,
        "spectator_code": (
            None if viewer is None or record.spectators is SpectatorAccess.NONE else record.spectator_code
        ),
        "server_time": rfc3339(now),
    }


def preview_members(before: GameRecord, preview: MovePreview | None, seat: int) -> Json:
    """Return what a dry run says of a move beside the game; each member is None without a preview."""
    if preview is None or before.game is None or preview.record.game is None:
        return {"points": None, "must_use": None, "stopped_before": None, "stop_reason": None}
    view = view_for(preview.record.game, seat)
    laid = view.seats[seat].table_points
    return {
        "points": {
            "laid": laid - view_for(before.game, seat).seats[seat].table_points,
            "table": laid,
            "hand": view.hand_points,
        },
        "must_use": preview.record.game.deal.turn.must_use,
        "stopped_before": preview.stopped_before,
        "stop_reason": preview.reason,
    }


def event_view(logged: GameLogEntry, viewer: int | None, *, game_id: str, open_hands: bool = False) -> Json:
    """Return an event of the log as the seat may see it.

    `open_hands` shows hidden cards too. Use it only for events of a deal that is over.
    """
    event = logged.event
    if event.type in EVENT_TYPES and not open_hands:
        event = redact(event, viewer)  # type: ignore[arg-type] # EVENT_TYPES is what `redact` takes
    members: Json = {name: getattr(event, name) for name in _MEMBERS[event.type]}
    match event:
        case GameStarted(variant=variant, seats=seats):
            members["variant"] = variant_view(variant, seats)
        case MeldLaid(meld=meld):
            members["meld"] = _meld(meld)
        case PositionGiven(melds=melds, turn=turn):
            members["melds"] = [_meld(meld) for meld in melds]
            members["turn"] = {name: getattr(turn, name) for name in _GIVEN_TURN}
        case _:
            pass
    if isinstance(event, TIMED_EVENTS):
        members["deadline_at"] = logged.deadline_at and rfc3339(logged.deadline_at)
    return {
        "type": event.type,
        "id": f"{logged.version}-{logged.seq}",
        "game_id": game_id,
        "version": logged.version,
        "seq": logged.seq,
        "at": rfc3339(logged.at),
        **members,
    }


#: The members of a given position's turn that are shown.
_GIVEN_TURN: Final = tuple(GivenTurnViewSchema().fields)


def event_views(log: Iterable[GameLogEntry], viewer: int | None, *, game_id: str) -> list[Json]:
    """Return events of the log as the seat may see them, without those of a newer release."""
    return [event_view(logged, viewer, game_id=game_id) for logged in log if logged.is_known]


@lru_cache(maxsize=256)
def variant_view(variant: Variant, seats: int) -> Raw:
    """Return the rules of a game: its preset, overrides, and all options with their values.

    The result is encoded and cached, because it is part of every view and never changes in a game.
    """
    overrides = overrides_of(variant, seats=seats)
    return Raw(encode({"preset": variant.name, "overrides": overrides, "options": variant.options()}))


@lru_cache(maxsize=256)
def _preset_view(variant: Variant, seats: int) -> Raw:
    """Return the overrides of a game, encoded; without the options the rules are short."""
    return Raw(encode(overrides_of(variant, seats=seats)))


def summary(record: GameRecord, viewer: int | None, *, may_watch: bool, brief: bool = False) -> Json:
    """Return the game as lists show it; callers who may not watch it do not see how it stands.

    A brief summary does not have all the options of the rules.
    """
    seats = len(record.seats)
    rules: Json = (
        {"preset": record.variant.name, "overrides": _preset_view(record.variant, seats)}
        if brief
        else {"variant": variant_view(record.variant, seats)}
    )
    settings = _settings(record, **rules)
    return {**settings, "seats": _places(record), **_standing(record, viewer, may_watch)}


def _standing(record: GameRecord, viewer: int | None, may_watch: bool) -> Json:  # noqa: FBT001 - as `summary`
    game = record.game if may_watch else None
    may_act = record.may_act() if may_watch else ()
    return {
        "my_seat": viewer,
        "my_turn": viewer in may_act,
        "may_act": may_act,
        "deadline_at": rfc3339(record.deadline_at) if may_act and record.deadline_at else None,
        "deal": game and game.deal.number,
        "totals": game and game.totals,
        "winners": game and game.winners,
        "reason": record.reason or (game and game.reason) if may_watch else None,
    }


def _settings(record: GameRecord, **rules: object) -> Json:
    """Return what every caller sees of a game that they know of; its seats are filled in."""
    return {
        "id": record.id,
        "version": record.version,
        "status": record.status,
        **rules,
        "seats": (),
        "visibility": record.visibility,
        "spectators": record.spectators,
        "spectator_delay_ms": record.spectator_delay_ms,
        "rated": record.rated,
        "sandbox": record.sandbox,
        "created_at": rfc3339(record.created_at),
        "updated_at": rfc3339(record.updated_at),
        "expires_at": record.expires_at and rfc3339(record.expires_at),
    }


def _visible_cards(view: View) -> Json:
    return {
        "phase": view.phase,
        "deal": view.deal,
        "dealer": view.dealer,
        "you": None if view.hand is None else {"hand": view.hand, "hand_points": view.hand_points},
        "stock_count": view.stock_count,
        "discard_pile": view.discard_pile,
        "melds": [
            {**_meld(meld), "points": points}
            for meld, points in zip(view.melds, view.meld_points, strict=True)
        ],
        "quiet_turns_left": view.quiet_turn_limit - view.quiet_turns,
        "winners": view.winners,
        "deals": view.deals,
    }


def _before_the_deal() -> Json:
    return {
        "phase": None,
        "deal": None,
        "dealer": None,
        "you": None,
        "stock_count": None,
        "discard_pile": (),
        "melds": (),
        "quiet_turns_left": None,
        "winners": None,
        "deals": (),
    }


def _places(record: GameRecord) -> list[Json]:
    names = display_names(tuple(seat.name for seat in record.seats))
    return [_place(number, seat, names[number], record.variant) for number, seat in enumerate(record.seats)]


def _place(number: int, seat: Seat, display_name: str | None, variant: Variant) -> Json:
    return {
        "seat": number,
        "player": {"id": seat.player_id, "name": seat.name} if seat.has_player else None,
        "display_name": display_name,
        "kind": seat.kind,
        "level": seat.level,
        "kept_for": {"id": seat.kept_for, "name": seat.name} if seat.is_free and seat.kept_for else None,
        "kept_until": rfc3339(seat.kept_until) if seat.is_free and seat.kept_until else None,
        "team": variant.side(number) if variant.teams == "pairs" else None,
    }


def _seat_cards(view: SeatView) -> Json:
    return {
        "hand_count": view.hand_count,
        "known_cards": view.known_cards,
        "table_points": view.table_points,
        "total": view.total,
    }


def presence_of(seat: Seat, online: Mapping[str, bool]) -> str | None:
    """Return the presence of the seat's player; None for computers, free seats and former players."""
    if seat.player_id is None or seat.is_former:
        return None
    return "online" if online.get(seat.player_id, False) else "offline"


def _turn(record: GameRecord, view: View | None) -> Json | None:
    """Return who may act, in a turn, a call window, or between deals, when no seat has the turn."""
    if view is None or not record.status.is_running:
        return None
    turn = view.turn
    return {
        "seat": turn and turn.seat,
        "may_act": record.may_act(),
        "must_use": turn and turn.must_use,
        "may_not_discard": turn and turn.may_not_discard,
        "deadline_at": record.deadline_at and rfc3339(record.deadline_at),
        "phase_version": record.phase_version,
    }


def _teams(variant: Variant, view: View | None) -> list[Json] | None:
    if variant.teams != "pairs":
        return None
    totals: tuple[int, ...] = view.totals if view else (0, 0)
    return [{"seats": (side, side + 2), "total": total} for side, total in enumerate(totals)]


def _meld(meld: Meld) -> Json:
    return {"id": meld.id, "owner": meld.owner, "kind": meld.kind, "cards": meld.cards}
