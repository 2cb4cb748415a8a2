"""Refusals can be said in any language: each sentence has a key, a template and parameters."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from service import games, rummy
from service.rummy.sentences import Sentence
from tests.support.tables import discard, draw_stock, lay, table

FOLDERS = [Path(package.__path__[0]) for package in (rummy, games)]
REFUSALS = {"IllegalMove", "Refusal", "ChoiceRequired", "ImpossiblePosition", "_refuse_unless"}


def calls(*names):
    """Yield the calls of these names in the rules and at the table."""
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                    yield path, node


class TestASentence:
    def test_is_the_text_for_people(self):
        said = Sentence("card_not_in_hand", "You do not hold the {card}.", card="7H")

        assert said == "You do not hold the seven of hearts."
        assert (said.key, said.template, said.params) == (
            "card_not_in_hand",
            "You do not hold the {card}.",
            {"card": "7H"},
        )

    @pytest.mark.parametrize(
        "asked,key,params",
        [
            (lay("7H 7D 7C"), "card_not_in_hand", {"card": "7C"}),
            (discard("2C"), "card_not_in_hand", {"card": "2C"}),
        ],
    )
    def test_tells_what_a_refusal_is_about(self, asked, key, params):
        refusal = table(hands=["7H 7D KD", "4C"]).move(draw_stock()).refusal(asked)

        assert (refusal.message.key, refusal.message.params) == (key, params)


class TestEverySentence:
    def test_has_a_key_of_its_own(self):
        templates = defaultdict(set)
        for _, call in calls("Sentence"):
            key, template = (ast.literal_eval(argument) for argument in call.args)
            templates[key].add(template)

        assert {key for key, found in templates.items() if len(found) > 1} == set()
        assert len(templates) > 40

    def test_names_its_parameters(self):
        for path, call in calls("Sentence"):
            template = ast.literal_eval(call.args[1])
            named = {keyword.arg for keyword in call.keywords}
            assert set(re.findall(r"\{(\w+)\}", template)) == named, f"{path.name}:{call.lineno}"

    def test_of_a_refusal_with_a_value_has_parameters(self):
        """A text with a value in it, made by an f-string, could not be said in another language."""
        bare = [
            f"{path.name}:{call.lineno}"
            for path, call in calls(*REFUSALS)
            if any(
                isinstance(argument, ast.JoinedStr) and " " in ast.unparse(argument) for argument in call.args
            )
        ]

        assert bare == []
