"""Advice jobs: hints and reviews that a worker computes in the background.

Under the job's name lies its record, and under what was asked for the id of its job:

    job:j4nCZ1Cj...    {"id": "j4nCZ1Cj...", "kind": "review", "status": "queued", ...}
    hint-of:g10h99UK...:0    j4nCZ1Cj...
"""

from typing import Protocol


class AdviceStore(Protocol):
    """Stores advice jobs."""

    def put_advice_job(self, name: str, body: bytes, *, replaces: bytes | None, expires_at: int) -> bool:
        """Store a job by compare-and-set; return False if another writer was first.

        `replaces` is the body that was read, None for a new job. A body that is stored already
        counts as success, and gets the new expiry.
        """
        ...

    def advice_job(self, name: str) -> bytes | None:
        """Return a stored job, or None."""
        ...
