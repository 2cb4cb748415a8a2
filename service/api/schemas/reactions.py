"""Reactions, and what they say."""

from typing import Any

from service.api.schemas.base import Enum, RequestSchema, ResponseSchema, String
from service.games.reactions import REACTIONS


def reaction_key(description: str, **options: Any) -> Enum:  # noqa: ANN401 - marshmallow's own options
    """Return a field for the key of a reaction."""
    return Enum("ReactionKey", tuple(REACTIONS), description, **options)


class NewReactionSchema(RequestSchema):
    """A reaction to send."""

    key = reaction_key("The key, from getMeta.", required=True)


class ReactionSchema(ResponseSchema):
    """A reaction that players may send."""

    key = reaction_key("The key for sendReaction.")
    text = String("What it says in English, for clients that have no words or pictures of their own.")
