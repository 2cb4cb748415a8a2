"""Replays, and proofs that deals were fair."""

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
from service.api.schemas.game_lists import GameSummarySchema


class ReplayedDealSchema(ResponseSchema):
    """One deal of a replay."""

    deal = Integer("Number of the deal, from 1.", minimum=1)
    over = Boolean("Whether the deal is over; then all hands and the stock are shown.")
    seed = String("The seed of the shuffles, in hex; null until the deal is over.", allow_none=True)
    events = List(event(), "The events of the deal, oldest first.")


class ReplaySchema(ResponseSchema):
    """A game from its first event."""

    game = Nested(GameSummarySchema, "The game.")
    before = List(event(), "The events before the first deal.")
    deals = List(Nested(ReplayedDealSchema, "A deal."), "The deals, in order.")


class DealProofSchema(ResponseSchema):
    """The data to verify that a deal was fixed before its first move."""

    deal = Integer("Number of the deal, from 1.", minimum=1)
    commitment = String("SHA-256 of the seed, in hex, as published when the cards were dealt.")
    seed = String("The seed in hex; null until the deal is over.", allow_none=True)
    seats = Integer("Number of hands dealt.")
    dealer = SeatNumber("The seat that dealt.")
    hand_size = Integer("Number of cards dealt to each hand.")
    position_given = Boolean(
        "Whether a sandbox game started from a given position here, so that no cards were dealt."
    )
    pack = List(CardCode(), "All cards in their order before the shuffle.")
