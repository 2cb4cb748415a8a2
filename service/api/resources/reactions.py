"""Reactions: short greetings between the players of a table."""

from flask import Response

from service.api.auth import PLAY, Caller, decode_account
from service.api.idempotency import idempotent_in_game
from service.api.parameters import IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import no_content
from service.api.schemas.reactions import NewReactionSchema
from service.api.services import Services
from service.api.views.visibility import seat_of
from service.games.keeping_apart import blocks_between
from service.games.reactions import Reaction, encode_reaction
from service.games.record import GameRecord
from service.runtime.json_object import Json

reactions = Resource("reactions", __name__, url_prefix="/v1", description="Greetings between players.")


@reactions.operation(
    f"POST {GAME}/reactions",
    "sendReaction",
    scope=PLAY,
    body=NewReactionSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(status=204, schema=None, description="The reaction is on its way."),
    errors=("not_found", "not_seated", "reactions_off"),
)
def send_reaction(
    body: Json, *, services: Services, caller: Caller, game_id: str, idempotency_key: str | None
) -> Response:
    """Send a reaction.

    From your seat to the others, before, during and after a game. getMeta lists the keys. Open streams of
    the game deliver it as `reaction.sent`, to players alone. It is in no log and changes no version; a player
    without an open stream misses it. Players who turned `reactions` off (updateMe) neither get nor send them.
    """
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        _send(services, caller, services.table.get(game_id), body["key"])
        return idempotency.remember(no_content())


def _send(services: Services, caller: Caller, record: GameRecord, key: str) -> None:
    seat = seat_of(record, caller, None)
    if not caller.account.reactions:
        raise Problem("reactions_off", "You turned reactions off: turn them on with updateMe to send one.")
    recipients = _recipients(services, record, caller.id)
    reaction = Reaction(seat=seat, key=key, at=services.now(), recipients=recipients)
    services.store.send_message(record.id, encode_reaction(reaction))


def _recipients(services: Services, record: GameRecord, sender: str) -> tuple[str, ...]:
    """Return the players at the table who want reactions of the sender.

    The sender is among them, as they may have two devices; players with a block between them are not.
    """
    seated = {seat.player_id for seat in record.seats if seat.player_id is not None}
    players = list(seated - blocks_between(services.store, sender, seated).apart)
    accounts = services.store.players(players)
    return tuple(
        player_id
        for player_id, stored in zip(players, accounts, strict=True)
        if stored is not None and decode_account(stored).reactions
    )
