"""The log of a game: what happened, event by event, as the viewer may know it."""

from flask import Response

from service.api.auth import READ, Caller
from service.api.parameters import AFTER_EVENT, AS_SEAT, INVITE_CODE, LIMIT
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import PRIVATE, json_response
from service.api.schemas.events import EventsSchema
from service.api.services import Services
from service.api.views.rendering import event_views
from service.api.views.visibility import visible_game

events = Resource("events", __name__, url_prefix="/v1", description="What happened, event by event.")


@events.operation(
    f"GET {GAME}/events",
    "listEvents",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE, AFTER_EVENT, LIMIT),
    response=ResponseSpec(schema=EventsSchema, description="A part of the log, oldest first."),
    errors=("not_found", "not_seated"),
)
def list_events(  # noqa: PLR0913 - what may be said with it
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    after: tuple[int, int] | None,
    limit: int,
) -> Response:
    """List what happened.

    The log behind the event named by `after`, or from the beginning. Ask again with the last event's id:
    nothing is skipped and nothing repeated. What you may not know is null.
    """
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    logged = services.table.events(game_id, after=after, limit=limit)
    shown = [entry for entry in logged if entry.version <= seen.record.version]
    told = event_views(shown, seen.viewer, game_id=game_id)
    next_after = f"{shown[-1].version}-{shown[-1].seq}" if len(shown) == limit else None
    return json_response({"events": told, "next_after": next_after}, headers=PRIVATE)
