"""Pages to draw on: fpdf2 with our fonts, in points from the top left.

The same content gives the same bytes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, Literal, Self

from fpdf import FPDF
from fpdf.fonts import TTFFont

from service.paper.names import font_for, shortened
from service.paper.typefaces import NAME_FONTS, REGULAR, SUITS, file_of

Paper = Literal["A4", "Letter"]
PAPERS: Final[tuple[Paper, ...]] = ("A4", "Letter")
Align = Literal["left", "center", "right"]
Colour = tuple[int, int, int]

INK: Final[Colour] = (28, 32, 38)
GREY: Final[Colour] = (104, 110, 118)
RULE: Final[Colour] = (176, 182, 190)
TINT: Final[Colour] = (240, 243, 246)
WINNER_TINT: Final[Colour] = (255, 240, 196)
ACCENT: Final[Colour] = (20, 82, 60)
RED: Final[Colour] = (178, 34, 40)

#: The same for all sheets, so that the same content has the same ETag.
_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)
_SUIT_COLOURS: Final = (("♠", INK), ("♥", RED), ("♦", RED), ("♣", INK))
#: The part of a font's size from its baseline to the top of its capitals.
CAP_HEIGHT: Final = 0.714


class Canvas:
    """A PDF in the making, which holds its font files open. Coordinates are points; `y` is a baseline."""

    def __init__(self, title: str, *, paper: Paper, landscape: bool = False) -> None:
        self._pdf = FPDF(orientation="landscape" if landscape else "portrait", unit="pt", format=paper)
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margin(0)
        self._pdf.c_margin = 0
        self._pdf.set_title(title)
        self._pdf.set_lang("en")
        self._pdf.set_producer("Rummy 500")
        self._pdf.set_creation_date(_DATE)
        self._fonts: set[str] = set()
        self._widths: dict[tuple[str, str], float] = {}
        self._fits: dict[tuple[str, float, float, float], tuple[float, str]] = {}
        self.width: float = self._pdf.w
        self.height: float = self._pdf.h

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for font in self._pdf.fonts.values():
            if isinstance(font, TTFFont):
                font.ttfont.close()

    def add_page(self) -> None:
        """Begin the next page."""
        self._pdf.add_page()

    def text(  # noqa: PLR0913 - a text, its place and how it looks
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        font: str = REGULAR,
        colour: Colour = INK,
        align: Align = "left",
    ) -> None:
        """Draw a line of our own text; `x` is its left end, its middle or its right end."""
        x -= _SHIFT[align] * self.text_width(text, size=size, font=font)
        self._use(font, size)
        self._pdf.set_text_color(*colour)
        self._pdf.text(x, y, text)

    def text_width(self, text: str, *, size: float, font: str = REGULAR) -> float:
        """Return the width of a line of our own text."""
        if (font, text) not in self._widths:
            self._use(font, 1)
            self._widths[font, text] = float(self._pdf.get_string_width(text))
        return self._widths[font, text] * size

    def name(  # noqa: PLR0913 - a text, its place and how it looks
        self,
        x: float,
        y: float,
        name: str,
        *,
        width: float,
        size: float,
        smallest: float,
        colour: Colour = INK,
        align: Align = "center",
    ) -> None:
        """Draw a printable name in the width from `x`.

        It shrinks to the size `smallest`, and is cut if that is not enough.
        """
        with self._shaping(name):
            size, shown = self._fitted(name, width, size, smallest)
            self._use(font_for(name), size)
            self._pdf.set_text_color(*colour)
            free = width - self._pdf.get_string_width(shown)
            # cell() sets the middle of a line, not its baseline: 0.3 of the size below the middle.
            self._pdf.set_xy(x + _SHIFT[align] * free, y - 0.8 * size)
            self._pdf.cell(w=width, h=size, text=shown)

    def suits(self, x: float, y: float, *, size: float, align: Align = "left") -> None:
        """Draw the four suits."""
        step = size * 0.95
        x += step * (0.5 - _SHIFT[align] * len(_SUIT_COLOURS))
        for suit, colour in _SUIT_COLOURS:
            self.text(x, y, suit, size=size, font=SUITS, colour=colour, align="center")
            x += step

    def line(self, x: float, y: float, to_x: float, to_y: float, *, width: float = 0.5) -> None:
        """Draw a thin line."""
        self._pdf.set_draw_color(*RULE)
        self._pdf.set_line_width(width)
        self._pdf.line(x, y, to_x, to_y)

    def box(self, x: float, y: float, width: float, height: float, colour: Colour) -> None:
        """Fill a rectangle."""
        self._pdf.set_fill_color(*colour)
        self._pdf.rect(x, y, width, height, style="F")

    def output(self) -> bytes:
        """Return the PDF."""
        return bytes(self._pdf.output())

    def _use(self, font: str, size: float) -> None:
        if font not in self._fonts:
            self._pdf.add_font(font, fname=file_of(font))
            self._fonts.add(font)
        self._pdf.set_font(font, size=size)

    @contextmanager
    def _shaping(self, name: str) -> Iterator[None]:
        """Shape text, and take what the font of the name lacks from the others."""
        first = font_for(name)
        if not name.isascii():
            others = [font for font in NAME_FONTS if font != first]
            for font in others:
                self._use(font, 1)
            self._pdf.set_fallback_fonts(others)
        self._pdf.set_text_shaping(use_shaping_engine=True)
        yield
        self._pdf.set_text_shaping(use_shaping_engine=False)
        self._pdf.set_fallback_fonts([])

    def _fitted(self, name: str, width: float, size: float, smallest: float) -> tuple[float, str]:
        """Return the size and the text of a name that fits the width."""
        asked = (name, width, size, smallest)
        if asked not in self._fits:
            self._fits[asked] = self._fit(*asked)
        return self._fits[asked]

    def _fit(self, name: str, width: float, size: float, smallest: float) -> tuple[float, str]:
        self._use(font_for(name), size)
        needed = self._pdf.get_string_width(name)
        if needed <= width:
            return size, name
        if needed * smallest <= width * size:
            return size * width / needed, name
        self._use(font_for(name), smallest)
        fits, too_long = 0, len(name)
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self._pdf.get_string_width(shortened(name, middle)) <= width:
                fits = middle
            else:
                too_long = middle
        return smallest, shortened(name, fits)


_SHIFT: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
