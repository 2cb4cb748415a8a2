"""OpenAPI links between operations, derived from the paths of the document.

What POST `/seeks` creates is the subject of the operations under `/seeks/{seek_id}`, so the response of the
first links to the others. Readers see what to call next, and test tools request things that exist.
"""

import re
from collections.abc import Iterator
from typing import Final

from service.runtime.json_object import Json

_SCHEMAS: Final = "#/components/schemas/"
#: A path whose only parameter is the id of something that a POST to its parent path creates.
_ABOUT_ONE: Final = re.compile(r"(?P<made_at>/[^{}]+)/\{(?P<parameter>[a-z_]+_id)\}(?P<more>[^{}]*)")


def link(document: Json) -> None:
    """Add links to the operations on a new thing to every response that creates one."""
    for path, methods in document["paths"].items():
        about = _ABOUT_ONE.fullmatch(path)
        maker = document["paths"].get(about["made_at"], {}).get("post") if about else None
        if about is None or maker is None:
            continue
        made = maker["responses"].get("201")
        pointer = _id_in(document, made)
        for operation in _of(methods) if pointer else ():
            _add(made, operation, {about["parameter"]: f"$response.body#{pointer}"})
    _from_legal_moves(document)


def _from_legal_moves(document: Json) -> None:
    """Link listLegalMoves to the operations that accept its bodies unchanged."""
    operations = {
        operation["operationId"]: operation
        for methods in document["paths"].values()
        for operation in _of(methods)
    }
    listed = operations["listLegalMoves"]["responses"]["200"]
    schemas = document["components"]["schemas"]
    for reference in schemas["LegalMove"]["discriminator"]["mapping"].values():
        move = schemas[reference.removeprefix(_SCHEMAS)]
        operation = operations[move["properties"]["operation_id"]["const"]]
        _add(listed, operation, {"game_id": "$request.path.game_id"})
        listed["links"][operation["operationId"]] |= {
            "requestBody": "$response.body#/moves/0/body",
            "description": "If the first listed move names this operation; likewise for every other move.",
        }


def _of(methods: Json) -> Iterator[Json]:
    return (operation for operation in methods.values() if isinstance(operation, dict))


def _add(answer: Json, operation: Json, parameters: Json) -> None:
    name = operation["operationId"]
    answer.setdefault("links", {})[name] = {"operationId": name, "parameters": parameters}


def _id_in(document: Json, answer: Json | None) -> str | None:
    """Return the pointer to the new id in a response: at its top, or in its only member with one."""
    schema = (answer or {}).get("content", {}).get("application/json", {}).get("schema", {})
    members = _members(document, schema)
    if "id" in members:
        return "/id"
    inner = [name for name, member in members.items() if "id" in _members(document, member)]
    return f"/{inner[0]}/id" if len(inner) == 1 else None


def _members(document: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").removeprefix(_SCHEMAS)
    members: Json = document["components"]["schemas"].get(name, {}).get("properties", {})
    return members
