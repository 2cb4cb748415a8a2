"""The OpenAPI document: generated from the operations, with examples from files."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask_smorest import Api  # type: ignore[import-untyped] # it has no types
from marshmallow import Schema, fields

import service
from service.api import parameters, versions
from service.api.links import link
from service.api.schemas.base import Const, CustomField, Enum, OneOfSchema, TaggedUnion
from service.api.schemas.streams import account_event, stream_event
from service.api.schemas.webhooks import WebhookMessageSchema, webhook_callbacks
from service.api.sse.event_stream import SSE_TYPE
from service.api.sse.tickets import TICKET
from service.runtime.json_object import Json

_PACKAGE: Final = Path(service.__file__).parent
#: The folder of the document and its examples: in a checkout beside the package, installed inside it.
FOLDER: Final = next(
    (folder for folder in (_PACKAGE.parent / "openapi", _PACKAGE / "openapi") if folder.is_dir()),
    _PACKAGE.parent / "openapi",
)

DESCRIPTION: Final = """\
Rummy 500 over HTTP, for people, bots and computers at one table.

**Get started** with `createPlayer`: it returns a token, which every other request sends as
`Authorization: Bearer ...`. Then call `createGame` against the computer, `getGame` and `listLegalMoves`, and
post the `body` of a legal move to the operation it names, until the game is over.

**Versions.** Every change of a game increments its `version`, and the ETag of a game is `"<version>"`. Send
it with a move (`If-Match`, or `if_version=41`), and with `wait_ms` to wait for the next change
(`If-None-Match`, or `newer_than=41`). In a page of another origin send it as `Expected-Version` and
`Known-Version`: then browsers send no preflight before each request.

**Streams.** `streamGame` sends events as they happen, and resumes where you left off with `Last-Event-ID`. If
no stream is available (503 `stream_capacity`), use `getGame` with `wait_ms`.

**Real cards.** `createScoreSheet` keeps the score of a game played elsewhere, without an account.

**Retries.** Send an `Idempotency-Key` with every POST: a retry of the same request gets the first response.

