"""Jobs that think for a player: hints and reviews."""

from typing import Any

from marshmallow import fields

from service.api.schemas.base import Enum, Integer, List, Nested, ResponseSchema, SeatNumber, String, Time
from service.api.schemas.moves import legal_move
from service.jobs.advice import JobKind, JobStatus


class Number(fields.Float):
    """A JSON number, with a fraction."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(metadata={"description": description}, **options)


class AdviceSchema(ResponseSchema):
    """A move, and what it is worth."""

    move = legal_move("The move: post its `body` to the operation named.")
    points = Number("What the deal is expected to bring your side more than the others on average.")
    margin = Number("Half the 95 % interval of `points`: smaller differences mean little.")
    worlds = Integer("In how many made-up deals, all as your seat may know them, it was tried.")
    reason = String("Why, in a player's words.")


class HintSchema(ResponseSchema):
    """What to do in a turn."""

    best = Nested(AdviceSchema, "The move to make.")
    alternatives = List(
        Nested(AdviceSchema, "A move."),
        "What else was considered, two at most. One that seems to bring more did so by no clear margin.",
    )


class ReviewedMoveSchema(ResponseSchema):
    """A move that was made, beside the best that was found."""

    version = Integer("The version of the game it was made in.")
    played = Nested(AdviceSchema, "The move that was made.")
    best = Nested(AdviceSchema, "The best found; the move itself, where none was clearly better.")
    cost = Number("How many points the best was expected to bring more; 0 where none was clearly better.")


class ReviewedTurnSchema(ResponseSchema):
    """A turn of one of your seats."""

    deal = Integer("The number of the deal, from 1.", minimum=1)
    turn = Integer(
        "Its number in the deal, from 1, as the replay counts; for a call, of the discard.", minimum=1
    )
    seat = SeatNumber("The seat.")
    cost = Number("What its moves cost together, in points.")
    moves = List(
        Nested(ReviewedMoveSchema, "A move."), "Its moves; those that could not be chosen are left out."
    )


class ReviewSchema(ResponseSchema):
    """Every turn of your seats in a game that is over, against the best that was found."""

    turns = List(Nested(ReviewedTurnSchema, "A turn."), "The turns in which there was a choice, in order.")
    cost = Number("What all of them cost, in points.")


class JobSchema(ResponseSchema):
    """Something a worker thinks about for you."""

    id = String("Its id.")
    kind = Enum("JobKind", tuple(JobKind), "What it is to come to.")
    status = Enum(
        "JobStatus", tuple(JobStatus), "How far it has come. `failed`: `reason` tells why; ask again."
    )
    game_id = String("The game.")
    seats = List(SeatNumber("A seat."), "The seats it is about.")
    version = Integer("The version of the game that it is about.")
    done = Integer("How many decisions have been looked at.")
    steps = Integer("How many there are; null until that is known.", allow_none=True)
    asked_at = Time("When it was asked for.")
    expires_at = Time("When it is forgotten.")
    reason = String("Why nothing came of it; null unless it failed.", allow_none=True)
    hint = Nested(HintSchema, "The hint, once it is done.", allow_none=True)
    review = Nested(ReviewSchema, "The review, once it is done.", allow_none=True)
