"""The events of a game's log, as a viewer may see them. Hidden values are null, never left out."""

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
from service.api.schemas.moves import included_moves
from service.api.schemas.problem import ProblemSchema
from service.api.schemas.variants import VariantSchema
from service.games.record import RematchEnd, SeatReplacement
from service.rummy.previews import PreviewEnd

_DEADLINE: Final = (
    "When the service acts for the seats that have not acted; null without a time limit, and in games of "
    "earlier releases."
)


class EventSchema(ResponseSchema):
    """The members that all events have."""

    id = String("`<version>-<seq>`: the cursor for the events after this one.", metadata={"example": "17-2"})
    game_id = String("The game.")
    version = Integer("The version of the game that this change produced.")
    seq = Integer("Position of the event in that change, from 0.")
    at = Time("Time of the event.")


class DealerDrawSchema(ResponseSchema):
    """A card drawn to decide the first dealer."""

    seat = SeatNumber("The seat that drew it.")
    card = CardCode()
    again = Integer("Number of earlier draws among tied seats.")


class SeatJoinedSchema(EventSchema):
    """A player or a computer took a seat."""

    type = Const("seat.joined")
    seat = SeatNumber("The seat.")
    name = String("The player's name.")
    kind = Enum("SeatKind", SEAT_KINDS, "Who decides the moves of this seat.")
    player_id = String("The player's id; null for a computer.", allow_none=True)
    returned = Boolean("True for a player who took their seat back from a computer, by joinGame or a move.")


class SeatLeftSchema(EventSchema):
    """A player left a seat before the game started."""

    type = Const("seat.left")
    seat = SeatNumber("The seat, which is free again.")


class SeatReplacedSchema(EventSchema):
    """A computer took this seat, or plays on for a player who resigned or is away."""

    type = Const("seat.replaced")
    seat = SeatNumber("The seat.")
    level = level_name("The computer's level.")
    reason = Enum(
        "SeatReplacement",
        tuple(SeatReplacement),
        "`requested`: seatComputer. `resigned`: its player resigned. `time_ran_out`: too many turns in a row "
        "expired, and its player may come back. Null in games of earlier releases.",
        allow_none=True,
    )


class SeatReadySchema(EventSchema):
    """A player is ready for the next deal."""

    type = Const("seat.ready")
    seat = SeatNumber("The seat.")


class ClockExpiredSchema(EventSchema):
    """The time of a seat ran out; the service played the forced turn for it."""

    type = Const("clock.expired")
    seat = SeatNumber("The seat.")


class GameAbortedSchema(EventSchema):
    """The game was aborted without a result."""

    type = Const("game.aborted")
    reason = String("The reason, as a sentence for people.")


class InvitesRenewedSchema(EventSchema):
    """The invite codes were replaced; seated players find the new ones in their view of the game."""

    type = Const("invites.renewed")


class RematchOfferedSchema(EventSchema):
    """A player opened a rematch; take a seat in it with rematchGame or joinGame."""

    type = Const("rematch.offered")
    seat = SeatNumber("The seat of the player who opened it.")
    rematch_id = String("The new game.")


class RematchWithdrawnSchema(EventSchema):
    """The rematch was aborted before it began; rematchGame may open another one."""

    type = Const("rematch.withdrawn")
    seat = SeatNumber(
        "The seat of the player who held the rematch last; null if they have no seat here any more.",
        allow_none=True,
    )
    rematch_id = String("The game that did not take place.")
    reason = Enum(
        "RematchEnd",
        tuple(RematchEnd),
        "`called_off`: its creator gave it up. `left`: all players left it. `expired`: it did not begin "
        "within a day.",
    )


class GameStartedSchema(EventSchema):
    """The game started."""

    type = Const("game.started")
    variant = Nested(VariantSchema, "The rules of the game.")
    seats = Integer("Number of seats.")
    dealer = SeatNumber("The seat that deals first.")
    dealer_draws = List(
        Nested(DealerDrawSchema, "A card."), "The cards drawn to decide the first dealer; empty if none were."
    )


class DealStartedSchema(EventSchema):
    """Cards were dealt."""

    type = Const("deal.started")
    deal = Integer("The number of the deal.", minimum=1)
    dealer = SeatNumber("The seat that dealt.")
    hands = List(
        List(CardCode(), "A hand.", allow_none=True),
        "The hands by seat; null for the hands of other players.",
    )
    upcard = CardCode("The first card of the discard pile.")
    stock = List(
        CardCode(), "The stock, first card drawn first; null until the deal is over.", allow_none=True
    )
    stock_count = Integer("Number of cards in the stock.")
    commitment = String("SHA-256 of the deal's seed; getDealProof returns the seed after the deal.")


