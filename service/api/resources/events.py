"""The event log of a game, as its viewer may see it."""

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

events = Resource("events", __name__, url_prefix="/v1", description="The event log of a game.")


@events.operation(
    f"GET {GAME}/events",
    "listEvents",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE, AFTER_EVENT, LIMIT),
    response=ResponseSpec(schema=EventsSchema, description="A page of the log, oldest first."),
    errors=("not_found", "not_seated"),
)
def list_events(  # noqa: PLR0913 - an argument for each parameter
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    after: tuple[int, int] | None,
    limit: int,
) -> Response:
    """List the events of a game.

    The log after the event given by `after`, or from the beginning. Continue with the id of the last
    event: nothing is skipped or repeated. Values that you may not know are null.
    """
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    logged = services.table.events(game_id, after=after, limit=limit)
    shown = [entry for entry in logged if entry.version <= seen.record.version]
    views = event_views(shown, seen.viewer, game_id=game_id)
    next_after = f"{shown[-1].version}-{shown[-1].seq}" if len(shown) == limit else None
    return json_response({"events": views, "next_after": next_after}, headers=PRIVATE)
