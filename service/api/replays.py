"""A game to be looked at again, and the proof that nobody touched the cards."""

from flask import Response

from service.api.answers import answer
from service.api.auth import READ, Caller
from service.api.games import GAME, PRIVATE
from service.api.parameters import AS_SEAT, INVITE_CODE
from service.api.parts import parts
from service.api.problems import Problem
from service.api.rendering import event_view, summary
from service.api.resource import Gives, Resource
from service.api.schemas.base import Json
from service.api.schemas.replays import DealProofSchema, ReplaySchema
from service.api.seeing import Seen, look
from service.record import GameRecord, Status
from service.rummy.cards import full_pack
from service.rummy.dealing import commitment, deal_seed
from service.rummy.events import DealStarted, PositionGiven

replays = Resource(
    "replays", __name__, url_prefix="/v1", description="Games looked at again, and proofs of their deals."
)


@replays.operation(
    f"GET {GAME}/replay",
    "getReplay",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE),
    gives=Gives(schema=ReplaySchema, description="The game, deal by deal."),
    refuses=("not_found", "not_seated"),
)
def get_replay(*, caller: Caller, game_id: str, as_seat: int | None, invite_code: str | None) -> Response:
    """Look at a game again.

    Deals that are over with all hands and the stock open; the running deal as you may see it.
    """
    return answer(_replay(look(game_id, caller, as_seat=as_seat, invite_code=invite_code)), headers=PRIVATE)


@replays.operation(
    f"GET {GAME}/deals/<int(min=1,max=9999):number>/proof",
    "getDealProof",
    scope=READ,
    parameters=(INVITE_CODE,),
    gives=Gives(schema=DealProofSchema, description="The commitment, and the seed once the deal is over."),
    refuses=("not_found", "not_seated"),
)
def get_deal_proof(*, caller: Caller, game_id: str, number: int, invite_code: str | None) -> Response:
    """Check a deal.

    The commitment was shown when the cards were dealt; the seed that it is the hash of follows when the deal
    is over. Anyone can shuffle `pack` with it by RULES 11 and compare.
    """
    record = look(game_id, caller, invite_code=invite_code).record
    return answer(_proof(record, number), headers=PRIVATE)


def _is_over(record: GameRecord, deal: int) -> bool:
    """Tell whether nothing of a deal is secret any more: it was scored, or the game has ended in it."""
    if record.game is None or record.status in {Status.FINISHED, Status.ABORTED}:
        return True
    return deal in {result.deal for result in record.game.deals}


def _replay(seen: Seen) -> Json:
    record = seen.record
    before: list[Json] = []
    deals: list[Json] = []
    for logged in parts().table.whole_log(record):
        event = logged.event
        if isinstance(event, DealStarted | PositionGiven):
            deals.append({"deal": event.deal, "over": _is_over(record, event.deal), "events": []})
        deal = deals[-1] if deals else None
        told = event_view(
            logged, seen.viewer, game_id=record.id, open_hands=deal is not None and deal["over"]
        )
        (before if deal is None else deal["events"]).append(told)
    return {"game": summary(record), "before": before, "deals": deals}


def _proof(record: GameRecord, number: int) -> Json:
    game = record.game
    if game is None or number > game.deal.number:
        raise Problem("not_found", "This deal has not been dealt.")
    seed = deal_seed(record.key, number)
    variant = record.variant
    return {
        "deal": number,
        "commitment": commitment(seed),
        "seed": seed.hex() if _is_over(record, number) else None,
        "seats": game.seats,
        "dealer": (game.deal.dealer - (game.deal.number - number)) % game.seats,
        "hand_size": variant.hand_size,
        "pack": full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack),
    }
