"""Finds the changes of an OpenAPI document that break clients of an older one.

`/v1` never breaks its clients: valid requests stay valid, and answers keep their members. Schemas are
compared in two directions. What clients send must still be accepted, so nothing there may become narrower or
required. What they receive must still be understood, so nothing there may disappear or become nullable.

Clients must ignore what they do not know, so new operations, members, enum values, union members and error
codes of answers break nothing. Renaming what generators make types and methods of does.
"""

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from service.runtime.json_object import Json

Way: TypeAlias = Literal["sent", "answered"]

_SCHEMAS: Final = "#/components/schemas/"
_PARAMETERS: Final = "#/components/parameters/"
#: In what clients send, lower bounds may not rise and upper bounds may not fall.
_FROM_BELOW: Final = ("minimum", "minLength", "minItems", "minProperties")
_FROM_ABOVE: Final = ("maximum", "maxLength", "maxItems", "maxProperties")
#: These cannot be compared, so none may be added or changed; one may be removed.
_FORMS: Final = ("pattern", "format", "multipleOf", "uniqueItems", "propertyNames")


def breaking_changes(old: Json, new: Json) -> list[str]:
    """Return a sentence, with its place, for each breaking change of the newer document."""
    return list(dict.fromkeys(_Comparison(old, new).all()))


