"""A game to be looked at again, and the proof of a deal."""

from service.api.schemas.base import CardCode, Flag, Many, Part, ResponseSchema, SeatNumber, Text, Whole
from service.api.schemas.events import event
from service.api.schemas.games import GameSummarySchema


class ReplayedDealSchema(ResponseSchema):
    """One deal of a replay."""

    deal = Whole("Its number, from 1.", least=1)
    over = Flag("Whether it is over: then all hands and the stock are open.")
    seed = Text("The seed of its shuffles in hex; null until the deal is over.", allow_none=True)
    events = Many(event(), "What happened in it, oldest first.")


class ReplaySchema(ResponseSchema):
    """A game from its first event on."""

    game = Part(GameSummarySchema, "The game.")
    before = Many(event(), "What happened before the first deal.")
    deals = Many(Part(ReplayedDealSchema, "A deal."), "The deals, in order.")


class DealProofSchema(ResponseSchema):
    """What shows that a deal was settled before the first card was played."""

    deal = Whole("Its number, from 1.", least=1)
    commitment = Text("SHA-256 of the seed, in hex, as shown when the cards were dealt.")
    seed = Text("The seed in hex; null until the deal is over.", allow_none=True)
    seats = Whole("How many hands were dealt.")
    dealer = SeatNumber("The seat that dealt.")
    hand_size = Whole("How many cards each hand had.")
    position_given = Flag("Whether a sandbox began here in a given position, and nothing was dealt.")
    pack = Many(CardCode(), "The cards in the order they had before the shuffle.")
