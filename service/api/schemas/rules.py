"""The rules of a variant in plain words."""

from service.api.schemas.base import List, Nested, ResponseSchema, String
from service.api.schemas.variants import OptionsSchema, preset_name


class RuleSchema(ResponseSchema):
    """One rule."""

    rule = String("Its number in the rule book, as refused moves cite it.", metadata={"example": "2.5"})
    text = String("What it says for this variant.")


class ChapterSchema(ResponseSchema):
    """Rules that belong together."""

    title = String("What they are about.")
    rules = List(Nested(RuleSchema, "A rule."), "The rules, in the order they are needed.")


class RulesSchema(ResponseSchema):
    """All rules of a variant."""

    preset = preset_name("The preset it started from.")
    title = String("What people call the preset.")
    sentence = String("What is special about the preset.")
    options = Nested(OptionsSchema, "What the rules were made from.")
    chapters = List(Nested(ChapterSchema, "A chapter."), "The rules.")