@dataclass(slots=True)
class _Comparison:
    old: Json
    new: Json
    _seen: set[tuple[str, str, Way]] = field(default_factory=set)

    def all(self) -> Iterator[str]:
        for name in self.old["components"]["schemas"]:
            if name not in self.new["components"]["schemas"]:
                yield f"The schema {name} is gone; generated clients have a type of this name."
        for code, statuses in _codes(self.old).items():
            after = _codes(self.new).get(code, set())
            if not statuses <= after:
                yield f"The code {code} came with {_listed(statuses)} and comes with {_listed(after)}."
        operations = _operations(self.new)
        for route, before in _operations(self.old).items():
            if route in operations:
                yield from self._operation(before, operations[route])
            else:
                yield f"{before['operationId']}: {route} is gone."
        yield from self._unreferenced()

    def _unreferenced(self) -> Iterator[str]:
        """Compare schemas that no operation refers to, such as frames of streams and bodies of webhooks."""
        # A schema that may be null was compared where it stands, under no name of its own.
        compared = {reference for reference, _, _ in self._seen} | _references(self.old)
        for name in sorted(
            self.old["components"]["schemas"].keys() & self.new["components"]["schemas"].keys()
        ):
            same = {"$ref": f"{_SCHEMAS}{name}"}
            if same["$ref"] not in compared:
                yield from self._schema(name, same, same, "answered")

    def _operation(self, old: Json, new: Json) -> Iterator[str]:
        name = old["operationId"]
        if new["operationId"] != name:
            yield f"{name}: it was renamed to {new['operationId']}, which renames the methods of clients."
        if new.get("tags") != old.get("tags"):
            yield f"{name}: its tag was {old.get('tags')} and is {new.get('tags')}."
        if new.get("security") and not old.get("security"):
            yield f"{name}: it requires a token now."
        elif old.get("x-scope") != new.get("x-scope") and new.get("security"):
            yield f"{name}: it requires the scope {new.get('x-scope')} instead of {old.get('x-scope')}."
        for callback in sorted(old.get("callbacks", {}).keys() - new.get("callbacks", {}).keys()):
            yield f"{name}: the callback {callback} is gone."
        yield from self._parameters(name, old, new)
        yield from self._body(f"{name} body", old.get("requestBody"), new.get("requestBody"))
        gained = _parameters(self.new, new).keys() - _parameters(self.old, old).keys()
        yield from self._answers(
            name, old["responses"], new["responses"], frozenset(called for _, called in gained)
        )

    def _parameters(self, name: str, old: Json, new: Json) -> Iterator[str]:
        before, after = _parameters(self.old, old), _parameters(self.new, new)
        for (where, called), specified in after.items():
            if specified.get("required") and not before.get((where, called), {}).get("required"):
                yield f"{name} {called}: this {where} parameter is required now."
        for (where, called), specified in before.items():
            if (where, called) not in after:
                yield f"{name} {called}: this {where} parameter is gone."
            else:
                now = after[where, called]
                yield from self._schema(f"{name} {called}", specified["schema"], now["schema"], "sent")

    def _body(self, place: str, old: Json | None, new: Json | None) -> Iterator[str]:
        if new and new.get("required") and not (old and old.get("required")):
            yield f"{place}: it is required now."
        if old is None:
            return
        if new is None:
            yield f"{place}: it is no longer accepted."
        else:
            yield from self._content(place, old["content"], new["content"], "sent")

    def _answers(self, name: str, old: Json, new: Json, gained: frozenset[str]) -> Iterator[str]:
        for status in sorted(old.keys() - new.keys()):
            yield f"{name} {status}: this status is gone."
        for status in sorted(new.keys() - old.keys()):
            # A client that does not know a parameter never gets the status that only its senders get.
            is_asked_for = any(f"`{parameter}`" in new[status]["description"] for parameter in gained)
            if int(status) < 400 and not is_asked_for:  # noqa: PLR2004 - a success; new errors are allowed
                yield f"{name} {status}: this status is new; clients know only {sorted(old)}."
        for status in sorted(old.keys() & new.keys()):
            before, after = old[status], new[status]
            place = f"{name} {status}"
            for header in sorted(before.get("headers", {}).keys() - after.get("headers", {}).keys()):
                yield f"{place}: the header {header} is gone."
            yield from self._content(place, before.get("content", {}), after.get("content", {}), "answered")

    def _content(self, place: str, old: Json, new: Json, way: Way) -> Iterator[str]:
        for media_type, specified in old.items():
            if media_type not in new:
                yield f"{place}: {media_type} is gone."
            elif "schema" in specified:
                yield from self._schema(place, specified["schema"], new[media_type].get("schema", {}), way)

    def _schema(self, place: str, old: Json, new: Json, way: Way) -> Iterator[str]:
        if way == "sent" and old.get("default") != new.get("default"):
            yield f"{place}: its default was {old.get('default')} and is {new.get('default')}."
        if "$ref" in old:
            # Compared once, under its own name; this also ends recursion.
            pair = (old["$ref"], new.get("$ref", place), way)
            if pair in self._seen:
                return
            self._seen.add(pair)
            place = old["$ref"].removeprefix(_SCHEMAS)
        before, after = _alternatives(self.old, old), _alternatives(self.new, new)
        yield from _kinds(place, before, after, way)
        for kind in sorted(before.keys() & after.keys()):
            yield from self._alike(place, before[kind], after[kind], way)

    def _alike(self, place: str, old: Json, new: Json, way: Way) -> Iterator[str]:
        """Compare two schemas of one kind."""
        gone = [value for value in old.get("enum", ()) if value not in new.get("enum", (value,))]
        if gone:
            yield f"{place}: the values {gone} are gone."
        if way == "sent":
            yield from _narrowed(place, old, new)
        elif old.get("format") != new.get("format"):
            yield f"{place}: its format was {old.get('format')} and is {new.get('format')}."
        yield from self._members(place, old, new, way)
        for part, called in (("items", "[]"), ("additionalProperties", "{}")):
            if isinstance(old.get(part), dict) and isinstance(new.get(part), dict):
                yield from self._schema(f"{place}{called}", old[part], new[part], way)

    def _members(self, place: str, old: Json, new: Json, way: Way) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        needed_before, needed = set(old.get("required", ())), set(new.get("required", ()))
        for name in sorted(before.keys() - after.keys()):
            yield f"{place}.{name}: this member is gone."
        if way == "sent":
            for name in sorted(needed - needed_before):
                yield f"{place}.{name}: this member is required now."
        else:
            for name in sorted((needed_before & after.keys()) - needed):
                yield f"{place}.{name}: this member is optional now."
        for name in sorted(before.keys() & after.keys()):
            yield from self._schema(f"{place}.{name}", before[name], after[name], way)


