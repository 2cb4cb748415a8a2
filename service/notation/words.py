"""Parsers for the words of the notation: cards, numbers, and the actions of a turn.

Each raises ValueError with a sentence for a word that does not parse.
"""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, cast

from service.notation.lines import (
    Action,
    Adds,
    Calls,
    Draws,
    GoesOut,
    Keeps,
    Lays,
    Passes,
    Renewal,
    Takes,
    Throws,
)
from service.rummy.cards import Card, card

if TYPE_CHECKING:
    from service.rummy.moves import End

HIDDEN: Final = "?"

_MELD_ID: Final = r"m[1-9]\d{0,2}"
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NUMBER: Final = re.compile(r"-?\d{1,7}")
_LAYS: Final = re.compile(rf"({_MELD_ID}) (.+)")
_ADDS: Final = re.compile(rf"(\S+) to ({_MELD_ID})(?: (low|high))?")
_CALLS: Final = re.compile(r"(.+) from (\d{1,3})")


def parse_number(text: str) -> int:
    """Return a whole number."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"Expected a number, not {text!r}.")
    return int(text)


def parse_bool(text: str) -> bool:
    """Return true or false."""
    if text not in ("true", "false"):
        raise ValueError(f"Expected true or false, not {text!r}.")
    return text == "true"


def parse_digest(text: str) -> str:
    """Return a commitment or a seed."""
    if not _HASH.fullmatch(text):
        raise ValueError("Commitments and seeds are 64 hexadecimal digits in lower case.")
    return text


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of codes separated by spaces; a dash means none."""
    return () if text == "-" else tuple(card(code) for code in text.split())


def parse_laid_card(text: str) -> tuple[Card, Card | None]:
    """Return a card and what it stands for, such as `X1=7H`."""
    code, equals, face = text.partition("=")
    return card(code), card(face) if equals else None


def parse_action(text: str, place: str) -> Action:
    """Return an action of a turn."""
    verb, _, rest = text.partition(" ")
    read = _ACTIONS.get(verb)
    found = None if read is None else read(rest, place)
    if found is None:
        raise ValueError(f"{text!r} is not an action of a turn.")
    return found


def _draws(rest: str, place: str) -> Action:
    return Draws(card=_drawn(rest), place=place)


def _drawn(code: str) -> Card | None:
    return None if code == HIDDEN else card(code)


def _renews(renewal: Renewal) -> Callable[[str, str], Action | None]:
    def read(rest: str, place: str) -> Action | None:
        code = rest.removeprefix("the pile and draws ")
        return None if code == rest else Draws(card=_drawn(code), renewal=renewal, place=place)

    return read


def _takes(rest: str, place: str) -> Action | None:
    return Takes(cards=parse_cards(rest), place=place) if rest not in ("", "-") else None


def _lays(rest: str, place: str) -> Action | None:
    found = _LAYS.fullmatch(rest)
    if found is None:
        return None
    return Lays(meld_id=found[1], cards=tuple(map(parse_laid_card, found[2].split())), place=place)


def _adds(rest: str, place: str) -> Action | None:
    found = _ADDS.fullmatch(rest)
    if found is None:
        return None
    laid, face = parse_laid_card(found[1])
    return Adds(card=laid, stands_for=face, meld_id=found[2], end=cast("End | None", found[3]), place=place)


def _throws(rest: str, place: str) -> Action:
    return Throws(card=card(rest), place=place)


def _calls(rest: str, place: str) -> Action | None:
    found = _CALLS.fullmatch(rest)
    return None if found is None else Calls(cards=parse_cards(found[1]), position=int(found[2]), place=place)


def _keeps(rest: str, place: str) -> Action | None:
    return Keeps(place=place) if rest == "the card" else None


def _passes(rest: str, place: str) -> Action | None:
    return Passes(place=place) if not rest else None


def _goes(rest: str, place: str) -> Action | None:
    return GoesOut(place=place) if rest == "out" else None


_ACTIONS: Final[Mapping[str, Callable[[str, str], Action | None]]] = {
    "draws": _draws,
    "shuffles": _renews("shuffles"),
    "turns": _renews("turns"),
    "takes": _takes,
    "lays": _lays,
    "adds": _adds,
    "throws": _throws,
    "calls": _calls,
    "keeps": _keeps,
    "passes": _passes,
    "goes": _goes,
}

#: The first word of every action.
VERBS: Final = tuple(_ACTIONS)
