"""RULES 12: presets, overrides, and options that contradict each other."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import service.rummy
from service.rummy.errors import VariantContradiction
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS, overrides_of, resolve
from service.rummy.variants import check

RULE_BOOK = (Path(service.rummy.__file__).parent / "RULES.md").read_text("utf-8")

#: Every option of every preset, as the documents have it. Written out here a second time, on purpose.
VALUES = """
option                classic          cardcouch        ace-low          jokers           basic-rummy        kitchen-table    partnership      persian          cardcouch-table  block-rummy        penalty-rummy
packs                 auto             1                auto             auto             1                  auto             auto             1                auto             1                  1
jokers_per_pack       0                0                0                2                0                  0                0                2                0                0                  0
hand_size             auto             auto             auto             auto             auto               auto             auto             auto             auto             auto               auto
first_dealer          low_card         1                high_card        random           random             random           low_card         low_card         low_card         random             random
deep_draw             true             true             true             true             false              true             true             true             true             false              false
top_discard           must_use         must_use         must_use         may_keep         may_keep           may_keep         must_use         must_use         must_use         may_keep           may_keep
same_card_back        forbidden        forbidden        forbidden        forbidden        forbidden          allowed          forbidden        forbidden        forbidden        forbidden          forbidden
deepest_card_use      meld_or_lay_off  meld_or_lay_off  meld_or_lay_off  meld_or_lay_off  meld_or_lay_off    meld_or_lay_off  meld_or_lay_off  meld_or_lay_off  meld_or_lay_off  meld_or_lay_off    meld_or_lay_off
taken_card_first      false            false            false            false            false              false            false            false            false            false              false
melds_per_turn        null             null             null             null             1                  null             null             null             null             1                  1
set_max               4                4                4                4                4                  null             4                4                4                4                  4
set_distinct_suits    true             true             true             true             true               false            true             true             true             true               true
ace_in_run            both             both             low              both             low                both             both             both             both             low                low
ace_two_king          true             false            true             true             true               true             true             false            false            true               true
ace_value             by_place         by_place         by_place         by_place         always_1           by_place         by_place         by_place         by_place         always_1           always_1
card_values           face             face             face             face             face               face             face             face             face             face               face
queen_of_spades       null             null             null             null             null               null             null             null             null             null               null
four_aces             null             null             null             null             null               null             null             100              null             null               null
four_aces_laid        at_once          at_once          at_once          at_once          at_once            at_once          at_once          at_once          at_once          at_once            at_once
lay_off_targets       any              any              any              any              any                any              any              own_side         any              any                any
lay_off_after_meld    false            false            false            false            false              false            false            false            false            false              false
going_out             any              any              any              any              any                any              any              any              any              any                any
floating              false            false            false            false            false              false            false            false            false            false              false
going_out_bonus       0                0                0                0                0                  0                0                0                0                0                  0
going_rummy           none             none             none             none             double             none             none             none             none             double             none
stock_empty           take_or_end      take_or_end      take_or_end      flip             flip               play_on          take_or_end      take_or_end      take_or_end      end_at_once        flip
upcard_stays          false            false            false            false            false              false            false            false            false            false              false
no_minus_at_stock_end false            false            false            false            false              false            false            false            false            false              false
stock_end_score       none             none             none             none             none               none             none             none             none             lowest_hand        none
call_rummy            off              off              any_meld         any_meld         off                off              off              off              off              off                off
call_takes            card_and_above   card_and_above   card_and_above   card_and_above   card_and_above     card_and_above   card_and_above   card_and_above   card_and_above   card_and_above     card_and_above
call_reach            any              any              any              any              any                any              any              any              any              any                any
scoring               table_minus_hand table_minus_hand table_minus_hand table_minus_hand winner_takes_hands table_minus_hand table_minus_hand table_minus_hand table_minus_hand winner_takes_hands penalty
target                500              500              500              500              100                500              500              500              500              100                100
target_reached        deal_end         deal_end         deal_end         deal_end         deal_end           deal_end         deal_end         deal_end         deal_end         deal_end           deal_end
deals                 null             null             null             null             null               null             null             null             null             null               null
tie                   until_ahead      draw             until_ahead      until_ahead      until_ahead        until_ahead      until_ahead      draw             draw             until_ahead        until_ahead
must_go_out_to_win    false            false            false            false            false              false            false            false            false            false              false
go_out_breaks_tie     false            false            false            false            false              false            false            false            false            false              false
teams                 none             none             none             none             none               none             pairs            pairs            none             none               none
"""  # noqa: E501 - a table is read by its columns
ROWS = [line.split() for line in VALUES.strip().splitlines()]
NAMES = ROWS[0][1:]
WORDS = {"null": None, "true": True, "false": False}

PLAYERS = {
    "classic": (2, 8),
    "cardcouch": (2, 2),
    "ace-low": (2, 8),
    "jokers": (2, 8),
    "basic-rummy": (2, 6),
    "kitchen-table": (2, 8),
    "partnership": (4, 4),
    "persian": (4, 4),
    "cardcouch-table": (3, 8),
    "block-rummy": (2, 6),
    "penalty-rummy": (2, 6),
}


def value(word: str) -> object:
    return WORDS[word] if word in WORDS else int(word) if word.isdecimal() else word


class TestPresets:
    """RULES 12, the table"""

    def test_there_are_eleven(self):
        assert set(PRESETS) == set(NAMES) == set(PLAYERS)

    def test_every_option_has_its_row(self):
        assert [row[0] for row in ROWS[1:]] == list(OPTIONS)

    @pytest.mark.parametrize("column, preset", list(enumerate(NAMES, start=1)))
    def test_every_value(self, column, preset):
        assert dict(PRESETS[preset].options) == {row[0]: value(row[column]) for row in ROWS[1:]}

    @pytest.mark.parametrize("preset", NAMES)
    def test_who_may_play(self, preset):
        least, most = PLAYERS[preset]
        assert PRESETS[preset].players == (least, most)

        for seats in range(1, 10):
            if least <= seats <= most:
                assert resolve(preset, {}, seats=seats).name == preset
            else:
                with pytest.raises(VariantContradiction) as refusal:
                    resolve(preset, {}, seats=seats)
                assert refusal.value.option == "seats"

    @pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
    def test_each_says_what_it_is(self, preset):
        assert preset.name in PRESETS
        assert re.fullmatch(r"00[0-4]", preset.source)
        assert preset.title
        assert preset.sentence.endswith(".")

    def test_the_rule_books_table_says_the_same(self):
        found = re.findall(r"^\| (?:`(\w+)`(?:, `(\w+)`)?|players) \| (.*) \|$", RULE_BOOK, re.MULTILINE)
        printed = {
            name: cells.split(" | ") for names in found for name in names[:2] if (cells := names[2]) and name
        }
        order = ["classic", "cardcouch", "ace-low", "jokers", "basic-rummy", "kitchen-table"]

        assert set(printed) == set(OPTIONS)
        for row in ROWS[1:]:
            mine = [row[NAMES.index(preset) + 1] for preset in order]
            theirs = printed[row[0]]
            if len(theirs) == 1 or row[0] == "hand_size":
                continue
            assert [cell.removeprefix("seat ") for cell in theirs] == mine, row[0]

    def test_an_unknown_preset_is_refused(self):
        with pytest.raises(VariantContradiction, match="classic") as refusal:
            resolve("gin", {}, seats=2)

        assert refusal.value.option == "preset"


class TestOverrides:
    """RULES 12, single options"""

    def test_an_override_replaces_one_option(self):
        plain, changed = resolve("classic", {}, seats=3), resolve("classic", {"target": 300}, seats=3)

        assert changed.options() == {**plain.options(), "target": 300}

    def test_auto_is_settled_with_the_number_of_seats(self):
        variant = resolve("classic", {"packs": "auto", "hand_size": "auto"}, seats=6)

        assert (variant.packs, variant.hand_size, variant.pack_size) == (2, 7, 104)

    def test_an_unknown_option_is_refused(self):
        with pytest.raises(VariantContradiction, match="melds_per_turn") as refusal:
            resolve("classic", {"wild_twos": True}, seats=2)

        assert refusal.value.option == "wild_twos"

    @pytest.mark.parametrize(
        "option, wrong",
        [
            ("packs", 0),
            ("packs", 4),
            ("packs", True),
            ("packs", "1"),
            ("jokers_per_pack", 3),
            ("jokers_per_pack", False),
            ("hand_size", 2),
            ("hand_size", 51),
            ("hand_size", 7.0),
            ("first_dealer", 8),
            ("first_dealer", -1),
            ("first_dealer", "youngest"),
            ("deep_draw", 1),
            ("top_discard", "keep"),
            ("melds_per_turn", 2),
            ("melds_per_turn", True),
            ("set_max", 5),
            ("four_aces", 60),
            ("going_out_bonus", 50),
            ("floating", 0),
            ("floating", None),
            ("target", 0),
            ("target", 100_001),
            ("target", None),
            ("deals", 0),
            ("deals", 201),
            ("tie", "coin"),
            ("teams", "threes"),
            ("stock_empty", "end"),
        ],
    )
    def test_an_unknown_value_is_refused(self, option, wrong):
        with pytest.raises(VariantContradiction, match=f"^{option} must be ") as refusal:
            resolve("classic", {option: wrong}, seats=2)

        assert refusal.value.option == option

    def test_the_refusal_names_what_is_allowed(self):
        def message(option, wrong):
            with pytest.raises(VariantContradiction) as refusal:
                resolve("classic", {option: wrong}, seats=2)
            return refusal.value.message

        assert message("packs", 4) == "packs must be auto, 1, 2 or 3."
        assert message("floating", 0) == "floating must be false or true."
        assert message("melds_per_turn", 2) == "melds_per_turn must be null or 1."
        assert message("target", 0) == "target must be a whole number from 1 to 100000."
        assert message("hand_size", 2) == "hand_size must be auto or a whole number from 3 to 50."

    @pytest.mark.parametrize("name", OPTIONS)
    def test_every_value_offered_makes_a_game_somewhere(self, name):
        needs = {
            "floating": {"going_out": "discard_required"},
            "same_card_back": {"top_discard": "may_keep"},
            "set_max": {"set_distinct_suits": False},
            "upcard_stays": {"stock_empty": "reshuffle"},
            "call_takes": {"call_rummy": "any_meld"},
            "call_reach": {"call_rummy": "any_meld"},
            "stock_end_score": {"scoring": "winner_takes_hands"},
            "four_aces_laid": {"four_aces": 100},
            "going_rummy": {"going_out_bonus": 25},
        }
        option = OPTIONS[name]
        for wanted in (*option.values, *(option.numbers or ())):
            overrides = {**needs.get(name, {}), name: wanted}
            seats = 8 if name == "first_dealer" else 4
            if name == "hand_size" and wanted == 50:
                seats, overrides["packs"] = 2, 2
            variant = resolve("classic", overrides, seats=seats)
            if wanted != "auto":
                assert getattr(variant, name) == wanted

    def test_high_aces_in_basic_rummy_count_fifteen(self):
        high = {"ace_in_run": "high"}

        assert resolve("basic-rummy", high, seats=2).ace_value == "always_15"
        assert resolve("basic-rummy", {**high, "ace_value": "always_1"}, seats=2).ace_value == "always_1"
        assert resolve("basic-rummy", {"ace_in_run": "both"}, seats=2).ace_value == "always_1"
        assert resolve("classic", high, seats=2).ace_value == "by_place"

    def test_each_option_names_its_rule_and_its_meaning(self):
        for option in OPTIONS.values():
            assert re.search(rf"^##+ {re.escape(option.rule)} ", RULE_BOOK, re.MULTILINE)
            assert option.meaning.endswith(".")

    def test_each_value_has_a_meaning_of_its_own(self):
        for name, option in OPTIONS.items():
            assert len({*option.meanings.values()}) == len(option.values), name
            assert not [meaning for meaning in option.meanings.values() if meaning.endswith(".")], name


class TestContradictions:
    """RULES 12: what contradicts itself is refused with the option named"""

    @pytest.mark.parametrize(
        "preset, seats, overrides, named",
        [
            ("classic", 3, {"teams": "pairs"}, "teams"),
            ("classic", 5, {"teams": "pairs"}, "teams"),
            ("classic", 8, {"packs": 1}, "packs"),
            ("classic", 8, {"packs": 1, "hand_size": 7}, "hand_size"),
            ("classic", 2, {"hand_size": 26}, "hand_size"),
            ("basic-rummy", 6, {"hand_size": 9}, "hand_size"),
            ("classic", 2, {"floating": True}, "floating"),
            ("kitchen-table", 2, {"floating": True, "going_out": "any"}, "floating"),
            ("classic", 2, {"going_rummy": "double_bonus"}, "going_rummy"),
            ("classic", 2, {"target": 300, "deals": 5}, "target"),
            ("classic", 2, {"deals": 5, "must_go_out_to_win": True}, "must_go_out_to_win"),
            ("classic", 2, {"deals": 5, "go_out_breaks_tie": True}, "go_out_breaks_tie"),
            ("classic", 2, {"same_card_back": "allowed"}, "same_card_back"),
            ("kitchen-table", 2, {"same_card_back": "allowed", "top_discard": "must_use"}, "same_card_back"),
            (
                "basic-rummy",
                2,
                {"deepest_card_use": "new_meld_only"},
                "deepest_card_use",
            ),
            ("basic-rummy", 2, {"deepest_card_use": "free"}, "deepest_card_use"),
            ("classic", 2, {"deepest_card_use": "free", "deep_draw": False}, "deepest_card_use"),
            ("basic-rummy", 2, {"taken_card_first": True}, "taken_card_first"),
            ("classic", 2, {"upcard_stays": True}, "upcard_stays"),
            ("basic-rummy", 2, {"upcard_stays": True, "stock_empty": "play_on"}, "upcard_stays"),
            (
                "kitchen-table",
                2,
                {"taken_card_first": True, "deepest_card_use": "free"},
                "taken_card_first",
            ),
            ("classic", 2, {"call_takes": "single_card"}, "call_takes"),
            ("classic", 3, {"call_takes": "needed"}, "call_takes"),
            ("classic", 3, {"call_reach": "newest"}, "call_reach"),
            ("ace-low", 3, {"call_reach": "any", "call_takes": "single_card"}, "call_reach"),
            ("ace-low", 3, {"call_reach": "newest", "call_takes": "needed"}, "call_takes"),
            ("classic", 2, {"scoring": "penalty", "going_out_bonus": 25}, "going_out_bonus"),
            ("classic", 2, {"scoring": "penalty", "no_minus_at_stock_end": True}, "no_minus_at_stock_end"),
            ("basic-rummy", 2, {"no_minus_at_stock_end": True}, "no_minus_at_stock_end"),
            ("classic", 2, {"scoring": "penalty", "four_aces": 100}, "four_aces"),
            ("basic-rummy", 2, {"four_aces": 100}, "four_aces"),
            ("classic", 2, {"stock_end_score": "minus_hand"}, "stock_end_score"),
            ("classic", 2, {"stock_end_score": "lowest_hand"}, "stock_end_score"),
            ("basic-rummy", 2, {"stock_end_score": "minus_hand", "scoring": "penalty"}, "stock_end_score"),
            ("classic", 2, {"four_aces_laid": "over_time"}, "four_aces_laid"),
            ("classic", 2, {"ace_in_run": "around", "ace_two_king": False}, "ace_two_king"),
            ("cardcouch", 2, {"ace_in_run": "around", "ace_two_king": False}, "ace_two_king"),
            ("classic", 2, {"target_reached": "at_once", "deals": 5}, "target_reached"),
            ("classic", 2, {"target_reached": "at_once", "scoring": "penalty"}, "target_reached"),
            ("basic-rummy", 2, {"target_reached": "at_once"}, "target_reached"),
            ("classic", 2, {"target_reached": "at_once", "must_go_out_to_win": True}, "target_reached"),
            ("classic", 2, {"target_reached": "at_once", "go_out_breaks_tie": True}, "go_out_breaks_tie"),
            ("classic", 2, {"target_reached": "at_once", "tie": "draw"}, "tie"),
            ("cardcouch", 2, {"target_reached": "at_once", "tie": "play_on"}, "tie"),
            ("persian", 4, {"four_aces_laid": "over_time", "scoring": "penalty"}, "four_aces_laid"),
            ("classic", 2, {"scoring": "penalty", "must_go_out_to_win": True}, "must_go_out_to_win"),
            ("classic", 2, {"scoring": "penalty", "go_out_breaks_tie": True}, "go_out_breaks_tie"),
            ("classic", 2, {"must_go_out_to_win": True, "tie": "draw"}, "tie"),
            ("classic", 2, {"must_go_out_to_win": True, "tie": "until_ahead"}, "tie"),
            ("classic", 3, {"first_dealer": 3}, "first_dealer"),
        ],
    )
    def test_these_do_not_go_together(self, preset, seats, overrides, named):
        with pytest.raises(VariantContradiction) as refusal:
            resolve(preset, overrides, seats=seats)

        assert refusal.value.option == named
        assert refusal.value.message.endswith(".")

    @pytest.mark.parametrize(
        "preset, seats, overrides",
        [
            # The preset's own default goes quiet beside what was chosen.
            ("kitchen-table", 2, {"top_discard": "must_use"}),
            ("kitchen-table", 5, {"set_distinct_suits": True}),
            ("basic-rummy", 2, {"scoring": "penalty"}),
            ("persian", 4, {"scoring": "winner_takes_hands"}),
            ("persian", 4, {"scoring": "penalty"}),
            ("cardcouch", 2, {"must_go_out_to_win": True}),
            ("cardcouch", 2, {"target_reached": "at_once"}),
            ("cardcouch", 2, {"ace_in_run": "around"}),
            ("persian", 4, {"ace_in_run": "around"}),
            ("partnership", 4, {"target_reached": "at_once"}),
            ("classic", 2, {"deals": 5}),
            ("ace-low", 2, {"target": 300}),
            # Without effect, and harmless: the rules mean what they say.
            ("classic", 2, {"set_max": None}),
            ("kitchen-table", 2, {"set_max": None, "set_distinct_suits": True}),
            ("classic", 2, {"scoring": "penalty", "going_rummy": "double"}),
            ("basic-rummy", 2, {"scoring": "penalty", "going_rummy": "bonus_10"}),
            ("classic", 2, {"must_go_out_to_win": True, "go_out_breaks_tie": True}),
            # These combine.
            ("classic", 4, {"teams": "pairs", "lay_off_targets": "own_side"}),
            ("classic", 2, {"floating": True, "going_out": "discard_required"}),
            ("classic", 2, {"going_rummy": "double_bonus", "going_out_bonus": 25}),
            ("classic", 2, {"deepest_card_use": "new_meld_only", "deep_draw": False}),
            ("basic-rummy", 2, {"taken_card_first": True, "top_discard": "must_use"}),
            ("classic", 8, {"packs": 2, "hand_size": 12}),
            ("basic-rummy", 2, {"upcard_stays": True}),
            ("partnership", 4, {"teams": "none"}),
        ],
    )
    def test_these_do(self, preset, seats, overrides):
        variant = resolve(preset, overrides, seats=seats)

        assert {name: getattr(variant, name) for name in overrides} == overrides

    def test_a_variant_is_checked_as_a_whole(self):
        variant = resolve("classic", {}, seats=2)
        with pytest.raises(VariantContradiction) as refusal:
            check(replace(variant, tie="coin"), seats=2)
        assert refusal.value.option == "tie"
        with pytest.raises(VariantContradiction) as refusal:
            check(variant, seats=9)
        assert refusal.value.option == "seats"


#: For every option that brings others along: it alone, and with each of those set or set back by hand.
BROUGHT_ALONG = [
    (preset, {option: value} | by_hand)
    for preset in PRESETS.values()
    for (option, value), implied in preset.implies.items()
    for by_hand in (
        {},
        *({name: brought} for name, brought in implied.items()),
        *({name: preset.options[name]} for name in implied),
    )
]


class TestOverridesOfAVariant:
    """What a game shows as its overrides may be asked for again."""

    @pytest.mark.parametrize("preset, asked", BROUGHT_ALONG)
    def test_give_the_same_variant_again(self, preset, asked):
        seats = preset.players[0]
        variant = resolve(preset.name, asked, seats=seats)

        again = resolve(preset.name, overrides_of(variant, seats=seats), seats=seats)

        assert again == variant

    @pytest.mark.parametrize("name", PRESETS)
    def test_are_none_for_a_preset_as_it_is(self, name):
        for seats in range(PRESETS[name].players[0], PRESETS[name].players[1] + 1):
            assert overrides_of(resolve(name, {}, seats=seats), seats=seats) == {}

    def test_of_a_stored_game_name_a_choice_that_is_refused_today(self):
        stored = replace(resolve("classic", {}, seats=2), call_rummy="table_or_pile")

        assert overrides_of(stored, seats=2) == {"call_rummy": "table_or_pile"}
        assert resolve("classic", overrides_of(stored, seats=2), seats=2, is_agreed=True) == stored

    def test_name_what_was_set_back(self):
        variant = resolve("basic-rummy", {"ace_in_run": "high", "ace_value": "always_1"}, seats=2)

        assert overrides_of(variant, seats=2) == {"ace_in_run": "high", "ace_value": "always_1"}
