"""Variants: a preset and what a table plays otherwise. Made from the rules' own list of options."""

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
from service.rummy.presets import PRESETS
from service.rummy.variants import OPTIONS, Option
from service.runtime.json_object import Json


def preset_name(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a preset."""
    return Enum("PresetName", tuple(PRESETS), description, **options)


class OptionValue(CustomField):
    """What an option is set to: one of its names, or a number of its range."""

    def __init__(self, name: str, option: Option, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        self.component = "".join(part.capitalize() for part in name.split("_"))
        self.option = option
        self.sentence = f"Send {option.allowed()}."
        super().__init__(
            allow_none=None in option.values,
            error_messages={"null": self.sentence},
            metadata={"description": f"{option.meaning} (RULES {option.rule})"},
            **options,
        )

    def components(self) -> Json:
        """Return what clients should have one type for, wherever the option is told."""
        words = [value for value in self.option.values if isinstance(value, str)]
        allowed = [*_by_type(self.option)]
        if not words:
            return {}
        enum: Json = {"type": "string", "enum": words}
        if not allowed:
            return {f"{self.component}Option": enum}
        # An enum also of one word: a constant beside numbers is more than some generators can tell.
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
    """A value of any option. The service tells these and takes none."""

    def __init__(self, description: str) -> None:
        super().__init__(allow_none=True, metadata={"description": description})

    def components(self) -> Json:
        """Return what values there are."""
        number = {"type": "integer", "minimum": 0, "maximum": MAX_POINTS}
        return {"OptionValue": {"oneOf": [{"type": "string"}, number, {"type": "boolean"}]}}

    def json_schema(self) -> Json:
        """Return what values there are as JSON Schema."""
        return {"anyOf": [_reference("OptionValue"), {"type": "null"}]}


def _reference(component: str) -> Json:
    return {"$ref": f"#/components/schemas/{component}"}


def _by_type(option: Option) -> Iterator[Json]:
    """Yield a schema for the values of each JSON type but strings and null, as far as there are any.

    Client generators make an enum of values of one type, and give up on mixed ones.
    """
    # In Python a bool is an int as well.
    numbers = [value for value in option.values if type(value) is int]
    if len(numbers) == 1:
        yield {"type": "integer", "const": numbers[0]}
    elif numbers:
        yield _range_of(numbers)
    if any(isinstance(value, bool) for value in option.values):
        # No option allows only one of the two.
        yield {"type": "boolean"}
    if option.numbers is not None:
        least, most = option.numbers
        yield {"type": "integer", "minimum": least, "maximum": most}


def _range_of(numbers: Sequence[int]) -> Json:
    """Return the range of numbers as a schema; those that are not in a row by what they are multiples of."""
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
OverridesSchema.__doc__ = "Options set otherwise than in the preset."
OptionsSchema = _with_options(ResponseSchema, "OptionsSchema")
OptionsSchema.__doc__ = "Every option and what it is set to."


class NewVariantSchema(RequestSchema):
    """The rules a new game is played by."""

    preset = preset_name("The preset to start from.", load_default="classic")
    overrides = Nested(OverridesSchema, "What this table plays otherwise.", load_default=dict)


class VariantSchema(ResponseSchema):
    """The rules a game is played by."""

    preset = preset_name("The preset it started from.")
    overrides = Nested(OverridesSchema, "What differs from the preset: fit for createGame.")
    options = Nested(OptionsSchema, "Every option as it is played here; nothing is `auto` any more.")


class PlayersSchema(ResponseSchema):
    """How many may play."""

    least = Integer("The fewest players.")
    most = Integer("The most players.")


class PresetSchema(ResponseSchema):
    """A preset with a sentence for players and all its options."""

    name = preset_name("What createGame calls it.")
    title = String("What people call it.")
    sentence = String("What is special about it.")
    players = Nested(PlayersSchema, "How many may play.")
    options = Nested(OptionsSchema, "Every option; `auto` is settled by the number of seats.")


class NumberRangeSchema(ResponseSchema):
    """Whole numbers from `least` to `most`."""

    least = Integer("The smallest number allowed.")
    most = Integer("The largest number allowed.")


class OptionSchema(ResponseSchema):
    """An option: what it may be set to and what that means."""

    name = String("The key in `overrides`.")
    values = List(AnyValue("A value."), "The names allowed: strings, numbers, booleans or null.")
    numbers = Nested(NumberRangeSchema, "The numbers allowed besides.", allow_none=True)
    rule = String("The number of the rule in the rule book.")
    meaning = String("What it means at the table.")
