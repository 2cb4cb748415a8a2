"""A game to be looked at again, and the proof of a deal."""

from service.api.schemas.base import (
    Boolean,
    CardCode,
    Integer,
    List,
    Nested,
    ResponseSchema,
    SeatNumber,
    String,
)
from service.api.schemas.events import event
from service.api.schemas.games import GameSummarySchema


class ReplayedDealSchema(ResponseSchema):
    """One deal of a replay."""

    deal = Integer("Its number, from 1.", minimum=1)
    over = Boolean("Whether it is over: then all hands and the stock are open.")
    seed = String("The seed of its shuffles in hex; null until the deal is over.", allow_none=True)
    events = List(event(), "What happened in it, oldest first.")


class ReplaySchema(ResponseSchema):
    """A game from its first event on."""

    game = Nested(GameSummarySchema, "The game.")
    before = List(event(), "What happened before the first deal.")
    deals = List(Nested(ReplayedDealSchema, "A deal."), "The deals, in order.")


class DealProofSchema(ResponseSchema):
    """What shows that a deal was settled before the first card was played."""

    deal = Integer("Its number, from 1.", minimum=1)
    commitment = String("SHA-256 of the seed, in hex, as shown when the cards were dealt.")
    seed = String("The seed in hex; null until the deal is over.", allow_none=True)
    seats = Integer("How many hands were dealt.")
    dealer = SeatNumber("The seat that dealt.")
    hand_size = Integer("How many cards each hand had.")
    position_given = Boolean("Whether a sandbox began here in a given position, and nothing was dealt.")
    pack = List(CardCode(), "The cards in the order they had before the shuffle.")
