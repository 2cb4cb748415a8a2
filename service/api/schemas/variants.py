"""Variants: a preset and its overrides, made from the rules' own list of options."""

from collections.abc import Iterator, Sequence
from math import gcd
from typing import Any

from marshmallow import Schema, ValidationError

from service.api.schemas.base import (
    MAX_POINTS,
    CustomField,
    Enum,
    Integer,
    List,
    Nested,
    RequestSchema,
    ResponseSchema,
    String,
)
from service.rummy.options import OPTIONS, Option, json_text
from service.rummy.presets import PRESETS
from service.runtime.json_object import Json


def preset_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a preset."""
    return Enum("PresetName", tuple(PRESETS), description, **options)


class OptionValue(CustomField):
    """The value of an option: one of its words, or a number in its range."""

    def __init__(self, name: str, option: Option, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        self.component = "".join(part.capitalize() for part in name.split("_"))
        self.option = option
        self.sentence = f"Send {option.allowed()}."
        super().__init__(
            allow_none=None in option.values,
            error_messages={"null": self.sentence},
            metadata={"description": _describe(option)},
            **options,
        )

    def components(self) -> Json:
        """Return the components for which clients should have one type, wherever the option occurs."""
        words = [value for value in self.option.values if isinstance(value, str)]
        allowed = [*_by_type(self.option)]
        if not words:
            return {}
        enum: Json = {"type": "string", "enum": words}
        if not allowed:
            return {f"{self.component}Option": enum}
        # An enum even for a single word: some generators cannot combine a constant with numbers.
        either = [_reference(f"{self.component}Name"), *allowed]
        return {f"{self.component}Name": enum, f"{self.component}Option": {"oneOf": either}}

    def json_schema(self) -> Json:
        """Return what is allowed as JSON Schema."""
        prop = _reference(f"{self.component}Option") if self.components() else next(_by_type(self.option))
        return {"anyOf": [prop, {"type": "null"}]} if None in self.option.values else prop

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - JSON
        del args, kwargs
        if not self.option.allows(value):
            raise ValidationError(self.sentence)
        return value


class AnyValue(CustomField):
    """A value of any option, in responses only."""

    def __init__(self, description: str) -> None:
        super().__init__(allow_none=True, metadata={"description": description})

    def components(self) -> Json:
        """Return the component for the values of all options."""
        number = {"type": "integer", "minimum": 0, "maximum": MAX_POINTS}
        return {"OptionValue": {"oneOf": [{"type": "string"}, number, {"type": "boolean"}]}}

    def json_schema(self) -> Json:
        """Return the JSON Schema of the value."""
        return {"anyOf": [_reference("OptionValue"), {"type": "null"}]}


def _describe(option: Option) -> str:
    values = "; ".join(f"`{json_text(value)}`: {meaning}" for value, meaning in option.meanings.items())
    return f"{option.meaning} (RULES {option.rule})" + (f" {values}." if values else "")


def _reference(component: str) -> Json:
    return {"$ref": f"#/components/schemas/{component}"}


def _by_type(option: Option) -> Iterator[Json]:
    """Yield a schema for the values of each JSON type that the option has, except strings and null.

    Client generators support an enum of values of one type, but not of several.
    """
    # In Python, a bool is also an int.
    numbers = [value for value in option.values if type(value) is int]
    if len(numbers) == 1:
        yield {"type": "integer", "const": numbers[0]}
    elif numbers:
        yield _range_of(numbers)
    if any(isinstance(value, bool) for value in option.values):
        # No option allows only one of true and false.
        yield {"type": "boolean"}
    if option.numbers is not None:
        least, most = option.numbers
        yield {"type": "integer", "minimum": least, "maximum": most}


def _range_of(numbers: Sequence[int]) -> Json:
    """Return a schema for the range of the numbers, with their step if they are not consecutive."""
    least, most = min(numbers), max(numbers)
    step = gcd(*numbers)
    if set(numbers) != set(range(least, most + 1, step)):
        raise ValueError(f"no range holds just {numbers}")
    inner = {"type": "integer", "minimum": least, "maximum": most}
    return inner if step == 1 else {**inner, "multipleOf": step}


def _with_options(base: type[Schema], doc: str) -> type[Schema]:
    declared: dict[str, Any] = {name: OptionValue(name, option) for name, option in OPTIONS.items()}
    return type(doc, (base,), declared)


OverridesSchema = _with_options(RequestSchema, "OverridesSchema")
OverridesSchema.__doc__ = "Options that differ from the preset."
OptionsSchema = _with_options(ResponseSchema, "OptionsSchema")
OptionsSchema.__doc__ = "All options with their values."


class NewVariantSchema(RequestSchema):
    """The rules of a new game."""

    preset = preset_name("The preset on which the rules are based.", load_default="classic")
    overrides = Nested(OverridesSchema, "Options that differ from the preset.", load_default=dict)
    options = Nested(
        OverridesSchema,
        "All options as a game shows them, if you copy its rules. They must agree with preset and "
        "overrides: to change one, change `overrides`.",
        load_default=None,
        allow_none=True,
    )


class VariantSchema(ResponseSchema):
    """The rules of a game."""

    preset = preset_name("The preset on which the rules are based.")
    overrides = Nested(
        OverridesSchema, "Options that differ from the preset, in the form that createGame accepts."
    )
    options = Nested(OptionsSchema, "All options as played in this game; none is `auto`.")


class PlayersSchema(ResponseSchema):
    """The numbers of players allowed."""

    least = Integer("Minimum number of players.")
    most = Integer("Maximum number of players.")


class PresetSchema(ResponseSchema):
    """A preset of rules with all its options."""

    name = preset_name("The name for createGame.")
    title = String("The title, for players.")
    sentence = String("A sentence about it, for players.")
    players = Nested(PlayersSchema, "The numbers of players allowed.")
    options = Nested(OptionsSchema, "All options; `auto` depends on the number of seats.")


class NumberRangeSchema(ResponseSchema):
    """Whole numbers from `least` to `most`."""

    least = Integer("Minimum.")
    most = Integer("Maximum.")


class ValueMeaningSchema(ResponseSchema):
    """A value of an option, and what it means at the table."""

    value = AnyValue("The value.")
    meaning = String("What is played with it.")


class OptionSchema(ResponseSchema):
    """An option of the rules: its allowed values and its meaning."""

    name = String("The key in `overrides`.")
    values = List(AnyValue("A value."), "The allowed values: strings, numbers, booleans or null.")
    numbers = Nested(NumberRangeSchema, "A range of numbers allowed in addition.", allow_none=True)
    rule = String("The number of the rule in the rule book.")
    meaning = String("What the option means at the table.")
    meanings = List(Nested(ValueMeaningSchema, "A value and its meaning."), "What each of `values` means.")
