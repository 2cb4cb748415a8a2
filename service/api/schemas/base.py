"""Base schemas and fields: strict JSON types, each with a description, and tagged unions.

marshmallow is lenient where an API should not be: it accepts "3" as a number and
"yes" as a boolean. These fields accept only JSON's own types. Their first argument
is the description, so that no field can be without one.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, get_args

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validate

from service.rummy.cards import ORDER
from service.rummy.moves import End
from service.rummy.options import MAX_SEATS
from service.runtime.json_object import Json

MAX_INT32: Final = 2**31 - 1
#: The largest whole number that JavaScript holds exactly.
MAX_SAFE_INTEGER: Final = 2**53 - 1
MAX_POINTS: Final = 1_000_000

CARD_SENTENCE: Final = "Send the code of a card: rank and suit, such as 7H or TD, or a joker, X1 to X6."


class RequestSchema(Schema):
    """A request body. An unknown member is refused with the list of those allowed."""

    class Meta:
        """Refuse unknown members."""

        unknown = RAISE

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(**options)
        named = [name for name, field in self.fields.items() if not field.metadata.get("ignored")]
        allowed = ", ".join(named) or "none"
        self.error_messages = {
            **self.error_messages,
            "unknown": f"No such member here. Allowed: {allowed}.",
            "type": "Send a JSON object.",
        }


class ResponseSchema(Schema):
    """A response body. Every member is always present; clients ignore members they do not know."""

    class Meta:
        """Accept unknown members: responses may grow."""

        unknown = EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Make the field required, unless its metadata says `sometimes`."""
        del field_name
        field_obj.required = not field_obj.metadata.get("sometimes", False)


class OneOfSchema(Schema):
    """One of several response bodies, each a schema with a name."""

    members: ClassVar[tuple[type[Schema], ...]]


def _field_options(description: str, metadata: Mapping[str, Any] | None, options: Json) -> Json:
    messages = {"required": "This member is needed.", "null": "This member cannot be null."}
    options["error_messages"] = {**messages, **options.get("error_messages", {})}
    return {**options, "metadata": {"description": description, **(metadata or {})}}


