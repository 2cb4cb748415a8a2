"""What happened in a game, as its viewer may know it. A secret is null, never left out."""

from typing import Final, cast

from service.api.schemas.base import (
    Boolean,
    CardCode,
    Const,
    Enum,
    Integer,
    List,
    Nested,
    OneOfSchema,
    Points,
    ResponseSchema,
    RunEnd,
    SeatNumber,
    String,
    TaggedUnion,
    Time,
)
from service.api.schemas.games import (
    PHASES,
    SEAT_KINDS,
    DealResultSchema,
    GameViewSchema,
    MeldSchema,
    game_end_reason,
)
from service.api.schemas.meta import level_name
from service.api.schemas.moves import DryRunSchema
from service.api.schemas.variants import VariantSchema


class EventSchema(ResponseSchema):
    """What all events have."""

    id = String("`<version>-<seq>`: the cursor for what comes after it.", metadata={"example": "17-2"})
    game_id = String("The game it happened in.")
    version = Integer("The version that the change it belongs to made.")
    seq = Integer("Its place in that change, from 0.")
    at = Time("When it happened.")


class DealerDrawSchema(ResponseSchema):
    """A card drawn for the first deal."""

    seat = SeatNumber("Who drew it.")
    card = CardCode()
    again = Integer("How many draws among the tied came before it.")


class SeatJoinedSchema(EventSchema):
    """Somebody sat down."""

    type = Const("seat.joined")
    seat = SeatNumber("The seat.")
    name = String("The player's name.")
    kind = Enum("SeatKind", SEAT_KINDS, "Who decides its moves.")
    player_id = String("The player's id; null for a computer.", allow_none=True)


class SeatLeftSchema(EventSchema):
    """Somebody got up before the game began."""

    type = Const("seat.left")
    seat = SeatNumber("The seat that is free again.")


class SeatReplacedSchema(EventSchema):
    """A computer sits here now, or plays on for somebody who resigned."""

    type = Const("seat.replaced")
    seat = SeatNumber("The seat.")
    level = level_name("How it plays.")


class SeatReadySchema(EventSchema):
    """A player is ready for the next deal."""

    type = Const("seat.ready")
    seat = SeatNumber("The seat.")


class ClockExpiredSchema(EventSchema):
    """A seat let its time run out; the least lawful turn was played for it."""

    type = Const("clock.expired")
    seat = SeatNumber("The seat.")


class GameAbortedSchema(EventSchema):
    """The game was given up without a result."""

    type = Const("game.aborted")
    reason = String("Why, as a sentence for people.")


class InvitesRenewedSchema(EventSchema):
    """The codes that opened the table open it no more; those who sit there find new ones in its view."""

    type = Const("invites.renewed")


class RematchOfferedSchema(EventSchema):
    """A player wants to play again; rematchGame or joinGame sits you down."""

    type = Const("rematch.offered")
    seat = SeatNumber("The seat of the one who asks.")
    rematch_id = String("The new game.")


class GameStartedSchema(EventSchema):
    """The game began."""

    type = Const("game.started")
    variant = Nested(VariantSchema, "The rules it is played by.")
    seats = Integer("How many play.")
    dealer = SeatNumber("Who deals first.")
    dealer_draws = List(Nested(DealerDrawSchema, "A card."), "The cards drawn for it, if any.")


class DealStartedSchema(EventSchema):
    """Cards were dealt."""

    type = Const("deal.started")
    deal = Integer("The number of the deal.", minimum=1)
    dealer = SeatNumber("Who dealt.")
    hands = List(List(CardCode(), "A hand.", allow_none=True), "The hands by seat; null for those not yours.")
    upcard = CardCode("The first card of the discard pile.")
    stock = List(
        CardCode(), "The stock, first card drawn first; null until the deal is over.", allow_none=True
    )
    stock_count = Integer("How many cards the stock holds.")
    commitment = String("SHA-256 of the deal's seed, which getDealProof shows once the deal is over.")


class GivenTurnViewSchema(ResponseSchema):
    """The turn that a given position begins with."""

    seat = SeatNumber("Whose turn it is.")
    phase = Enum("Phase", PHASES, "What it waits for.")
    must_use = CardCode("The card that must be tabled this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be thrown back this turn.", allow_none=True)
    discarder = SeatNumber("Who threw the last card, in `rummy_call`.", allow_none=True)
    melds_laid = Integer("How many melds the turn has laid already.")
    tabled_before = Boolean("Whether the seat had tabled cards before this turn.")


class PositionGivenSchema(EventSchema):
    """A sandbox game began in a given position, in place of a deal."""

    type = Const("position.given")
    deal = Integer("The number of the deal.", minimum=1)
    dealer = SeatNumber("Who dealt.")
    hands = List(List(CardCode(), "A hand.", allow_none=True), "The hands by seat; null for those not yours.")
    known = List(List(CardCode(), "Cards of one hand."), "Cards in the hands that everybody saw taken.")
    stock = List(
        CardCode(), "The stock, first card drawn first; null until the deal is over.", allow_none=True
    )
    stock_count = Integer("How many cards the stock holds.")
    discard_pile = List(CardCode(), "The discard pile, oldest first.")
    melds = List(Nested(MeldSchema, "A meld."), "What is on the table.")
    turn = Nested(GivenTurnViewSchema, "The turn it begins with.")
    totals = List(Points("A total."), "Totals before this deal: by seat, or by team.")
    commitment = String("SHA-256 of the deal's seed.")


