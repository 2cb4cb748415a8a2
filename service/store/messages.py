"""Messages to those who follow a game: delivered once to open streams, and kept nowhere.

A message has no version and no place in the game's log, so it never conflicts with a move.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

MAX_MESSAGES: Final = 1000
"""About how many of the newest messages, of all games, wait for readers; older ones are dropped."""

MessageListener = Callable[[Sequence[tuple[str, bytes]]], None]
"""Takes messages: the id of each game, and the body."""


class MessageStore(Protocol):
    """Passes messages on, between all processes."""

    def send_message(self, game_id: str, body: bytes) -> None:
        """Send a message to the listeners of all processes. A message may be lost."""
        ...

    def listen_to_messages(self, on_message: MessageListener) -> None:
        """Call `on_message` for every message from now on, as `Store.listen` does for changes."""
        ...