def _operations(document: Json) -> dict[str, Json]:
    """Return the operations by route, each with the parameters of its path."""
    return {
        f"{method.upper()} {path}": {
            **operation,
            "parameters": [*methods.get("parameters", []), *operation.get("parameters", [])],
        }
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    }


def _references(document: Json) -> set[str]:
    """Return the references to schemas that the operations hold, also those inside other schemas."""
    found: set[str] = set()
    waiting: list[object] = [document["paths"]]
    while waiting:
        match waiting.pop():
            case {"$ref": str(reference)} if reference.startswith(_SCHEMAS) and reference not in found:
                found.add(reference)
                waiting.append(document["components"]["schemas"][reference.removeprefix(_SCHEMAS)])
            case dict() as members:
                waiting.extend(members.values())
            case list() as entries:
                waiting.extend(entries)
            case _:
                pass
    return found


def _codes(document: Json) -> dict[str, set[str]]:
    """Return the statuses of every problem code, from the descriptions of the error responses."""
    found: dict[str, set[str]] = {}
    for operation in _operations(document).values():
        for status, specified in operation["responses"].items():
            if "application/problem+json" in specified.get("content", {}):
                for code in re.findall(r"(?:^|; )`([a-z_]+)`:", specified["description"]):
                    found.setdefault(code, set()).add(status)
    return found


def _listed(statuses: set[str]) -> str:
    return " and ".join(sorted(statuses)) or "none"


def _parameters(document: Json, operation: Json) -> dict[tuple[str, str], Json]:
    components = document["components"].get("parameters", {})
    specified = [
        components[one["$ref"].removeprefix(_PARAMETERS)] if "$ref" in one else one
        for one in operation["parameters"]
    ]
    return {(one["in"], one["name"]): one for one in specified}


def _alternatives(document: Json, schema: Mapping[str, Any]) -> dict[str, Json]:
    """Return what a schema allows, by kind: `null`, a JSON type, or a member of a union by its tag."""
    if "$ref" in schema:
        named = document["components"]["schemas"][schema["$ref"].removeprefix(_SCHEMAS)]
        return _alternatives(document, named)
    found: dict[str, Json] = {}
    for one in schema.get("anyOf", schema.get("oneOf", ())):
        for kind, alternative in _alternatives(document, one).items():
            # Several objects without a tag are distinguished by their schema names.
            named = "object" in found and kind == "object" and "$ref" in one
            found[f"object {one['$ref'].removeprefix(_SCHEMAS)}" if named else kind] = alternative
    types = schema.get("type", ())
    for kind in [types] if isinstance(types, str) else types:
        tag = schema.get("properties", {}).get("type", {}).get("const")
        one = dict(schema)
        if "const" in one:
            one["enum"] = [one.pop("const")]
        found[kind if tag is None else f"{kind} {tag}"] = one
    return found


def _kinds(place: str, old: Mapping[str, Json], new: Mapping[str, Json], way: Way) -> Iterator[str]:
    gone, come = old.keys() - new.keys(), new.keys() - old.keys()
    if way == "answered":
        # A union may get new members, but nothing may become null or another type.
        come = {kind for kind in come if " " not in kind or not any(" " in known for known in old)}
        gone = {kind for kind in gone if " " in kind}
        for kind in sorted(come) if old else ():
            yield f"{place}: it may be {kind} now."
    for kind in sorted(gone):
        yield f"{place}: it may no longer be {kind}."


def _narrowed(place: str, old: Json, new: Json) -> Iterator[str]:
    for bounds, is_narrower in ((_FROM_BELOW, operator.gt), (_FROM_ABOVE, operator.lt)):
        for bound in bounds:
            if bound in new and (bound not in old or is_narrower(new[bound], old[bound])):
                yield f"{place}: its {bound} was {old.get(bound)} and is {new[bound]}."
    for form in _FORMS:
        if form in new and new[form] != old.get(form):
            yield f"{place}: its {form} was {old.get(form)} and is {new[form]}."
    if "enum" in new and "enum" not in old:
        yield f"{place}: only {new['enum']} are accepted now."
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield f"{place}: unknown members are refused now."