class GivenTurnViewSchema(ResponseSchema):
    """The turn that a given position starts with."""

    seat = SeatNumber("The seat whose turn it is.")
    phase = Enum("Phase", PHASES, "The phase of the turn.")
    must_use = CardCode("The card that must be melded or laid off this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be discarded this turn.", allow_none=True)
    discarder = SeatNumber("In phase `rummy_call`: the seat that made the last discard.", allow_none=True)
    melds_laid = Integer("Number of melds already laid this turn.")
    tabled_before = Boolean("Whether the seat had laid cards on the table before this turn.")


class PositionGivenSchema(EventSchema):
    """A sandbox game started from a given position instead of a deal."""

    type = Const("position.given")
    deal = Integer("The number of the deal.", minimum=1)
    dealer = SeatNumber("The seat that dealt.")
    hands = List(
        List(CardCode(), "A hand.", allow_none=True),
        "The hands by seat; null for the hands of other players.",
    )
    known = List(
        List(CardCode(), "Cards of one hand."),
        "Cards in each hand that all players saw being taken, by seat.",
    )
    stock = List(
        CardCode(), "The stock, first card drawn first; null until the deal is over.", allow_none=True
    )
    stock_count = Integer("Number of cards in the stock.")
    discard_pile = List(CardCode(), "The discard pile, oldest first.")
    melds = List(Nested(MeldSchema, "A meld."), "What is on the table.")
    turn = Nested(GivenTurnViewSchema, "The turn it starts with.")
    totals = List(Points("A total."), "Totals before this deal, by seat or by team.")
    commitment = String("SHA-256 of the deal's seed.")


class TurnStartedSchema(EventSchema):
    """A turn started: the seat must draw."""

    type = Const("turn.started")
    deal = Integer("The number of the deal.", minimum=1)
    seat = SeatNumber("The seat.")
    deadline_at = Time(_DEADLINE, allow_none=True)


class StockDrawnSchema(EventSchema):
    """A seat drew from the stock."""

    type = Const("stock.drawn")
    seat = SeatNumber("The seat.")
    card = CardCode("The card; null for all other players.", allow_none=True)
    stock_count = Integer("Number of cards left in the stock.")


class StockRenewedSchema(EventSchema):
    """The discard pile became the stock, without its newest card where `upcard_stays` is true."""

    type = Const("stock.renewed")
    shuffled = Boolean("True if it was shuffled, false if it was only turned over.")
    order = List(CardCode(), "The new stock; null until the deal is over.", allow_none=True)
    stock_count = Integer("Number of cards left in the stock.")


class DiscardTakenSchema(EventSchema):
    """A seat took a discard and all newer ones."""

    type = Const("discard.taken")
    seat = SeatNumber("The seat.")
    card = CardCode("The deepest card taken.")
    position = Integer("Its position in the discard pile; 0 is the oldest card.")
    cards = List(CardCode(), "All cards taken, oldest first.")
    must_use = CardCode("The card that must be melded or laid off this turn.", allow_none=True)
    may_not_discard = CardCode("The card that may not be discarded this turn.", allow_none=True)


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
    """A seat discarded a card."""

    type = Const("card.discarded")
    seat = SeatNumber("The seat.")
    card = CardCode()


class CardKeptSchema(EventSchema):
    """A floating seat kept its one card and ended the turn."""

    type = Const("card.kept")
    seat = SeatNumber("The seat.")


class TurnPassedSchema(EventSchema):
    """A seat passed its draw or a rummy call."""

    type = Const("turn.passed")
    seat = SeatNumber("The seat.")


class CallWindowOpenedSchema(EventSchema):
    """Some seats may call "Rummy!" on a discard before the next player draws."""

    type = Const("call_window.opened")
    discarder = SeatNumber("The seat that made the last discard.")
    next_seat = SeatNumber("The seat that draws next.")
    asked = List(
        SeatNumber(),
        "The seats that may call or pass, from the discarder's left; they may include `next_seat`.",
    )
    deadline_at = Time(_DEADLINE, allow_none=True)


