"""The rules of one variant on one page, in two columns, in the largest size that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from service.paper.canvas import ACCENT, GREY, Canvas, Paper
from service.paper.typefaces import BOLD

LARGEST: Final = 10.5
#: Smaller text is not legible on paper.
SMALLEST: Final = 6.5
_STEP: Final = 0.25
_MARGIN: Final = 42.0
_GAP: Final = 22.0
_COLUMNS: Final = 2
_LEADING: Final = 1.32
_AFTER_RULE: Final = 0.3
_BEFORE_HEADING: Final = 1.0
#: The space for the number before a sentence, in parts of the size.
_INDENT: Final = 2.6


class DoesNotFitError(ValueError):
    """The rules need more than one page in the smallest size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRule:
    """A sentence, and its number in RULES.md."""

    number: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetChapter:
    """A chapter of the rules."""

    title: str
    rules: tuple[SheetRule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSheet:
    """The rules of one variant, in the order in which a table needs them."""

    title: str
    sentence: str
    chapters: tuple[SheetChapter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """What stays together in one column: a sentence in lines, the first of a chapter with its heading."""

    lines: tuple[str, ...]
    number: str
    heading: str | None

    def height(self, size: float, *, at_top: bool) -> float:
        heading = 0.0
        if self.heading is not None:
            heading = size * (_LEADING * 1.3 + (0 if at_top else _BEFORE_HEADING))
        return heading + size * (len(self.lines) * _LEADING + _AFTER_RULE)


def print_rule_sheet(sheet: RuleSheet, *, paper: Paper) -> bytes:
    """Return the PDF of a rule sheet; raise DoesNotFitError if a page is too small for it."""
    with Canvas(f"{sheet.title}: the rules", paper=paper) as canvas:
        canvas.add_page()
        top = _draw_title(canvas, sheet)
        bottom = canvas.height - _MARGIN - 14
        size = LARGEST
        while size >= SMALLEST:
            blocks = tuple(_blocks(canvas, sheet, size))
            if (columns := _balanced(blocks, size, bottom - top)) is not None:
                _draw_columns(canvas, columns, size, top)
                _draw_footer(canvas)
                return canvas.output()
            size -= _STEP
    raise DoesNotFitError(f"The rules of {sheet.title} do not fit on a page of {paper}.")


def _column_width(canvas: Canvas) -> float:
    return (canvas.width - 2 * _MARGIN - (_COLUMNS - 1) * _GAP) / _COLUMNS


def _draw_title(canvas: Canvas, sheet: RuleSheet) -> float:
    """Draw the head of the page and return where the columns begin."""
    right = canvas.width - _MARGIN
    canvas.text(_MARGIN, _MARGIN + 18, sheet.title, size=24, font=BOLD, colour=ACCENT)
    canvas.suits(right, _MARGIN + 16, size=18, align="right")
    y = _MARGIN + 36
    for line in _wrapped(canvas, sheet.sentence, right - _MARGIN, 10.5):
        canvas.text(_MARGIN, y, line, size=10.5, colour=GREY)
        y += 14
    canvas.line(_MARGIN, y - 5, right, y - 5, width=1)
    return y + 8


def _draw_footer(canvas: Canvas) -> None:
    y = canvas.height - _MARGIN + 6
    canvas.text(_MARGIN, y, "The numbers refer to the rule book, RULES.md.", size=7, colour=GREY)
    canvas.text(canvas.width - _MARGIN, y, "Rummy 500", size=7, colour=GREY, align="right")


def _blocks(canvas: Canvas, sheet: RuleSheet, size: float) -> Iterator[_Block]:
    width = _column_width(canvas) - size * _INDENT
    for chapter in sheet.chapters:
        for place, rule in enumerate(chapter.rules):
            lines = tuple(_wrapped(canvas, rule.text, width, size))
            yield _Block(lines=lines, number=rule.number, heading=None if place else chapter.title)


def _wrapped(canvas: Canvas, text: str, width: float, size: float) -> Iterator[str]:
    """Yield the lines of a text, broken at spaces."""
    space = canvas.text_width(" ", size=size)
    line: list[str] = []
    used = 0.0
    for word in text.split():
        needed = canvas.text_width(word, size=size)
        if line and used + space + needed > width:
            yield " ".join(line)
            line, used = [], -space
        elif not line:
            used = -space
        line.append(word)
        used += space + needed
    yield " ".join(line)


def _balanced(blocks: Sequence[_Block], size: float, height: float) -> list[list[_Block]] | None:
    """Return the columns, about equally high; None if they would be higher than `height`."""
    columns = _filled(blocks, size, height)
    if columns is None:
        return None
    low, high = 0.0, height
    while high - low > 1:
        middle = (low + high) / 2
        tried = _filled(blocks, size, middle)
        if tried is None:
            low = middle
        else:
            high, columns = middle, tried
    return columns


def _filled(blocks: Sequence[_Block], size: float, height: float) -> list[list[_Block]] | None:
    columns: list[list[_Block]] = [[]]
    used = 0.0
    for block in blocks:
        needed = block.height(size, at_top=not columns[-1])
        if used + needed > height:
            columns.append([])
            used, needed = 0.0, block.height(size, at_top=True)
        if len(columns) > _COLUMNS or needed > height:
            return None
        columns[-1].append(block)
        used += needed
    return columns


def _draw_columns(canvas: Canvas, columns: Sequence[Sequence[_Block]], size: float, top: float) -> None:
    for place, blocks in enumerate(columns):
        x = _MARGIN + place * (_column_width(canvas) + _GAP)
        y = top
        for block in blocks:
            y = _draw_block(canvas, block, size, x, y, at_top=y == top)


def _draw_block(  # noqa: PLR0913 - a block, its place and how it looks
    canvas: Canvas, block: _Block, size: float, x: float, y: float, *, at_top: bool
) -> float:
    """Draw a block below `y` and return where the next one begins."""
    end = y + block.height(size, at_top=at_top)
    if block.heading is not None:
        y += 0 if at_top else size * _BEFORE_HEADING
        canvas.text(x, y + size * 1.1, block.heading, size=size * 1.15, font=BOLD, colour=ACCENT)
        y += size * _LEADING * 1.3
    canvas.text(x, y + size, block.number, size=size * 0.8, colour=GREY)
    for line in block.lines:
        canvas.text(x + size * _INDENT, y + size, line, size=size)
        y += size * _LEADING
    return end
