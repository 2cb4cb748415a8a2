"""A score sheet: a landscape page with a row for each deal, empty or filled."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import Final

from service.paper.canvas import ACCENT, CAP_HEIGHT, GREY, TINT, WINNER_TINT, Canvas, Paper
from service.paper.card_key import card_key, game_end, scoring_key
from service.paper.names import printable_names
from service.paper.typefaces import BOLD, REGULAR
from service.rummy.presets import PRESETS
from service.rummy.variants import Variant

_MARGIN: Final = 36.0
_HEAD: Final = 40.0
_NAMES: Final = 34.0
_LABELS: Final = 13.0
_FOOT: Final = 44.0
#: The height of a row to write in, of the lowest that is legible, and of the highest.
_ROW: Final = 20.0
_LOWEST_ROW: Final = 13.5
_HIGHEST_ROW: Final = 26.0
_NUMBER_WIDTH: Final = 30.0
_DEALER_WIDTH: Final = 78.0
_PADDING: Final = 4.0
_WINNERS_WIDTH: Final = 270.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedScores:
    """What a score sheet shows.

    `players` are in the order in which they deal; an empty name leaves space to write one.
    `teams` are the names of the sides, if they have any. `first_dealer` is the player who deals
    first, None if that is not known yet. `deals` are the scores of each deal, by side.
    `winners` are sides: None while the game goes on, none for a draw.
    """

    variant: Variant
    players: tuple[str, ...]
    teams: tuple[str, ...] = ()
    first_dealer: int | None = None
    deals: tuple[tuple[int, ...], ...] = ()
    winners: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A column: its name, and the partners who share it."""

    name: str
    players: str = ""


def print_score_sheet(scores: PrintedScores, *, paper: Paper) -> bytes:
    """Return the PDF of a score sheet: one page, and more only for deals that do not fit."""
    players = printable_names(scores.players, stand_in="Player")
    with Canvas(f"{_title(scores.variant)}: score sheet", paper=paper, landscape=True) as canvas:
        table = _Table(canvas, scores, players)
        for page in range(table.pages):
            canvas.add_page()
            _draw_head(canvas, scores.variant, page=page + 1, pages=table.pages)
            table.draw(page)
            _draw_foot(canvas, scores, table.sides)
        return canvas.output()


def _title(variant: Variant) -> str:
    return PRESETS[variant.name].title


def _sides(scores: PrintedScores, players: Sequence[str]) -> tuple[_Side, ...]:
    variant = scores.variant
    if variant.teams == "none":
        return tuple(_Side(name=name) for name in players)
    members = [
        " & ".join(name for seat, name in enumerate(players) if variant.side(seat) == side and name)
        for side in range(variant.sides(len(players)))
    ]
    if not scores.teams:
        return tuple(_Side(name=names) for names in members)
    teams = printable_names(scores.teams, stand_in="Team")
    return tuple(_Side(name=team, players=names) for team, names in zip(teams, members, strict=True))


def _draw_head(canvas: Canvas, variant: Variant, *, page: int, pages: int) -> None:
    right = canvas.width - _MARGIN
    title = _title(variant)
    canvas.text(_MARGIN, _MARGIN + 16, title, size=22, font=BOLD, colour=ACCENT)
    canvas.suits(_MARGIN + canvas.text_width(title, size=22, font=BOLD) + 12, _MARGIN + 15, size=16)
    canvas.text(right, _MARGIN + 16, game_end(variant), size=12, font=BOLD, align="right")
    end_width = canvas.text_width(game_end(variant), size=12, font=BOLD)
    if pages > 1:
        canvas.text(right - end_width - 18, _MARGIN + 16, f"Page {page} of {pages}", size=10, align="right")
    else:
        date_end = right - end_width - 18
        canvas.text(date_end - 104, _MARGIN + 16, "Date", size=10, colour=GREY, align="right")
        canvas.line(date_end - 98, _MARGIN + 18, date_end, _MARGIN + 18)


def _draw_foot(canvas: Canvas, scores: PrintedScores, sides: Sequence[_Side]) -> None:
    y = canvas.height - _MARGIN - 17
    canvas.text(_MARGIN, y, f"Cards: {card_key(scores.variant)}", size=8.5, colour=GREY)
    canvas.text(_MARGIN, y + 13, scoring_key(scores.variant), size=8.5, colour=GREY)
    if scores.winners is None:
        return
    right = canvas.width - _MARGIN
    if not scores.winners:
        canvas.text(right, y + 10, "The game is a draw.", size=14, font=BOLD, colour=ACCENT, align="right")
        return
    label = "Winner" if len(scores.winners) == 1 else "Winners"
    canvas.text(right, y, label, size=8.5, colour=GREY, align="right")
    width = _WINNERS_WIDTH / len(scores.winners)
    for place, side in enumerate(reversed(scores.winners), start=1):
        canvas.name(
            right - place * width,
            y + 16,
            sides[side].name or f"Player {side + 1}",
            width=width - _PADDING,
            size=15,
            smallest=8,
            colour=ACCENT,
            align="right",
        )


