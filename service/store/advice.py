"""Work that goes on while nobody waits for it: hints, reviews."""

from typing import Protocol


class Work(Protocol):
    """Keeps how far work has come."""

    def put_work(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        """Keep how far a piece of work has come, unless another was there first; tell whether it stands.

        `replaces` is the body that was read, None for work that nobody has begun. What already stands as
        it should be counts as done, with the new end. It vanishes at `expires_at`.
        """
        ...

    def work(self, name: str) -> bytes | None:
        """Return what is kept of a piece of work, None where there is nothing."""
        ...
