"""Who plays a level. Names and sentences stand in `service.levels`; a test holds the two together."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from workers.bots.base import Bot
from workers.bots.steady import Steady

PLAYERS: Final[Mapping[str, Bot]] = MappingProxyType({"steady": Steady()})


def player(level: str) -> Bot:
    """Return the player of a level; raises KeyError for a level nobody plays."""
    return PLAYERS[level]
