"""An event and its schema are declared apart: whatever one has and the other lacks is reported."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from service.api.schemas.base import Boolean, CardCode, Const, Enum, Integer, List, Nested, SeatNumber, String
from service.api.schemas.events import EVENTS, CardLaidOffSchema, EventSchema, MeldLaidSchema, SeatLeftSchema
from service.api.schemas.games import MeldSchema
from service.api.schemas.streams import NOTICES
from service.games.notifications import NOTIFICATION_TYPES
from service.games.record import LOGGED_TYPES
from service.rummy.cards import Card
from service.rummy.events import CardLaidOff, MeldLaid
from workers import cli
from workers.tools import event_schemas
from workers.tools.event_schemas import notice_faults, schema_faults


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatNudged:
    """A player asked another one to play."""

    type: ClassVar = "seat.nudged"
    seat: int
    card: Card | None
    cards: tuple[Card, ...]
    loud: bool


class _Shared(EventSchema):
    """What every variation below has right."""

    type = Const("seat.nudged")
    seat = SeatNumber()
    card = CardCode(allow_none=True)
    cards = List(CardCode(), "The cards.")
    loud = Boolean("Whether it was loud.")


class WithoutAMember(_Shared):
    class Meta(_Shared.Meta):
        exclude = ("loud",)


class WithAMemberMore(_Shared):
    by = SeatNumber()


class NeverNull(_Shared):
    card = CardCode()


class NullByMistake(_Shared):
    seat = SeatNumber(allow_none=True)


class OfAnotherType(_Shared):
    loud = Integer("How loud it was.")


class TextForACard(_Shared):
    card = String("The card.", allow_none=True)


class OneForMany(_Shared):
    cards = CardCode()


class ManyOfAnother(_Shared):
    cards = List(SeatNumber(), "The cards.")


class TestEvents:
    def test_each_has_a_schema_with_the_same_members(self):
        assert list(schema_faults()) == []

    def test_one_that_agrees_is_not_reported(self):
        assert list(schema_faults({"seat.nudged": SeatNudged}, {"seat.nudged": _Shared})) == []

    @pytest.mark.parametrize(
        "schema, place",
        [
            (WithoutAMember, "loud"),
            (WithAMemberMore, "by"),
            (NeverNull, "card"),
            (NullByMistake, "seat"),
            (OfAnotherType, "loud"),
            (TextForACard, "card"),
            (OneForMany, "cards"),
            (ManyOfAnother, "cards[]"),
        ],
    )
    def test_a_difference_is_reported_with_its_place(self, schema, place):
        [fault] = schema_faults({"seat.nudged": SeatNudged}, {"seat.nudged": schema})

        assert fault.startswith(f"seat.nudged.{place}: ")

    def test_an_event_without_a_schema_is_reported(self):
        [fault] = schema_faults({**LOGGED_TYPES, "seat.nudged": SeatNudged})

        assert fault.startswith("seat.nudged: the event has no schema")

    def test_a_schema_without_an_event_is_reported(self):
        [fault] = schema_faults(schemas={**EVENTS, "seat.nudged": _Shared})

        assert fault.startswith("seat.nudged: the schema describes no event")

    def test_members_of_members_are_compared(self):
        class OwnedMeldSchema(MeldSchema):
            owner = String("A name in place of a seat.")

        class OwnedMeldLaidSchema(MeldLaidSchema):
            meld = Nested(OwnedMeldSchema, "The meld.")

        [fault] = schema_faults({"meld.laid": MeldLaid}, {"meld.laid": OwnedMeldLaidSchema})

        assert fault.startswith("meld.laid.meld.owner: ")

    def test_the_words_of_a_closed_set_are_compared(self):
        class LaidAnywhereSchema(CardLaidOffSchema):
            end = Enum("RunEnd", ("low", "middle", "high"), "Where.", allow_none=True)

        [fault] = schema_faults({"card.laid_off": CardLaidOff}, {"card.laid_off": LaidAnywhereSchema})

        assert fault.startswith("card.laid_off.end: the event may be high, low;")


class TestNotifications:
    def test_each_has_a_schema_with_the_same_members(self):
        assert list(notice_faults()) == []

    def test_one_without_a_schema_is_reported(self):
        [fault] = notice_faults((*NOTIFICATION_TYPES, "seat.nudged"))

        assert fault.startswith("seat.nudged: ")

    def test_a_schema_of_no_notification_is_reported(self):
        [fault] = notice_faults(schemas={**NOTICES, "seat.left": SeatLeftSchema})

        assert fault.startswith("seat.left: ")


def test_the_check_of_the_document_fails_with_an_event_without_a_schema(monkeypatch, capsys):
    monkeypatch.setattr(event_schemas, "schema_faults", lambda: schema_faults({"a.b": SeatNudged}, {}))

    assert cli.main(["openapi", "--check"]) == 1
    assert "a.b: the event has no schema" in capsys.readouterr().err
