"""The computer levels, weakest first: their names, and a sentence for the people who choose one.

The players themselves are in `workers.bots`, which the service never imports; a test
keeps that registry equal to this list.
"""

from collections.abc import Mapping
from typing import Final

LEVELS: Final[Mapping[str, str]] = {
    "novice": (
        "Just knows the rules: sees the top discard and its own melds, lays what it comes across, and throws "
        "what counts most."
    ),
    "casual": (
        "Looks at the top two cards of the pile and at its own melds, keeps pairs and neighbours together, "
        "and throws what counts most of the rest."
    ),
    "steady": (
        "Looks through the whole pile and takes as little as it has a use for, lays off on all melds, "
        "plans what to table, and throws nothing that others are waiting for."
    ),
    "shrewd": (
        "Weighs how deep to take against what stays in hand, counts the cards that are still about, "
        "remembers what others took, and knows how a deal will end."
    ),
    "expert": (
        "Thinks every turn through: deals out what it cannot see, in many ways that agree with what was "
        "seen, plays them to the end, and makes the move that brings most. Plays as shrewd where it "
        "cannot search: with three packs, runs round the corner, lay-offs only after a meld, the taken card "
        "first, jokers in sets of any suits, four aces laid over time, or the target reached at once."
    ),
}

#: The levels that search for as long as a game allows; their turns have a queue of their own.
THINKING: Final = frozenset({"expert"})
