"""Replays of games, and proofs that their deals are fair."""

from collections.abc import Iterable
from typing import Final

from flask import Response

from service.api.auth import READ, Caller
from service.api.parameters import AS_SEAT, INVITE_CODE
from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import PRIVATE, json_response
from service.api.schemas.replays import DealProofSchema, ReplaySchema
from service.api.services import Services
from service.api.views.rendering import event_view, summary
from service.api.views.visibility import visible_game
from service.games.record import GameLogEntry, GameRecord
from service.games.table import Table
from service.notation.from_record import is_over, replay_from_record, revealed_seed
from service.notation.writing import format_replay
from service.rummy.cards import full_pack
from service.rummy.dealing import commitment, deal_seed
from service.rummy.events import DealStarted, PositionGiven
from service.runtime.json_object import Json

replays = Resource(
    "replays", __name__, url_prefix="/v1", description="Replays of games, and proofs of their deals."
)

TEXT: Final = "text/plain; charset=utf-8"


@replays.operation(
    f"GET {GAME}/replay",
    "getReplay",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE),
    response=ResponseSpec(schema=ReplaySchema, description="The game, deal by deal."),
    errors=("not_found", "not_seated"),
)
def get_replay(
    *, services: Services, caller: Caller, game_id: str, as_seat: int | None, invite_code: str | None
) -> Response:
    """Get the replay of a game.

    Finished deals with all hands, the stock and the seed; the running deal as you may see it.
    """
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    return json_response(
        replay_view(seen.record, services.table.whole_log(seen.record), seen.viewer),
        headers=PRIVATE,
    )


@replays.operation(
    f"GET {GAME}/replay.txt",
    "getReplayText",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE),
    response=ResponseSpec(
        schema={"type": "string"},
        description="The game in notation, a line per turn.",
        media_type="text/plain",
    ),
    errors=("not_found", "not_seated"),
)
def get_replay_text(
    *, services: Services, caller: Caller, game_id: str, as_seat: int | None, invite_code: str | None
) -> Response:
    """Get the replay of a game as text.

    As getReplay, in a notation for people and programs: `/docs/notation` describes it, and `rummy500
    replay FILE` replays it and reports mistakes.
    """
    seen = visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code)
    text = format_replay(replay_from_record(seen.record, services.table.whole_log(seen.record), seen.viewer))
    return Response(text, content_type=TEXT, headers=PRIVATE)


@replays.operation(
    f"GET {GAME}/deals/<int(min=1,max=9999):number>/proof",
    "getDealProof",
    scope=READ,
    parameters=(INVITE_CODE,),
    response=ResponseSpec(
        schema=DealProofSchema, description="The commitment, and the seed once the deal is over."
    ),
    errors=("not_found", "not_seated"),
)
def get_deal_proof(
    *, services: Services, caller: Caller, game_id: str, number: int, invite_code: str | None
) -> Response:
    """Get the proof of a deal.

    The commitment was published when the cards were dealt. The seed, whose hash it is, follows when the
    deal is over. Anyone can shuffle `pack` with the seed and compare: `/docs/proof` describes how,
    `rummy500 verify-deal` does it. If a sandbox deal started from a given position (`position_given`),
    nothing was dealt from the seed.
    """
    record = visible_game(services, game_id, caller, invite_code=invite_code).record
    return json_response(_proof(services.table, record, number), headers=PRIVATE)


def replay_view(record: GameRecord, log: Iterable[GameLogEntry], viewer: int | None) -> Json:
    """Return the game deal by deal, as the viewer may know it."""
    before: list[Json] = []
    deals: list[Json] = []
    for logged in log:
        event = logged.event
        if isinstance(event, DealStarted | PositionGiven):
            seed = revealed_seed(record, event.deal)
            shown = {"over": seed is not None, "seed": seed and seed.hex()}
            deals.append({"deal": event.deal, **shown, "events": []})
        if not logged.is_known:
            continue
        deal = deals[-1] if deals else None
        event_seen = event_view(
            logged, viewer, game_id=record.id, open_hands=deal is not None and deal["over"]
        )
        (before if deal is None else deal["events"]).append(event_seen)
    return {"game": summary(record, viewer, may_watch=True), "before": before, "deals": deals}


def _proof(table: Table, record: GameRecord, number: int) -> Json:
    game = record.game
    if game is None or number > game.deal.number:
        raise Problem("not_found", "This deal has not been dealt.")
    seed = deal_seed(record.key, number)
    variant = record.variant
    return {
        "deal": number,
        "commitment": commitment(seed),
        "seed": seed.hex() if is_over(record, number) else None,
        "seats": game.seats,
        "dealer": (game.deal.dealer - (game.deal.number - number)) % game.seats,
        "hand_size": variant.hand_size,
        "position_given": record.sandbox and number == _given_deal(table, record),
        "pack": full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack),
    }


def _given_deal(table: Table, record: GameRecord) -> int | None:
    """Return the number of the deal that started from a given position; None if all were dealt."""
    events = (logged.event for logged in table.whole_log(record))
    return next((event.deal for event in events if isinstance(event, PositionGiven)), None)
