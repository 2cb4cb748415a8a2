"""The rules of a preset, as text for people."""

from functools import cache

import msgspec
from flask import Response

from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.schemas.rules import RulesSchema
from service.api.views.rule_book import complete_rule_book, preset_rule_book, to_markdown
from service.rummy.presets import PRESETS

rules = Resource("rules", __name__, url_prefix="/v1", description="The rules in plain words.")

MARKDOWN = "text/markdown; charset=utf-8"


@rules.operation(
    "GET /rules/<string(maxlength=64):preset>",
    "getRules",
    response=ResponseSpec(schema=RulesSchema, description="The rules, by chapter."),
    errors=("not_found",),
)
def get_rules(*, preset: str) -> Response:
    """Get the rules of a preset.

    Generated from the options of the preset, with the rule numbers that errors cite.
    """
    return Response(_json(known_preset(preset)), content_type="application/json")


@rules.operation(
    "GET /rules/<string(maxlength=64):preset>.md",
    "getRulesText",
    response=ResponseSpec(
        schema={"type": "string"}, description="The rules, as Markdown.", media_type="text/markdown"
    ),
    errors=("not_found",),
)
def get_rules_text(*, preset: str) -> Response:
    """Get the rules of a preset as text.

    As getRules, as Markdown to print or to read at the table.
    """
    return Response(to_markdown(preset_rule_book(known_preset(preset))), content_type=MARKDOWN)


@rules.operation(
    "GET /rule-book.md",
    "getRuleBook",
    response=ResponseSpec(
        schema={"type": "string"}, description="The rule book, as Markdown.", media_type="text/markdown"
    ),
)
def get_rule_book() -> Response:
    """Get the rule book.

    The complete rules with every option, as Markdown. The `rule` of a refused move and of
    each rule of a preset is an anchor here: rule 2.9 is at `/v1/rule-book.md#2.9`.
    """
    return Response(_rule_book(), content_type=MARKDOWN)


@cache
def _rule_book() -> str:
    return complete_rule_book()


def known_preset(preset: str) -> str:
    """Return the preset if there is one; raise `Problem` not_found."""
    if preset not in PRESETS:
        raise Problem("not_found", f"Unknown preset. The presets are {', '.join(PRESETS)}.")
    return preset


@cache
def _json(preset: str) -> bytes:
    return msgspec.json.encode(preset_rule_book(preset))
