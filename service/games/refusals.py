"""Refusals beyond the rules of the game: seats, permissions and versions."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Refusal(Exception):  # noqa: N818 - a refusal is not an error of the service
    """A request that the game does not allow; nothing has changed.

    `code` is stable, `message` is for people and says what to do, `details` are further
    members of the response.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:  # noqa: ANN401 - JSON members
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Mapping[str, Any] = details


class VersionConflict(Refusal):
    """The game, or what `of` names, is no longer at the version that the request expected."""

    def __init__(self, current: int, *, of: str = "game") -> None:
        super().__init__(
            "version_conflict",
            f"The {of} is at version {current} now: read it again and decide again.",
            current_version=current,
        )
        self.current = current