class RummyCalledSchema(EventSchema):
    """A seat called "Rummy!" on a discard."""

    type = Const("rummy.called")
    seat = SeatNumber("The seat.")
    card = CardCode("The card called.")
    position = Integer("Its position in the discard pile; 0 is the oldest card.")
    cards = List(
        CardCode(),
        "All cards taken, oldest first. With `call_takes: needed` they need not lie side by side: each is "
        "the oldest copy above the one before.",
    )


class PlayerWentOutSchema(EventSchema):
    """A seat played its last card."""

    type = Const("player.went_out")
    seat = SeatNumber("The seat.")


class DealEndedSchema(EventSchema):
    """The deal was scored."""

    type = Const("deal.ended")
    result = Nested(DealResultSchema, "The result of the deal.")


class GameEndedSchema(EventSchema):
    """The game is over."""

    type = Const("game.ended")
    winners = List(SeatNumber(), "The winning seats; empty for a draw.")
    reason = game_end_reason("Why the game is over.")


#: The members of the union by their tag.
EVENTS: Final[dict[str, type[ResponseSchema]]] = {
    cast("Const", schema().fields["type"]).value: schema for schema in EventSchema.__subclasses__()
}


def event() -> TaggedUnion:
    """Return a field for an event of any type."""
    return TaggedUnion(
        "Event", EVENTS, "An event of the game. New types may be added: ignore types you do not know."
    )


class EventsSchema(ResponseSchema):
    """A page of a game's log."""

    events = List(event(), "The events, oldest first.")
    next_after = String(
        "The value of `after` for the next page; null at the end of the log.", allow_none=True
    )


class MoveMadeSchema(ResponseSchema):
    """A move that was made."""

    version = Integer("The version of the game after the move.")
    events = List(event(), "The events of the move, as you may see them.")
    game = Nested(GameViewSchema, "The game after the move.")


class MinimalMoveSchema(ResponseSchema):
    """A move that was made with `Prefer: return=minimal`."""

    version = Integer("The version of the game after the move.")
    events = List(event(), "The events of the move, as you may see them.")
    minimal = Boolean("Always true: the game after the move is left out.")
    legal_moves, legal_moves_truncated, moves_by_type = included_moves()


class PreviewPointsSchema(ResponseSchema):
    """The points of the seat after the moves of a dry run."""

    laid = Points("Points of the cards that these moves lay.")
    table = Points("Points of its cards on the table in this deal.")
    hand = Points("Points of the cards in its hand, as a positive number.")


class DryRunSchema(ResponseSchema):
    """Whether a move would be legal, and what it would lead to; the game is unchanged."""

    lawful = Boolean("Whether the rules allow the move now.")
    problem = Nested(
        ProblemSchema,
        "The problem that the move would be refused with; null if it is legal.",
        allow_none=True,
    )
    # Never null and never absent: clients tell by this member that a response has a game.
    game = Nested(
        GameViewSchema,
        "The game as you would see it, with the legal moves of your seat; with "
        "`include=moves_by_type` these in their short form. It has the version that it was judged in, "
        "because nothing is stored. If the move is not legal, the game as it is.",
    )
    points = Nested(
        PreviewPointsSchema,
        "The points of your seat then; null if the move is not legal.",
        allow_none=True,
    )
    must_use = CardCode(
        "The taken card that you would still have to lay before you discard; null if there is none.",
        allow_none=True,
    )
    stopped_before = Integer(
        "The index of the first move that `game` does not have, because it would show what you may not know "
        "yet; null if it has all of them.",
        allow_none=True,
    )
    stop_reason = Enum(
        "DryRunStop",
        tuple(PreviewEnd),
        "Why it has no more. `hidden_card`: the move brings cards that you do not know. `deal_may_end`: the "
        "deal or the game may end with it, and all hands are shown then. Null if it has all moves.",
        allow_none=True,
    )


class MinimalDryRunSchema(DryRunSchema):
    """A dry run with `Prefer: return=minimal`."""

    class Meta(DryRunSchema.Meta):
        """Leave out the game."""

        exclude = ("game",)

    minimal = Boolean("Always true: the game is left out.")
    legal_moves, legal_moves_truncated, moves_by_type = included_moves()


class MoveAnswerSchema(OneOfSchema):
    """The response to a move."""

    # The dry runs first: clients try the schemas in order, and only a dry run has `lawful`.
    members = (DryRunSchema, MinimalDryRunSchema, MoveMadeSchema, MinimalMoveSchema)
