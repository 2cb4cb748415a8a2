"""The computer's levels: their names, and a sentence each for the people who choose one.

The players themselves live in `workers.bots`, which the service never imports; a
test holds that registry equal to this list.
"""

from collections.abc import Mapping
from typing import Final

LEVELS: Final[Mapping[str, str]] = {
    "steady": (
        "Plays every hand by its own cards and what lies open: lays what it can, throws what costs most, "
        "and takes from the pile when that pays at once."
    ),
}
