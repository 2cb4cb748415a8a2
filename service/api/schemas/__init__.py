"""The forms of requests and answers, as marshmallow schemas.

Requests are checked against them, and refuse what they do not know. Answers are
built ready (see `service.api.responses`): their schemas are what the document says.
"""
