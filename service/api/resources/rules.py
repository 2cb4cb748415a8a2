"""The rules of a preset, as text for people."""

from functools import cache

import msgspec
from flask import Response

from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.responses import CONTENT_TAG, PUBLIC, UNCHANGED, cacheable
from service.api.schemas.rules import RulesSchema
from service.api.versions import IF_NONE_MATCH, Tags
from service.api.views.rule_book import complete_rule_book, preset_rule_book, to_markdown
from service.rummy.presets import PRESETS

rules = Resource("rules", __name__, url_prefix="/v1", description="The rules in plain words.")

MARKDOWN = "text/markdown; charset=utf-8"


@rules.operation(
    "GET /rules/<string(maxlength=64):preset>",
    "getRules",
    parameters=(IF_NONE_MATCH,),
    response=ResponseSpec(
        schema=RulesSchema,
        description="The rules, by chapter.",
        headers=CONTENT_TAG,
        other_responses=UNCHANGED,
    ),
    errors=("not_found",),
)
def get_rules(*, preset: str, if_none_match: Tags | None) -> Response:
    """Get the rules of a preset.

    Generated from the options of the preset, with the rule numbers that errors cite.
    """
    response = Response(_json(known_preset(preset)), content_type="application/json")
    return cacheable(response, PUBLIC, if_none_match)


@rules.operation(
    "GET /rules/<string(maxlength=64):preset>.md",
    "getRulesText",
    parameters=(IF_NONE_MATCH,),
    response=ResponseSpec(
        schema={"type": "string"},
        description="The rules, as Markdown.",
        media_type="text/markdown",
        headers=CONTENT_TAG,
        other_responses=UNCHANGED,
    ),
    errors=("not_found",),
)
def get_rules_text(*, preset: str, if_none_match: Tags | None) -> Response:
    """Get the rules of a preset as text.

    As getRules, as Markdown to print or to read at the table.
    """
    response = Response(to_markdown(preset_rule_book(known_preset(preset))), content_type=MARKDOWN)
    return cacheable(response, PUBLIC, if_none_match)


@rules.operation(
    "GET /rule-book.md",
    "getRuleBook",
    parameters=(IF_NONE_MATCH,),
    response=ResponseSpec(
        schema={"type": "string"},
        description="The rule book, as Markdown.",
        media_type="text/markdown",
        headers=CONTENT_TAG,
        other_responses=UNCHANGED,
    ),
)
def get_rule_book(*, if_none_match: Tags | None) -> Response:
    """Get the rule book.

    The complete rules with every option, as Markdown. The `rule` of a refused move and of
    each rule of a preset is an anchor here: rule 2.9 is at `/v1/rule-book.md#2.9`.
    """
    return cacheable(Response(_rule_book(), content_type=MARKDOWN), PUBLIC, if_none_match)


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
