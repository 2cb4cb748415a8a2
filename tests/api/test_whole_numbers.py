"""Whole numbers written with a point or an exponent, as many game engines write every number."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.problems import Problem
from service.api.resource import Resource, read_json
from service.api.schemas.base import MAX_SAFE_INTEGER, Integer, List, RequestSchema
from service.api.schemas.new_games import Seed
from service.api.schemas.variants import OptionValue

WRITTEN = ("{}.0", "{}.000", "{}e0", "{}E+0", "{}.0e0")
NO_WHOLE_NUMBER = ("2.5", "1e-3", "true", '"2"', "[2]", "1e20", "-1e300")
TOO_LARGE = ("1e400", "-1e400", "9" * 400 + ".0")


def request_schemas(base=RequestSchema):
    for schema in base.__subclasses__():
        yield schema
        yield from request_schemas(schema)


def numbers_of(field):
    """Return some whole numbers that a field allows, and how its value is written around one of them."""
    if isinstance(field, List):
        inner, written = numbers_of(field.inner)
        return inner, f"[{written}]"
    match field:
        case Integer(validate=bounds):
            return {bounds.min, bounds.max, min(bounds.min + 1, bounds.max)}, "NUMBER"
        case OptionValue(option=option):
            named = {value for value in option.values if type(value) is int}
            return named | set(option.numbers or ()), "NUMBER"
        case Seed():
            return {0, -1, MAX_SAFE_INTEGER}, "NUMBER"
    return set(), ""


FIELDS = {
    f"{type(schema).__name__}.{name}": (schema, name)
    for schema in (made() for made in request_schemas())
    for name, field in schema.fields.items()
    if numbers_of(field)[0]
}


@pytest.fixture
def read(app):
    """Return a function that reads a body: the value of a member, and the errors that name it."""

    def read(schema, name, value):
        body = f'{{"{name}": {value}}}'
        with app.test_request_context(method="POST", data=body, content_type="application/json"):
            try:
                return Resource.ARGUMENTS_PARSER.parse(schema, location="json")[name], []
            except Problem as problem:
                of_member = [one for one in problem.errors if one["field"].split(".")[0] == name]
                return (None if problem.errors else problem.code), of_member

    return read


class TestEveryWholeNumberOfEveryBody:
    def test_is_found(self):
        for name in ("NewGameSchema.seats", "NewClockSchema.turn_ms", "OverridesSchema.target"):
            assert name in FIELDS
        for name in ("DealEntrySchema.points", "NewGameSchema.seed", "PositionSchema.totals"):
            assert name in FIELDS

    @pytest.mark.parametrize("place", FIELDS)
    def test_may_be_written_with_a_point(self, read, place):
        schema, name = FIELDS[place]
        numbers, around = numbers_of(schema.fields[name])

        for number in numbers:
            plain = read(schema, name, around.replace("NUMBER", str(number)))
            for form in WRITTEN:
                pointed = read(schema, name, around.replace("NUMBER", form.format(number)))
                assert repr(pointed) == repr(plain), form.format(number)
                # A list may need more entries than one.
                assert all("array" in error["message"] for error in pointed[1])

    @pytest.mark.parametrize("place", FIELDS)
    def test_must_be_whole(self, read, place):
        schema, name = FIELDS[place]
        field = schema.fields[name]
        _, around = numbers_of(field)
        inner = field.inner if isinstance(field, List) else field

        for number in NO_WHOLE_NUMBER:
            if number == "true" and isinstance(inner, OptionValue) and True in inner.option.values:
                continue
            if number == '"2"' and isinstance(inner, Seed):
                continue
            _, errors = read(schema, name, around.replace("NUMBER", number))
            assert errors, number

    @pytest.mark.parametrize("place", FIELDS)
    @pytest.mark.parametrize("number", TOO_LARGE)
    def test_that_no_computer_holds_is_refused(self, read, place, number):
        schema, name = FIELDS[place]

        assert read(schema, name, number) == ("malformed_json", [])


class TestANumber:
    @given(number=st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER), form=st.sampled_from(WRITTEN))
    def test_is_the_same_with_a_point(self, number, form):
        read = read_json(form.format(number).encode())

        assert read == number
        assert type(read) is int

    @given(number=st.floats(allow_nan=False, allow_infinity=False))
    def test_with_a_fraction_stays_as_it_is(self, number):
        read = read_json(json.dumps(number).encode())

        assert read == number
        assert (type(read) is int) == (number.is_integer() and abs(number) <= MAX_SAFE_INTEGER)


class TestOverHttp:
    def test_a_game_is_created_as_an_engine_writes_it(self, client, ana):
        body = (
            '{"seats": 2.0, "sandbox": true, "seed": 7.0, "seats_held": "creator", "clock": {"turn_ms": 6e4},'
            ' "variant": {"preset": "classic", "overrides": {"target": 150.0, "packs": 2.0}}}'
        )
        made = client.post("/v1/games", data=body, content_type="application/json", headers=ana)

        assert made.status_code == 201, made.json
        assert len(made.json["seats"]) == 2
        assert made.json["clock"]["turn_ms"] == 60_000
        assert made.json["variant"]["overrides"] == {"target": 150, "packs": 2}

    def test_a_refusal_names_the_range(self, client, ana):
        refused = client.post("/v1/games", json={"seats": 2.5}, headers=ana)

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
        assert refused.json["detail"] == "seats: Send a whole number from 2 to 8."

    def test_a_number_without_end_is_refused_by_its_name(self, client, ana):
        refused = client.post(
            "/v1/games", data='{"seats": 1e400}', content_type="application/json", headers=ana
        )

        assert (refused.status_code, refused.json["code"]) == (400, "malformed_json")
        assert refused.json["detail"] == "The number 1e400 is too large."

    def test_a_query_parameter_is_written_with_digits(self, client, ana):
        refused = client.get("/v1/games?limit=2.0", headers=ana)

        assert (refused.status_code, refused.json["code"]) == (422, "validation_failed")
