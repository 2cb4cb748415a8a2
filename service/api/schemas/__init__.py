"""Request and response bodies as marshmallow schemas.

Requests are validated against them: unknown members are refused. Responses are rendered directly
(see `service.api.responses`); their schemas describe them in the OpenAPI document.
"""
