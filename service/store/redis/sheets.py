"""Score sheets in Redis: a hash for each, committed by the script that commits games."""

from service.store.ids import is_sheet_id, shard_of
from service.store.redis import keys
from service.store.redis.commits import commit_command, is_pending
from service.store.redis.connection import Connection, script
from service.store.sheets import SheetCommit, SheetStore


class RedisSheetStore(SheetStore):
    """Stores score sheets."""

    _redis: Connection

    def sheet(self, sheet_id: str) -> bytes | None:
        if not is_sheet_id(sheet_id):
            return None
        body: bytes | None = self._redis.call("HGET", keys.sheet(sheet_id), "state")
        return body

    def commit_sheet(self, commit: SheetCommit) -> None:
        sheet, shard = keys.sheet(commit.sheet_id), shard_of(commit.sheet_id)
        command = commit_command(
            # A sheet has no log: in its place stands the sheet, whose expiry is then set twice. It has no
            # due time and no effects either, so the shard's own lists stay as they are.
            [sheet, sheet, keys.due(shard), keys.attempts(shard), keys.outbox(shard)],
            commit.sheet_id,
            expected_version=commit.expected_version,
            state=commit.body,
            expires_at=commit.expires_at,
            answer=commit.answer,
        )
        (outcome,) = self._redis.call_all([command], script=script("commit"))
        is_pending(outcome)