**Errors** are problem details (RFC 9457) with a `code` for programs and a sentence for people. A refused move
has changed nothing. **Cards** are written `7H`, `TD`, `AS`; jokers are `X1` to `X6`. Times are RFC 3339 in
UTC, durations are whole milliseconds. A whole number in a body may have a point (`2.0`); in a query parameter
it has digits only. Requests with unknown members or query parameters are errors. Responses
may gain members, enum values and event types: ignore those you do not know.
"""


#: The guide to the operations of a tag: its path, and what it describes.
_GUIDES: Final = {
    "rules": ("/v1/rule-book.md", "The complete rule book."),
    "moves": ("/v1/rule-book.md", "The complete rule book: a refusal names its rule."),
    "streams": ("/docs/bots#streams-instead-of-polling", "How to follow a game live."),
    "replays": ("/docs/notation", "The notation of replays."),
    "score_sheets": ("/docs/scores", "How to keep the score of a game with real cards."),
}


class _Converter(OpenAPIConverter):
    """Writes named enums and tagged unions as components."""

    def field2property(self, field: fields.Field[Any]) -> Json:
        """Return the field as JSON Schema, a reference if it is a component."""
        prop: Json
        if isinstance(field, Enum | TaggedUnion):
            self._component(field)
            prop = {"$ref": f"#/components/schemas/{field.component}"}
            if field.allow_none:
                prop = {"anyOf": [prop, {"type": "null"}]}
            return prop | self.metadata2properties(field) | self._default(field)
        if isinstance(field, CustomField):
            self._components_of(field)
            return field.json_schema() | self.metadata2properties(field)
        prop = super().field2property(field)
        if isinstance(field, Const):
            prop["const"] = field.value
        return prop

    def schema2jsonschema(self, schema: Schema) -> Json:
        """Return the schema as JSON Schema; a schema with alternatives becomes a `oneOf`."""
        if isinstance(schema, OneOfSchema):
            return {"oneOf": [self.resolve_nested_schema(member) for member in schema.members]}  # type: ignore[no-untyped-call] # apispec
        json_schema: Json = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call] # apispec
        return json_schema

    def _default(self, field: fields.Field[Any]) -> Json:
        return self.field2default(field) if isinstance(field, Enum) else {}

    def _components_of(self, field: CustomField) -> None:
        known = self.spec.components
        for name, schema in field.components().items():
            if name not in known.schemas:
                known.schema(name, schema)

    def _component(self, field: Enum | TaggedUnion) -> None:
        components = self.spec.components
        if field.component in components.schemas:
            return
        if isinstance(field, Enum):
            components.schema(field.component, field.component_schema())
            return
        # Registered before its members, which may contain the same union.
        components.schema(field.component, {})
        members = {
            tag: self.resolve_nested_schema(member)  # type: ignore[no-untyped-call] # apispec
            for tag, member in field.members.items()
        }
        components.schemas[field.component].update(
            {
                "oneOf": list(members.values()),
                "discriminator": {
                    "propertyName": "type",
                    "mapping": {tag: member["$ref"] for tag, member in members.items()},
                },
            }
        )


class _Plugin(MarshmallowPlugin):
    Converter = _Converter

    def union(self, field: TaggedUnion) -> None:
        """Make a component of a union that no body refers to."""
        assert self.converter is not None  # noqa: S101 - set when the document is created
        self.converter.field2property(field)


class Document(Api):  # type: ignore[misc] # flask-smorest has no types
    """The Api of flask-smorest, with our errors in place of its own."""

    NAME: Final = "openapi"
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask) -> None:
        app.extensions[self.NAME] = self
        app.config.update(
            API_TITLE="Rummy 500",
            API_VERSION=service.__version__,
            OPENAPI_VERSION="3.1.0",
            API_SPEC_OPTIONS={
                "info": {
                    "description": DESCRIPTION,
                    "license": {"name": "MIT", "identifier": "MIT"},
                    "contact": {"name": "Rummy 500 service contributors"},
                },
                "servers": [{"url": "/", "description": "This server"}],
                "security": [{"bearer": []}],
            },
        )
        plugin = _Plugin()
        super().__init__(app, spec_kwargs={"marshmallow_plugin": plugin})
        self.spec.components.security_scheme(
            "bearer",
            {
                "type": "http",
                "scheme": "bearer",
                "description": "The token from createPlayer or createToken.",
            },
        )
        self.spec.components.security_scheme(
            TICKET,
            {
                "type": "apiKey",
                "in": "query",
                "name": TICKET,
                "description": "A ticket from createStreamTicket: opens one stream, within a minute.",
            },
        )
        # No body refers to them: to OpenAPI the content of a stream is text.
        for union in (stream_event(), account_event()):
            plugin.union(union)
        self.spec.components.schema("WebhookMessage", schema=WebhookMessageSchema)
        for parameter in (*parameters.ALL, *versions.ALL):
            self.spec.components.parameter(
                parameter.component_name, parameter.place, parameter.component(), lazy=True
            )

    def _register_error_handlers(self) -> None:
        """Register none: `problems.register` handles all errors."""

    def _register_responses(self) -> None:
        """Leave out the error responses of the library: ours are problems."""

    def _register_etag_headers(self) -> None:
        """Leave out the headers of the library: ours are declared in `parameters`."""

    def _register_pagination_header(self) -> None:
        """Leave out the pagination of the library: ours has a cursor."""

    def complete(self) -> Json:
        """Return the complete document with its examples."""
        document: Json = deepcopy(self.spec.to_dict())
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    _add_example(operation)
                    _document_scope(operation)
        link(document)
        document["externalDocs"] = {"url": "/docs/bots", "description": "How to write a bot, in ten minutes."}
        for tag in document["tags"]:
            if guide := _GUIDES.get(tag["name"]):
                tag["externalDocs"] = {"url": guide[0], "description": guide[1]}
        # As a callback, not under `webhooks`: openapi-generator makes calls of those that do not compile.
        message = webhook_callbacks({"$ref": "#/components/schemas/WebhookMessage"})
        document["paths"]["/v1/webhooks"]["post"]["callbacks"] = message
        return document


def _document_scope(operation: Json) -> None:
    if "x-scope" in operation:
        operation["description"] += f"\n\nNeeds a token with the scope `{operation['x-scope']}`."
    if "x-optional-scope" in operation:
        scope = operation["x-optional-scope"]
        operation["description"] += f"\n\nA token is optional; one that is sent needs the scope `{scope}`."


def _add_example(operation: Json) -> None:
    example = examples().get(operation["operationId"])
    if example is None:
        return
    if "body" in example and "requestBody" in operation:
        operation["requestBody"]["content"]["application/json"]["example"] = example["body"]
    content = operation["responses"].get(str(example["status"]), {}).get("content", {})
    for name, media in content.items():
        if name == PDF_TYPE:  # A binary response has no example.
            continue
        media["example"] = first_event(example["answer"]) if name == SSE_TYPE else example["answer"]


PDF_TYPE: Final = "application/pdf"


def first_event(frames: str) -> Json:
    """Return the first event of a stream as a JSON object."""
    frame = next(frame for frame in frames.split("\n\n") if "data: " in frame)
    return dict(line.split(": ", 1) for line in frame.split("\n"))


@cache
def examples() -> dict[str, Json]:
    """Return the example of each operation by its operationId, from `openapi/examples`."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((FOLDER / "examples").glob("*.json"))
    }


def as_text(document: Json) -> str:
    """Return the document as text, as it is committed and served."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
