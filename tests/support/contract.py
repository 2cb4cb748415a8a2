"""A client that holds every answer against the OpenAPI document: what is not documented fails the test."""

import gzip
import json
from copy import deepcopy
from functools import cache, cached_property

from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator
from werkzeug.exceptions import HTTPException

from service.api.document import Document


class Contract:
    """The document of an app, as a judge of answers."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    @cached_property
    def document(self):
        return self._app.extensions[Document.NAME].complete()

    @cached_property
    def operations(self):
        return {
            operation["operationId"]: operation
            for path in self.document["paths"].values()
            for operation in path.values()
            if isinstance(operation, dict)
        }

    @cache  # noqa: B019 - one contract a session
    def _validator(self, schema):
        components = {"schemas": self._schemas}
        return Draft202012Validator({**json.loads(schema), "components": components}, validate_formats=True)

    @cached_property
    def _schemas(self):
        schemas = deepcopy(self.document["components"]["schemas"])
        _close(schemas)
        _sort_out(schemas)
        return schemas

    def operation_of(self, method, path):
        """Return the documented operation a request reaches, None where it reaches none."""
        try:
            endpoint, _ = self._app.url_map.bind("localhost").match(path, method)
        except HTTPException:
            return None
        return self.operations.get(endpoint.rsplit(".", 1)[-1])

    def check(self, method, path, answer):
        """Fail unless the answer is one that the document lists for the request."""
        operation = self.operation_of(method, path)
        if operation is None:
            return
        name = operation["operationId"]
        told = operation["responses"].get(str(answer.status_code))
        assert told is not None, (
            f"{name} answers {answer.status_code}, which is not documented: {answer.text}"
        )
        content = told.get("content")
        if content is None:
            assert answer.data == b"", f"{name} {answer.status_code} has a body, which is not documented"
            return
        assert answer.mimetype in content, f"{name} answers {answer.mimetype}, which is not documented"
        if answer.is_json:
            self.fits(content[answer.mimetype]["schema"], json.loads(unpacked(answer)))
        if answer.status_code < 300:
            for header in told.get("headers", {}):
                assert header in answer.headers, f"{name} lacks the header {header}"

    def fits(self, schema, value):
        """Fail unless the value fits a schema of the document, with no member that is not documented."""
        validator = self._validator(json.dumps(schema))
        errors = [f"{error.instance_path}: {error.message[:300]}" for error in validator.iter_errors(value)]
        assert not errors, "\n".join(errors)


def _close(node):
    """Make every object refuse members that are not documented: answers may grow, but not unseen."""
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            node.setdefault("additionalProperties", False)
        for inner in node.values():
            _close(inner)
    if isinstance(node, list):
        for inner in node:
            _close(inner)


def _sort_out(schemas):
    """Judge a member of a union by its tag, not by trying all of them: quicker, and a plainer complaint."""
    for schema in schemas.values():
        if "discriminator" in schema:
            mapping = schema.pop("discriminator")["mapping"]
            assert [{"$ref": ref} for ref in mapping.values()] == schema.pop("oneOf")
            schema["properties"] = {"type": {"enum": list(mapping)}}
            schema["allOf"] = [
                {"if": {"properties": {"type": {"const": tag}}}, "then": {"$ref": ref}}
                for tag, ref in mapping.items()
            ]


def unpacked(answer):
    """Return the body of a response as it was before it was packed."""
    return gzip.decompress(answer.data) if answer.content_encoding == "gzip" else answer.data


class CheckedClient(FlaskClient):
    """The test client, with a judge."""

    contract: Contract

    def open(self, *args, **kwargs):
        answer = super().open(*args, **kwargs)
        request = answer.request
        if request.method not in {"OPTIONS", "HEAD"}:
            self.contract.check(request.method, request.path, answer)
        return answer
