"""Errors of the rules, with a closed list of codes.

    RulesError
    +-- IllegalMove            a move that the rules do not allow here; `code` names the rule
    |   +-- ChoiceRequired     the move is ambiguous: `choices` lists its readings
    +-- VariantContradiction   options that exclude each other, or an unknown value
    +-- ImpossiblePosition     a given position that no game can reach

Codes are stable: the list may grow, but no code is renamed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

#: The message for every move after the end of the game.
GAME_OVER: Final = "The game is over. Start a rematch or another game."

#: The rule of RULES.md behind each code. The code that applies a rule writes the message.
RULE_OF_CODE: Final[Mapping[str, str]] = {
    "not_your_turn": "2.2",
    "wrong_phase": "2.1",
    "draw_first": "2.1",
    "already_drawn": "2.3",
    "card_not_in_hand": "3.1",
    "card_not_in_pile": "2.4",
    "repeated_card": "3.1",
    "choice_required": "4.2",
    "too_few_cards": "3.1",
    "not_a_set": "3.2",
    "not_a_run": "3.5",
    "mixed_suits": "3.5",
    "not_consecutive": "3.5",
    "round_the_corner": "3.7",
    "ace_low_only": "3.6",
    "ace_high_only": "3.6",
    "ace_two_king": "3.8",
    "duplicate_suit": "3.3",
    "set_too_large": "3.4",
    "set_complete": "3.4",
    "not_adjacent": "4.1",
    "no_such_meld": "4.2",
    "meld_is_fixed": "3.10",
    "not_your_side": "4.5",
    "meld_first": "4.6",
    "one_meld_a_turn": "3.9",
    "deepest_card_unusable": "2.6",
    "top_card_only": "2.11",
    "must_start_new_meld": "2.10",
    "would_strand_taken_card": "2.7",
    "must_use_taken_card": "2.5",
    "same_card_back": "2.9",
    "must_keep_a_discard": "6.3",
    "stock_empty": "7.6",
    "stock_not_empty": "7.6",
    "joker_not_declared": "5.1",
    "not_a_joker": "5.1",
    "joker_needs_a_natural": "5.2",
    "joker_fixed": "5.3",
    "option_off": "12",
    "nothing_to_call": "8.2",
    "discarder_cannot_call": "8.3",
    "call_window_closed": "8.1",
    "call_window_open": "8.1",
    "call_lost": "8.6",
    "not_floating": "6.5",
    "deal_over": "2.1",
    "game_over": "10.1",
}


class RulesError(Exception):
    """Base class of every refusal by the rules."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class IllegalMove(RulesError):  # noqa: N818 - the name players use
    """A move that the rules do not allow here. The game does not change.

    `details` are further JSON members for the client, besides code, rule and message.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:  # noqa: ANN401 - JSON members
        super().__init__(message)
        self.code = code
        self.rule = RULE_OF_CODE[code]
        self.details: Mapping[str, Any] = details


class ChoiceRequired(IllegalMove):
    """The move is ambiguous; merging one of `choices` into the request body resolves it."""

    def __init__(self, message: str, choices: Sequence[Mapping[str, Any]]) -> None:
        super().__init__("choice_required", message, choices=list(choices))
        self.choices = tuple(choices)


class VariantContradiction(RulesError):  # noqa: N818 - as above
    """Options that exclude each other, or an unknown value; `option` names the option at fault."""

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


class ImpossiblePosition(RulesError):  # noqa: N818 - as above
    """A given position that no game can reach; `where` names the member of the position."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(message)
        self.where = where
