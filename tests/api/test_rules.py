"""The rules of a variant over HTTP: generated from its options alone."""

import re
from pathlib import Path

import pytest

from service import rummy
from service.api.views.rule_book import preset_rule_book, to_markdown, variant_rule_book
from service.rummy.errors import RULE_OF_CODE, VariantContradiction
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS, resolve

#: What another option must be for this one to mean anything.
BESIDE = {
    "upcard_stays": {"stock_empty": "reshuffle"},
    "floating": {"going_out": "discard_required"},
    "same_card_back": {"top_discard": "may_keep"},
    "call_takes": {"call_rummy": "any_meld"},
    "call_reach": {"call_rummy": "any_meld"},
    "go_out_breaks_tie": {},
    "four_aces_laid": {"four_aces": 100},
    "stock_end_score": {"scoring": "winner_takes_hands"},
    "set_max": {"set_distinct_suits": False},
}


def sentences(preset="classic", seats=4, **overrides):
    book = variant_rule_book(resolve(preset, overrides, seats=seats), seats=seats)
    return {rule.text for chapter in book.chapters for rule in chapter.rules}


class TestTheRulesOfAPreset:
    @pytest.mark.parametrize("preset", PRESETS)
    def test_are_served_as_json_and_as_text(self, client, preset):
        book = client.get(f"/v1/rules/{preset}")
        text = client.get(f"/v1/rules/{preset}.md")

        assert book.json["preset"] == preset
        assert text.content_type == "text/markdown; charset=utf-8"
        for chapter in book.json["chapters"]:
            assert chapter["title"] in text.text
            for rule in chapter["rules"]:
                assert rule["text"] in text.text

    def test_of_an_unknown_preset_are_not_found(self, client):
        for path in ("/v1/rules/poker", "/v1/rules/poker.md"):
            answer = client.get(path)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")
            assert "classic" in answer.json["detail"]

    @pytest.mark.parametrize("preset", PRESETS)
    def test_cite_numbers_that_stand_in_the_rule_book(self, preset):
        rule_book = (Path(rummy.__file__).parent / "RULES.md").read_text()
        numbers = set(re.findall(r"^### (\d+\.\d+) ", rule_book, flags=re.MULTILINE))

        cited = {rule.rule for chapter in preset_rule_book(preset).chapters for rule in chapter.rules}

        assert cited <= numbers


class TestTheRuleBook:
    def test_is_served_whole(self, client):
        answer = client.get("/v1/rule-book.md")

        assert answer.content_type == "text/markdown; charset=utf-8"
        without_anchors = re.sub(r'<a id="[0-9.]+"></a>', "", answer.text)
        assert without_anchors == (Path(rummy.__file__).parent / "RULES.md").read_text("utf-8")

    @pytest.mark.parametrize("code, rule", RULE_OF_CODE.items())
    def test_has_the_rule_of_each_refusal_at_its_anchor(self, client, code, rule):
        text = client.get("/v1/rule-book.md").text

        assert text.count(f'<a id="{rule}"></a>') == 1
        section = text.partition(f'<a id="{rule}"></a>')[2].partition("<a id=")[0]
        assert len(section.splitlines()[1:]) > 1

    def test_has_the_rule_of_each_sentence(self, client):
        text = client.get("/v1/rule-book.md").text

        for preset in PRESETS:
            for chapter in client.get(f"/v1/rules/{preset}").json["chapters"]:
                for rule in chapter["rules"]:
                    assert f'<a id="{rule["rule"]}"></a>' in text

    def test_is_named_where_a_preset_cites_it(self, client):
        assert "(/v1/rule-book.md)" in client.get("/v1/rules/classic.md").text


class TestOptions:
    @pytest.mark.parametrize("name", OPTIONS)
    def test_each_value_reads_differently(self, name):
        option = OPTIONS[name]
        values = [*option.values, *((option.numbers[0] + 1, option.numbers[0] + 3) if option.numbers else ())]
        beside = BESIDE.get(name, {})
        read = {}
        for value in values:
            try:
                read[str(value)] = frozenset(sentences(**{**beside, name: value}))
            except VariantContradiction:
                continue  # A bonus that is not there cannot be doubled, for one: other values remain.

        settled = {"packs": {"auto", "1"}, "hand_size": {"auto", "7"}}.get(name, set())
        told = {texts for value, texts in read.items() if value not in settled}
        assert len(read) > 1
        assert len(told) == len([value for value in read if value not in settled])

    def test_what_is_not_played_is_not_read(self):
        assert not any("joker" in text.lower() for text in sentences())
        assert any("joker" in text.lower() for text in sentences(jokers_per_pack=1))

    def test_a_game_shows_its_own_numbers(self):
        assert (
            "When a total is 300 or more after a deal, the game is over: the highest total wins."
            in sentences(target=300)
        )
        assert "Each player is dealt 9 cards." in sentences(hand_size=9)

    def test_the_text_lists_every_option(self):
        text = to_markdown(preset_rule_book("persian"))

        for name in OPTIONS:
            assert f"| `{name}` |" in text