class _Table:
    """The table of a score sheet: a row for each deal, two columns for each side."""

    def __init__(self, canvas: Canvas, scores: PrintedScores, players: Sequence[str]) -> None:
        self._canvas = canvas
        self._scores = scores
        self._players = players
        self.sides = _sides(scores, players)
        self._totals = [
            tuple(accumulate(deal[side] for deal in scores.deals)) for side in range(len(self.sides))
        ]
        self._top = _MARGIN + _HEAD
        self._left = _MARGIN + _NUMBER_WIDTH + _DEALER_WIDTH
        self._width = (canvas.width - _MARGIN - self._left) / len(self.sides)
        space = canvas.height - _MARGIN - _FOOT - self._top - _NAMES - _LABELS
        rows = max(len(scores.deals), scores.variant.deals or int(space / _ROW))
        self.pages = ceil(rows / int(space / _LOWEST_ROW))
        self._rows = ceil(rows / self.pages)
        self._row = min(space / self._rows, _HIGHEST_ROW)

    def draw(self, page: int) -> None:
        """Draw the rows of a page, counted from 0."""
        body = self._top + _NAMES + _LABELS
        bottom = body + self._rows * self._row
        self._draw_columns(body, bottom)
        for row in range(self._rows):
            y = body + row * self._row
            self._canvas.line(_MARGIN, y, self._canvas.width - _MARGIN, y)
            self._draw_row(page * self._rows + row, y)
        self._canvas.line(_MARGIN, bottom, self._canvas.width - _MARGIN, bottom, width=1)

    def _draw_columns(self, body: float, bottom: float) -> None:
        canvas = self._canvas
        canvas.box(_MARGIN, self._top, canvas.width - 2 * _MARGIN, body - self._top, TINT)
        half = self._width / 2
        labels = body - 4
        canvas.text(_MARGIN + _NUMBER_WIDTH / 2, labels, "Deal", size=8, colour=GREY, align="center")
        canvas.text(
            _MARGIN + _NUMBER_WIDTH + _DEALER_WIDTH / 2, labels, "Dealer", size=8, colour=GREY, align="center"
        )
        for place, side in enumerate(self.sides):
            x = self._left + place * self._width
            if place in (self._scores.winners or ()):
                canvas.box(x, self._top, self._width, _NAMES, WINNER_TINT)
            self._draw_name(place, side, x)
            canvas.box(x + half, body, half, bottom - body, TINT)
            canvas.text(x + half / 2, labels, "Score", size=8, colour=GREY, align="center")
            canvas.text(x + half * 1.5, labels, "Total", size=8, colour=GREY, align="center")
            canvas.line(x, self._top, x, bottom, width=1)
            canvas.line(x + half, body, x + half, bottom)
        right = canvas.width - _MARGIN
        canvas.line(_MARGIN + _NUMBER_WIDTH, self._top, _MARGIN + _NUMBER_WIDTH, bottom)
        for x in (_MARGIN, right):
            canvas.line(x, self._top, x, bottom, width=1)
        canvas.line(_MARGIN, self._top, right, self._top, width=1)

    def _draw_name(self, place: int, side: _Side, x: float) -> None:
        canvas = self._canvas
        width = self._width - 2 * _PADDING
        left = x + _PADDING
        if not side.name:
            canvas.text(left, self._top + 10, f"{place + 1}", size=7, colour=GREY)
            canvas.line(left + 6, self._top + _NAMES - 8, left + width - 6, self._top + _NAMES - 8)
        elif side.players:
            canvas.name(left, self._top + 16, side.name, width=width, size=13, smallest=8)
            canvas.name(left, self._top + 29, side.players, width=width, size=8.5, smallest=6.5, colour=GREY)
        else:
            canvas.name(left, self._top + 23, side.name, width=width, size=14, smallest=8)

    def _draw_row(self, deal: int, y: float) -> None:
        canvas = self._canvas
        scores = self._scores
        size = min(self._row * 0.6, 11)
        baseline = y + (self._row + size * CAP_HEIGHT) / 2
        canvas.text(
            _MARGIN + _NUMBER_WIDTH / 2,
            baseline,
            f"{deal + 1}",
            size=size * 0.85,
            colour=GREY,
            align="center",
        )
        dealer = self._dealer(deal)
        if dealer:
            canvas.name(
                _MARGIN + _NUMBER_WIDTH + _PADDING,
                baseline,
                dealer,
                width=_DEALER_WIDTH - 2 * _PADDING,
                size=size * 0.85,
                smallest=6.5,
                colour=GREY,
            )
        if deal >= len(scores.deals):
            return
        half = self._width / 2
        inset = half / 2 - canvas.text_width("0000", size=size) / 2
        for place, score in enumerate(scores.deals[deal]):
            x = self._left + place * self._width
            total = self._totals[place][deal]
            for right, value, font in ((x + half, score, REGULAR), (x + 2 * half, total, BOLD)):
                canvas.text(right - inset, baseline, _number(value), size=size, font=font, align="right")

    def _dealer(self, deal: int) -> str:
        """Return the name of a deal's dealer, or nothing; no player deals after the last deal."""
        scores = self._scores
        is_over = scores.winners is not None and deal >= len(scores.deals)
        if scores.first_dealer is None or is_over:
            return ""
        return self._players[(scores.first_dealer + deal) % len(self._players)]


def _number(value: int) -> str:
    """Return a number with a minus as wide as a digit."""
    return str(value).replace("-", "–")  # noqa: RUF001 - the fonts have no minus sign
