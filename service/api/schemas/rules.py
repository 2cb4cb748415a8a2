"""The rules of a variant in plain words."""

from service.api.schemas.base import Many, Part, ResponseSchema, Text
from service.api.schemas.variants import OptionsSchema, preset_name


class RuleSchema(ResponseSchema):
    """One rule."""

    rule = Text("Its number in the rule book, as refused moves cite it.", metadata={"example": "2.5"})
    text = Text("What it says for this variant.")


class ChapterSchema(ResponseSchema):
    """Rules that belong together."""

    title = Text("What they are about.")
    rules = Many(Part(RuleSchema, "A rule."), "The rules, in the order they are needed.")


class RulesSchema(ResponseSchema):
    """All rules of a variant."""

    preset = preset_name("The preset it started from.")
    title = Text("What people call the preset.")
    sentence = Text("What is special about the preset.")
    options = Part(OptionsSchema, "What the rules were made from.")
    chapters = Many(Part(ChapterSchema, "A chapter."), "The rules.")
