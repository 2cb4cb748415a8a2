"""A cursor over the lines of a text, with parsers for the words of a line."""

from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from service.notation import words
from service.rummy.cards import Card, card

T = TypeVar("T")


class NotationError(Exception):
    """A text that is not a replay. `line` counts from 1; the message is a sentence."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Cursor:
    """A position in a text, with the labels of the seats and the lines of the parts read.

    `at` is the number of lines read, `labels` maps a label to its seat, `places` a part to
    the line it is on.
    """

    def __init__(self, text: str) -> None:
        # Spaces only align columns, and mail programs trim them: outside names they have no meaning.
        self.raw: Final = text.splitlines()
        self.lines: Final = [" ".join(line.split()) for line in self.raw]
        self.at = 0
        self.labels: dict[str, int] = {}
        self.places: dict[str, str] = {}

    # Lines

    @property
    def place(self) -> str:
        """The place of the line just read."""
        return f"line {self.at}"

    def fail(self, message: str) -> NoReturn:
        """Raise NotationError for the line just read."""
        raise NotationError(max(1, self.at), message)

    def peek(self) -> str | None:
        """Return the next line that is not empty, without reading it; None at the end."""
        while self.at < len(self.lines) and not self.lines[self.at]:
            self.at += 1
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self, expected: str) -> str:
        """Read and return the next line; `expected` is named in the error where the text ends."""
        line = self.peek()
        if line is None:
            self.at = len(self.lines)
            self.fail(f"The text ends too early: expected {expected}.")
        self.at += 1
        return line

    def value(self, name: str) -> str:
        """Read the next line, which must be `name: value`, and return the value."""
        value = self.optional(name)
        if value is None:
            found = self.next(f"{name}:")
            self.fail(f"Expected {name}: and a value, not {found!r}.")
        return value

    def optional(self, name: str) -> str | None:
        """Read the next line if it is `name: value` and return the value, else None."""
        line = self.peek()
        if line is None or not line.startswith(f"{name}: "):
            return None
        self.at += 1
        self.places[name] = self.place
        return line.removeprefix(f"{name}: ")

    # Words

    def seat(self, label: str) -> int:
        """Return the seat of a label."""
        if label not in self.labels:
            self.fail(f"There is no seat {label!r}; the seats are {', '.join(self.labels)}.")
        return self.labels[label]

    def seats(self, labels: str) -> tuple[int, ...]:
        """Return the seats of labels separated by commas."""
        return tuple(self.seat(label) for label in labels.split(", "))

    def card(self, code: str) -> Card:
        """Return the card of a code."""
        return self.read(card, code)

    def cards(self, text: str) -> tuple[Card, ...]:
        """Return the cards of codes separated by spaces."""
        return self.read(words.parse_cards, text)

    def read(self, read: Callable[[str], T], text: str) -> T:
        """Parse a word of the line just read; raise NotationError where it does not parse."""
        try:
            return read(text)
        except ValueError as fault:
            self.fail(str(fault))
