"""Variants: a preset and what a table plays otherwise. Made from the rules' own list of options."""

from collections.abc import Iterator, Sequence
from typing import Any

from marshmallow import Schema, ValidationError, fields

from service.api.schemas.base import (
    Json,
    Many,
    Named,
    Part,
    RequestSchema,
    ResponseSchema,
    Shaped,
    Text,
    Whole,
)
from service.rummy.presets import PRESETS
from service.rummy.variants import OPTIONS, Option


def preset_name(description: str, **options: Any) -> Named:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the name of a preset."""
    return Named("PresetName", tuple(PRESETS), description, **options)


class OptionValue(Shaped):
    """What an option is set to: one of its names, or a number of its range."""

    def __init__(self, option: Option, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        self.option = option
        self.sentence = f"Send {option.allowed()}."
        super().__init__(
            allow_none=None in option.values,
            error_messages={"null": self.sentence},
            metadata={"description": f"{option.meaning} (RULES {option.rule})"},
            **options,
        )

    def json_schema(self) -> Json:
        """Return what is allowed as JSON Schema: one alternative for each JSON type.

        Client generators make an enum of values of one type, and give up on mixed ones.
        """
        alternatives = [*_by_type(self.option.values)]
        if self.option.numbers is not None:
            least, most = self.option.numbers
            alternatives.append({"type": "integer", "minimum": least, "maximum": most})
        return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - JSON
        del args, kwargs
        if not self.option.allows(value):
            raise ValidationError(self.sentence)
        return value


def _by_type(values: Sequence[str | int | bool | None]) -> Iterator[Json]:
    """Yield a schema for the values of each JSON type, as far as there are any."""
    if texts := [value for value in values if isinstance(value, str)]:
        yield {"type": "string", "enum": texts}
    # In Python a bool is an int as well.
    if numbers := [value for value in values if type(value) is int]:
        yield {"type": "integer", "enum": numbers}
    if any(isinstance(value, bool) for value in values):
        # No option allows only one of the two.
        yield {"type": "boolean"}
    if None in values:
        yield {"type": "null"}


def _with_options(base: type[Schema], doc: str) -> type[Schema]:
    declared: dict[str, Any] = {name: OptionValue(option) for name, option in OPTIONS.items()}
    return type(doc, (base,), declared)


OverridesSchema = _with_options(RequestSchema, "OverridesSchema")
OverridesSchema.__doc__ = "Options set otherwise than in the preset."
OptionsSchema = _with_options(ResponseSchema, "OptionsSchema")
OptionsSchema.__doc__ = "Every option and what it is set to."


class NewVariantSchema(RequestSchema):
    """The rules a new game is played by."""

    preset = preset_name("The preset to start from.", load_default="classic")
    overrides = Part(OverridesSchema, "What this table plays otherwise.", load_default=dict)


class VariantSchema(ResponseSchema):
    """The rules a game is played by."""

    preset = preset_name("The preset it started from.")
    overrides = Part(OverridesSchema, "What differs from the preset: fit for createGame.")
    options = Part(OptionsSchema, "Every option as it is played here; nothing is `auto` any more.")


class PlayersSchema(ResponseSchema):
    """How many may play."""

    least = Whole("The fewest players.")
    most = Whole("The most players.")


class PresetSchema(ResponseSchema):
    """A preset with a sentence for players and all its options."""

    name = preset_name("What createGame calls it.")
    title = Text("What people call it.")
    sentence = Text("What is special about it.")
    players = Part(PlayersSchema, "How many may play.")
    options = Part(OptionsSchema, "Every option; `auto` is settled by the number of seats.")


class NumberRangeSchema(ResponseSchema):
    """Whole numbers from `least` to `most`."""

    least = Whole("The smallest number allowed.")
    most = Whole("The largest number allowed.")


class OptionSchema(ResponseSchema):
    """An option: what it may be set to and what that means."""

    name = Text("The key in `overrides`.")
    values = Many(fields.Raw(), "The names allowed: strings, numbers, booleans or null.")
    numbers = Part(NumberRangeSchema, "The numbers allowed besides.", allow_none=True)
    rule = Text("The number of the rule in the rule book.")
    meaning = Text("What it means at the table.")
