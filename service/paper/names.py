"""Names as the bundled fonts can print them: any text becomes one that has a glyph for every character."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final

from service.paper.typefaces import NAME_FONTS, characters_of

#: More marks than any of the scripts puts on one letter would reach into the rows above and below.
_MAX_MARKS: Final = 3
#: They join letters, or keep them apart, in Arabic and Devanagari.
_JOINERS: Final = "\u200c\u200d"
ELLIPSIS: Final = "…"


def printable_names(names: Sequence[str], *, stand_in: str) -> tuple[str, ...]:
    """Return the names as they are printed; `stand_in`, such as `Player`, and a number replace the others.

    Characters without a glyph, such as emoji or Chinese, are left out. A name of which no letter or
    digit is left becomes the stand-in, and one that would equal another gets its number.

    >>> printable_names(["Zoë 🎉", "王", "Zoë"], stand_in="Player")
    ('Zoë (1)', 'Player 2', 'Zoë')
    """
    printed = [
        _printable(name) or f"{stand_in} {number}" if name.strip() else ""
        for number, name in enumerate(names, start=1)
    ]
    times = Counter(printed)
    return tuple(
        f"{shown} ({number})" if times[shown] > 1 and shown != _normalized(name) else shown
        for number, (name, shown) in enumerate(zip(names, printed, strict=True), start=1)
    )


def font_for(text: str) -> str:
    """Return the font of a text's first letter; it also has the spaces and joiners between its letters."""
    for character in text:
        if character.isalpha():
            return next((name for name in NAME_FONTS if character in characters_of(name)), NAME_FONTS[0])
    return NAME_FONTS[0]


def shortened(text: str, length: int) -> str:
    """Return the first characters of a text and an ellipsis; a letter keeps its marks.

    >>> shortened("Anastasia", 3)
    'Ana…'
    """
    while 0 < length < len(text) and (_is_mark(text[length]) or text[length - 1] in _JOINERS):
        length -= 1
    return text[:length].rstrip() + ELLIPSIS


def _printable(name: str) -> str:
    """Return the name without what cannot be printed; nothing if no letter or digit would be left."""
    normalized = _normalized(name)
    kept: list[str] = []
    marks = 0
    for character in normalized:
        is_mark = _is_mark(character)
        if not _has_glyph(character) or (is_mark and (not kept or kept[-1] == " " or marks == _MAX_MARKS)):
            continue
        marks = marks + 1 if is_mark else 0
        kept.append(character)
    text = " ".join("".join(kept).split()).strip(_JOINERS + " ")
    is_whole = text == normalized
    return text if any(map(str.isalnum, text)) or (is_whole and text.isprintable()) else ""


def _normalized(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


@cache
def _printable_characters() -> frozenset[str]:
    known = frozenset[str]().union(*map(characters_of, NAME_FONTS))
    # Controls, and what changes the direction of the text around it, have glyphs in some fonts.
    return frozenset(one for one in known if unicodedata.category(one)[0] not in "CZ") | {" ", *_JOINERS}


def _has_glyph(character: str) -> bool:
    return character in _printable_characters()
