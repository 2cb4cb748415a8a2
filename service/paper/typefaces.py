"""The bundled fonts, and the characters that each has."""

from functools import cache
from pathlib import Path
from typing import Final

from fontTools.ttLib import TTFont  # type: ignore[import-untyped] # it has no types

REGULAR: Final = "NotoSans-Regular"
BOLD: Final = "NotoSans-Bold"
SUITS: Final = "NotoSansSymbols2-Suits"
#: The fonts of names. The first has Latin, Greek and Cyrillic, and whatever the others lack.
NAME_FONTS: Final = (BOLD, "NotoSansArabic-Bold", "NotoSansHebrew-Bold", "NotoSansDevanagari-Bold")

_FOLDER: Final = Path(__file__).parent / "fonts"


def file_of(font: str) -> Path:
    """Return the file of a font."""
    return _FOLDER / f"{font}.ttf"


@cache
def characters_of(font: str) -> frozenset[str]:
    """Return the characters that a font has a glyph for."""
    with TTFont(file_of(font), lazy=True) as opened:
        return frozenset(map(chr, opened.getBestCmap()))
