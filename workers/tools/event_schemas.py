"""Check that the schemas of events and notifications declare what the service writes.

An event is a dataclass where it happens and a schema in the API's document. Nothing
derives one from the other, because the schema adds descriptions and named components;
these checks compare them member by member, so that neither changes alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from service.api.schemas import base
from service.api.schemas.events import EVENTS, EventSchema
from service.api.schemas.streams import NOTICES, NoticeSchema
from service.games.notifications import NOTIFICATION_TYPES, Notification
from service.games.record import LOGGED_TYPES
from service.rummy.cards import Card
from service.rummy.state import Meld, Turn
from service.rummy.variants import Variant

#: Classes that `service.api.views.rendering` writes out member by member, in a form of its own or in part.
_RENDERED: Final = (Variant,)
_SHOWN_IN_PART: Final = (Meld, Turn)

_FIELDS: Final[Mapping[Any, tuple[type, ...]]] = {
    bool: (base.Boolean,),
    int: (base.Integer,),
    str: (base.String, base.Enum),
    Card: (base.CardCode,),
}


def schema_faults(
    events: Mapping[str, type] = LOGGED_TYPES, schemas: Mapping[str, type[Any]] = EVENTS
) -> Iterator[str]:
    """Yield a sentence for each event or member that only one of the two declares, or another way."""
    for name in sorted(events.keys() - schemas.keys()):
        yield f"{name}: the event has no schema in service/api/schemas/events.py."
    for name in sorted(schemas.keys() - events.keys()):
        yield f"{name}: the schema describes no event of a game's log."
    # What stands beside the event in an entry of the log.
    shared = {*EventSchema().fields, "type", "deadline_at"}
    for name in sorted(events.keys() & schemas.keys()):
        declared = {key: field for key, field in schemas[name]().fields.items() if key not in shared}
        yield from _member_faults(name, events[name], declared)


def notice_faults(
    types: tuple[str, ...] = NOTIFICATION_TYPES, schemas: Mapping[str, type[Any]] = NOTICES
) -> Iterator[str]:
    """Yield a sentence for each type of notification, or member of all, that only one declares."""
    for name in sorted({*types} ^ schemas.keys()):
        yield f"{name}: either no notification has this type, or no schema in schemas/streams.py."
    sent = {member.name for member in fields(Notification)} - {"player_id"}
    declared = {*NoticeSchema().fields, "type"} - {"id"}
    for member in sorted(sent ^ declared):
        yield f"Notification.{member}: not both the notification and its schema have this member."


def _member_faults(place: str, kind: type[Any], declared: Mapping[str, Any]) -> Iterator[str]:
    written = get_type_hints(kind)
    names = {member.name for member in fields(kind)}
    always = {name for name, field in declared.items() if not field.metadata.get("sometimes", False)}
    for name in sorted(always - names):
        yield f"{place}.{name}: the schema declares a member that {kind.__name__} does not have."
    if kind not in _SHOWN_IN_PART:
        for name in sorted(names - declared.keys()):
            yield f"{place}.{name}: {kind.__name__} has a member that the schema does not declare."
    for name in sorted(names & declared.keys()):
        yield from _type_faults(f"{place}.{name}", written[name], declared[name])


def _type_faults(place: str, annotation: Any, field: Any) -> Iterator[str]:  # noqa: ANN401 - types, fields
    kind, may_be_null = _without_null(annotation)
    if may_be_null != field.allow_none:
        yield f"{place}: only one of the event and its schema may be null."
    words = _words(kind)
    if get_origin(kind) is tuple and isinstance(field, base.List):
        yield from _type_faults(f"{place}[]", get_args(kind)[0], field.inner)
    elif is_dataclass(kind) and isinstance(kind, type) and isinstance(field, base.Nested):
        if kind not in _RENDERED:
            yield from _member_faults(place, kind, field.schema.fields)
    elif words is not None and isinstance(field, base.Enum):
        if {*field.values} != words:
            yield f"{place}: the event may be {', '.join(sorted(words))}; the schema lists other words."
    elif not isinstance(field, _FIELDS.get(kind, ())) or (kind is str and isinstance(field, base.CardCode)):
        yield f"{place}: the event has {kind}, which no {type(field).__name__} describes."


def _without_null(annotation: Any) -> tuple[Any, bool]:  # noqa: ANN401 - any type
    """Return the type without None, and whether None was part of it."""
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation, False
    [kind] = [kind for kind in get_args(annotation) if kind is not NoneType]
    return kind, True


def _words(kind: Any) -> set[str] | None:  # noqa: ANN401 - any type
    """Return the values of a closed set of strings; None for any other type."""
    if get_origin(kind) is Literal:
        return {*get_args(kind)}
    return {*kind} if isinstance(kind, type) and issubclass(kind, StrEnum) else None
