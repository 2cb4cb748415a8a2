"""The rules of a variant as text."""

from service.api.schemas.base import List, Nested, ResponseSchema, String
from service.api.schemas.variants import OptionsSchema, preset_name


class RuleSchema(ResponseSchema):
    """One rule."""

    rule = String(
        "Its number in the rule book (getRuleBook), as in `rule` of refused moves.",
        metadata={"example": "2.5"},
    )
    text = String("The rule, as it applies to this variant.")


class ChapterSchema(ResponseSchema):
    """A chapter of the rules."""

    title = String("The title of the chapter.")
    rules = List(
        Nested(RuleSchema, "A rule."), "The rules of the chapter, in the order in which a table needs them."
    )


class RulesSchema(ResponseSchema):
    """All rules of a variant."""

    preset = preset_name("The preset on which the variant is based.")
    title = String("The title of the preset.")
    sentence = String("A sentence about the preset.")
    options = Nested(OptionsSchema, "The options that the rules follow from.")
    chapters = List(Nested(ChapterSchema, "A chapter."), "The chapters.")