class TurnStartedSchema(EventSchema):
    """A seat is to draw."""

    type = Const("turn.started")
    deal = Integer("The number of the deal.", minimum=1)
    seat = SeatNumber("The seat.")


class StockDrawnSchema(EventSchema):
    """A seat drew from the stock."""

    type = Const("stock.drawn")
    seat = SeatNumber("The seat.")
    card = CardCode("The card; null for everybody else.", allow_none=True)
    stock_count = Integer("How many cards the stock holds now.")


class StockRenewedSchema(EventSchema):
    """The discard pile became the stock."""

    type = Const("stock.renewed")
    shuffled = Boolean("Whether it was shuffled, or only turned over.")
    order = List(CardCode(), "The new stock; null until the deal is over.", allow_none=True)
    stock_count = Integer("How many cards the stock holds now.")


class DiscardTakenSchema(EventSchema):
    """A seat took a discard and all that was newer."""

    type = Const("discard.taken")
    seat = SeatNumber("The seat.")
    card = CardCode("The deepest card.")
    position = Integer("Its place in the discard pile, 0 the oldest.")
    cards = List(CardCode(), "All cards taken, oldest first.")
    must_use = CardCode("The card that must be tabled this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be thrown back this turn.", allow_none=True)


class MeldLaidSchema(EventSchema):
    """A seat laid a new meld."""

    type = Const("meld.laid")
    seat = SeatNumber("The seat.")
    meld = Nested(MeldSchema, "The meld.")


class CardLaidOffSchema(EventSchema):
    """A seat added a card to a meld."""

    type = Const("card.laid_off")
    seat = SeatNumber("The seat.")
    meld_id = String("The meld.")
    card = CardCode()
    stands_for = CardCode("What a joker stands for.", allow_none=True)
    end = RunEnd("The end of the run it joined; null in a set.", allow_none=True)


class CardDiscardedSchema(EventSchema):
    """A seat threw a card."""

    type = Const("card.discarded")
    seat = SeatNumber("The seat.")
    card = CardCode()


class CardKeptSchema(EventSchema):
    """A seat kept its one card after floating."""

    type = Const("card.kept")
    seat = SeatNumber("The seat.")


class TurnPassedSchema(EventSchema):
    """A seat did without a draw, or without a call."""

    type = Const("turn.passed")
    seat = SeatNumber("The seat.")


class CallWindowOpenedSchema(EventSchema):
    """Seats may call a missed discard before the next one draws."""

    type = Const("call_window.opened")
    discarder = SeatNumber("Who threw the last card.")
    next_seat = SeatNumber("Who draws next.")
    asked = List(SeatNumber(), "Who may call or pass.")


class RummyCalledSchema(EventSchema):
    """A seat called a missed discard."""

    type = Const("rummy.called")
    seat = SeatNumber("The seat.")
    card = CardCode("The card called.")
    position = Integer("Its place in the discard pile, 0 the oldest.")
    cards = List(CardCode(), "All cards taken, oldest first.")


class PlayerWentOutSchema(EventSchema):
    """A seat got rid of its last card."""

    type = Const("player.went_out")
    seat = SeatNumber("The seat.")


class DealEndedSchema(EventSchema):
    """The deal was scored."""

    type = Const("deal.ended")
    result = Nested(DealResultSchema, "What each seat had.")


class GameEndedSchema(EventSchema):
    """The game is over."""

    type = Const("game.ended")
    winners = List(SeatNumber(), "Who won; empty for a draw.")
    reason = game_end_reason("Why it is over.")


#: The members of the union by their tag.
EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    cast("Const", schema().fields["type"]).value: schema for schema in EventSchema.__subclasses__()
}


def event() -> TaggedUnion:
    """Return a field for an event of any type."""
    return TaggedUnion(
        "Event", EVENTS, "Something that happened. More types may come: ignore those you do not know."
    )


class EventsSchema(ResponseSchema):
    """A part of a game's log."""

    events = List(event(), "The events, oldest first.")
    next_after = String("`after` for the next part; null when this was the end of the log.", allow_none=True)


class MoveMadeSchema(ResponseSchema):
    """A move that was made."""

    version = Integer("The version it made.")
    events = List(event(), "What happened, as you may know it.")
    game = Nested(GameViewSchema, "The game after it.")


class MoveAnswerSchema(OneOfSchema):
    """What a move is answered with."""

    # The verdict first: readers try them in order, and a verdict has none of the members of a move.
    members = (DryRunSchema, MoveMadeSchema)