class String(fields.String):
    """A JSON string."""

    default_error_messages = {"invalid": "Send a string."}  # noqa: RUF012 - marshmallow's own declaration

    def __init__(
        self,
        description: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(**_field_options(description, metadata, options))


_JOINERS: Final = dict.fromkeys((0x200C, 0x200D))
#: Characters classed as letters or symbols that are blank: Hangul fillers, and Braille without a dot.
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def _is_visible(character: str) -> bool:
    """Return whether a character is visible by itself: no space, and no mark on the one before it."""
    return character not in _BLANK and not unicodedata.category(character).startswith(("M", "Z"))


class Name(String):
    """A display name: 1 to 40 printable characters, with spaces at the ends removed."""

    MAX_LENGTH: Final = 40

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        length = validate.Length(min=1, max=self.MAX_LENGTH, error=f"Send 1 to {self.MAX_LENGTH} characters.")
        super().__init__(description, validate=length, **options)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - JSON
        text = str(super()._deserialize(value, *args, **kwargs)).strip()
        # Joiners are invisible, but Persian and Hindi names and many emoji need them.
        shown = text.translate(_JOINERS)
        if not shown.isprintable() or (text and not any(map(_is_visible, shown))):
            raise ValidationError("Send printable characters only.")
        return text


class Integer(fields.Integer):
    """A JSON number without a fraction; no string and no boolean.

    2.0 has no fraction: `BodyParser` reads it as 2. Every integer has bounds, by default 0 to 2^31-1, so
    that generated clients choose a type that holds it: 64 bits where the format is `int64`, else 32.
    """

    def __init__(
        self,
        description: str,
        *,
        minimum: int = 0,
        maximum: int = MAX_INT32,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401 - marshmallow's own options
    ) -> None:
        self._sentence = _range_sentence(minimum, maximum)
        options["validate"] = validate.Range(min=minimum, max=maximum, error=self._sentence)
        wide = {"format": "int64"} if maximum > MAX_INT32 else {}
        super().__init__(**_field_options(description, {**wide, **(metadata or {})}, options))

    def _validated(self, value: Any) -> int:  # noqa: ANN401 - JSON
        if type(value) is not int:
            raise ValidationError(self._sentence)
        return value


def _range_sentence(minimum: int, maximum: int) -> str:
    if minimum >= 0 and maximum >= MAX_INT32:
        return f"Send a whole number of {minimum} or more."
    return f"Send a whole number from {minimum} to {maximum}."


class Points(Integer):
    """Points; they may be negative."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(description, minimum=-MAX_POINTS, maximum=MAX_POINTS, **options)


class SeatNumber(Integer):
    """The number of a seat, from 0."""

    def __init__(self, description: str = "A seat.", **options: Any) -> None:  # noqa: ANN401
        super().__init__(description, maximum=MAX_SEATS - 1, **options)


class DurationMs(Integer):
    """A duration in milliseconds. It needs 64 bits: 32 bits hold only 24 days."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(description, maximum=MAX_SAFE_INTEGER, **options)


class Boolean(fields.Boolean):
    """A JSON true or false."""

    default_error_messages = {"invalid": "Send true or false."}  # noqa: RUF012 - marshmallow's own declaration

    def __init__(
        self,
        description: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(**_field_options(description, metadata, options))

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> bool:  # noqa: ANN401 - JSON
        del args, kwargs
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Time(String):
    """A time in UTC, formatted by RFC 3339."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(description, metadata={"format": "date-time"}, **options)


class List(fields.List[Any]):
    """A JSON array."""

    default_error_messages = {"invalid": "Send an array."}  # noqa: RUF012 - marshmallow's own declaration

    def __init__(
        self,
        inner: fields.Field[Any] | type[fields.Field[Any]],
        description: str,
        *,
        minimum: int | None = None,
        maximum: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401 - marshmallow's own options
    ) -> None:
        if minimum is not None or maximum is not None:
            options["validate"] = validate.Length(
                min=minimum, max=maximum, error=_length_sentence(minimum, maximum)
            )
        super().__init__(inner, **_field_options(description, metadata, options))


def _length_sentence(minimum: int | None, maximum: int | None) -> str:
    return (
        f"Send an array of {minimum or 0} to {maximum} entries."
        if maximum
        else f"Send {minimum} entries or more."
    )


class Nested(fields.Nested):
    """A JSON object inside another one."""

    default_error_messages = {"type": "Send a JSON object."}  # noqa: RUF012 - marshmallow's own declaration

    def __init__(
        self,
        schema: type[Schema],
        description: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401 - marshmallow's own options
    ) -> None:
        super().__init__(schema, **_field_options(description, metadata, options))


class Enum(fields.String):
    """A string from a closed set: a named component of the document, so that clients get a type."""

    def __init__(
        self,
        component: str,
        values: Sequence[str],
        description: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401 - marshmallow's own options
    ) -> None:
        self.component = component
        self.values = tuple(map(str, values))
        self._values = frozenset(values)
        super().__init__(**_field_options(description, metadata, options))

    def component_schema(self) -> Json:
        """Return the component as JSON Schema."""
        return {"type": "string", "enum": list(self.values)}

    def refusal(self, value: Any) -> str:  # noqa: ANN401 - JSON
        """Return the error message for any other value."""
        del value
        return f"Send one of: {', '.join(self.values)}."

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - JSON
        del args, kwargs
        if not isinstance(value, str) or value not in self._values:
            raise ValidationError(self.refusal(value))
        return value


class CardCode(Enum):
    """The code of a card."""

    def __init__(self, description: str = "A card.", **options: Any) -> None:  # noqa: ANN401
        super().__init__("Card", tuple(ORDER), description, **options)

    def component_schema(self) -> Json:
        """Return the component with a description of how cards are written."""
        return {
            **super().component_schema(),
            "description": (
                "Rank and suit: A 2 3 4 5 6 7 8 9 T J Q K, then C D H S. Jokers are X1 to X6. "
                "With several packs every code except a joker's occurs once in each."
            ),
        }

    def refusal(self, value: Any) -> str:  # noqa: ANN401 - JSON
        """Return the error message for any other value."""
        del value
        return CARD_SENTENCE


class RunEnd(Enum):
    """An end of a run."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__("RunEnd", get_args(End), description, **options)


class Const(fields.String):
    """A constant string: the tag of a member of a union."""

    def __init__(self, value: str) -> None:
        self.value = value
        super().__init__(required=True)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> str:  # noqa: ANN401 - JSON
        del args, kwargs
        if value != self.value:
            raise ValidationError(f"Send {self.value}.")
        return self.value


class CustomField(fields.Field[Any]):
    """A field that writes its own JSON Schema."""

    def json_schema(self) -> Json:
        """Return the JSON Schema of the value."""
        raise NotImplementedError

    def components(self) -> Json:
        """Return the components that the schema refers to, by name."""
        return {}


class TaggedUnion(fields.Field[Any]):
    """One of several objects, distinguished by `type`; every member of the union declares its tag.

    The tag is a `const` in each member. Without it, generated clients would try the
    members in order and take the first that fits.
    """

    def __init__(
        self,
        component: str,
        members: Mapping[str, type[Schema]],
        description: str,
        **options: Any,  # noqa: ANN401
    ) -> None:
        self.component = component
        self.members = {tag: member() for tag, member in members.items()}
        super().__init__(**_field_options(description, None, options))

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - JSON
        del args, kwargs
        if not isinstance(value, dict):
            raise ValidationError("Send a JSON object.")
        tag = value.get("type")
        member = self.members.get(tag) if isinstance(tag, str) else None
        if member is None:
            raise ValidationError({"type": [f"Send one of: {', '.join(self.members)}."]})
        return member.load(value)


def flatten_errors(messages: Any, path: str = "") -> list[Json]:  # noqa: ANN401 - marshmallow's messages
    """Return marshmallow's nested messages as a list, each with its path, such as `position.hands.0`."""
    if isinstance(messages, Mapping):
        return [
            entry
            for key, inner in messages.items()
            for entry in flatten_errors(
                inner, path if key == "_schema" else f"{path}.{key}" if path else str(key)
            )
        ]
    if isinstance(messages, str):
        return [{"field": path, "message": messages}]
    return [entry for inner in messages for entry in flatten_errors(inner, path)]
