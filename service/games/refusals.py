"""What the table refuses beyond the rules: who may sit where, and which version a move was made for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Refusal(Exception):  # noqa: N818 - named as the rest of the house names refusals
    """Something asked for that cannot be; nothing changed.

    `code` is stable and `message` says what to do; `details` are further members for
    a client.
    """

    def __init__(self, code: str, message: str, **details: Any) -> None:  # noqa: ANN401 - JSON members
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Mapping[str, Any] = details


class VersionConflict(Refusal):
    """The game is no longer at the version the move was made for."""

    def __init__(self, current: int) -> None:
        super().__init__(
            "version_conflict",
            f"The game has moved on to version {current}: read it again and decide anew.",
            current_version=current,
        )
        self.current = current
