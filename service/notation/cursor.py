"""A text gone through line by line, with the words that stand on a line."""

from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from service.notation import words
from service.rummy.cards import Card, card

T = TypeVar("T")


class NotationError(Exception):
    """A text that is no replay. `line` counts from 1; the message is one whole sentence."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Cursor:
    """Stands on a line of a text; knows what seats are called, and where parts were read.

    `at` counts the lines that were read, `labels` gives the seat of a name, `places` the line of a part.
    """

    def __init__(self, text: str) -> None:
        # Spaces set columns, and mail programs trim them: outside of names they carry no meaning.
        self.raw: Final = text.splitlines()
        self.lines: Final = [" ".join(line.split()) for line in self.raw]
        self.at = 0
        self.labels: dict[str, int] = {}
        self.places: dict[str, str] = {}

    # Lines

    @property
    def place(self) -> str:
        """Where the line just read stands."""
        return f"line {self.at}"

    def fail(self, message: str) -> NoReturn:
        """Refuse the line just read."""
        raise NotationError(max(1, self.at), message)

    def peek(self) -> str | None:
        """Return the next line that is not empty, None at the end; empty lines are passed over."""
        while self.at < len(self.lines) and not self.lines[self.at]:
            self.at += 1
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self, expected: str) -> str:
        """Return the next line and go on behind it; `expected` is named where the text breaks off."""
        line = self.peek()
        if line is None:
            self.at = len(self.lines)
            self.fail(f"The text breaks off: {expected} should follow.")
        self.at += 1
        return line

    def value(self, name: str) -> str:
        """Return the value of the next line, which must be `name: value`."""
        value = self.optional(name)
        if value is None:
            found = self.next(f"{name}:")
            self.fail(f"Expected {name}: and a value, not {found!r}.")
        return value

    def optional(self, name: str) -> str | None:
        """Return the value of the next line if that is `name: value`, and go on behind it."""
        line = self.peek()
        if line is None or not line.startswith(f"{name}: "):
            return None
        self.at += 1
        self.places[name] = self.place
        return line.removeprefix(f"{name}: ")

    # Words

    def seat(self, label: str) -> int:
        """Return the seat of a name."""
        if label not in self.labels:
            self.fail(f"Nobody here is called {label!r}; there are {', '.join(self.labels)}.")
        return self.labels[label]

    def seats(self, labels: str) -> tuple[int, ...]:
        """Return the seats of names parted by commas."""
        return tuple(self.seat(label) for label in labels.split(", "))

    def card(self, code: str) -> Card:
        """Return a card."""
        return self.read(card, code)

    def cards(self, text: str) -> tuple[Card, ...]:
        """Return cards in a row."""
        return self.read(words.parse_cards, text)

    def read(self, read: Callable[[str], T], text: str) -> T:
        """Return what a word says; a word that does not fit is a fault of the line just read."""
        try:
            return read(text)
        except ValueError as fault:
            self.fail(str(fault))
