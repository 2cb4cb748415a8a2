"""Turns that wait for a thinker, in a fair order: no owner's turns delay another's by more than one.

Owners are grouped by the address that they opened their games from, so that many guests of one address
get the share of one player. The groups take turns, and in a group its accounts do. A group that has had
a long search waits longer for its next one: each has a virtual time, which grows by the milliseconds
of its searches, and the lowest is next. A newcomer starts at the time of the group served last.

The jobs of RQ are permits: whichever job runs, takes the turn that is next here. A lost job leaves its
turn waiting, and the scheduler's next look enqueues another job.
"""

from dataclasses import dataclass
from typing import Any, Final

from redis import Redis

from service.games.record import GameRecord

#: All keys are forgotten when no turn came for this long. A turn that is lost so is enqueued again.
_KEPT_MS: Final = 3_600_000

_ADD: Final = """
-- KEYS  prefix.  ARGV  turn, group, account, cost, kept_ms
local prefix, turn, group, account, kept = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[5]
if redis.call('HSETNX', prefix .. 'turns', turn, ARGV[4]) == 0 then
  return 0
end
local groups, accounts = prefix .. 'groups', prefix .. 'accounts:' .. group
local line = prefix .. 'line:' .. group .. '/' .. account
local function join(level, name)
  if not redis.call('ZSCORE', level, name) then
    local now = tonumber(redis.call('GET', level .. ':time') or 0)
    local own = tonumber(redis.call('ZSCORE', level .. ':ends', name) or 0)
    redis.call('ZADD', level, string.format('%.0f', math.max(now, own)), name)
  end
  redis.call('PEXPIRE', level, kept)
end
redis.call('RPUSH', line, turn)
redis.call('PEXPIRE', line, kept)
redis.call('PEXPIRE', prefix .. 'turns', kept)
join(groups, group)
join(accounts, account)
return 1
"""

_TAKE: Final = """
-- KEYS  prefix.  ARGV  kept_ms.  Returns the turn, or nil if none waits.
local prefix, kept = KEYS[1], ARGV[1]
local groups = prefix .. 'groups'
local function serve(level, name, at, cost, is_last)
  local ends = string.format('%.0f', at + cost)
  redis.call('SET', level .. ':time', string.format('%.0f', at), 'PX', kept)
  redis.call('ZREMRANGEBYSCORE', level .. ':ends', '-inf', string.format('%.0f', at))
  if is_last then
    redis.call('ZREM', level, name)
    redis.call('ZADD', level .. ':ends', ends, name)
    redis.call('PEXPIRE', level .. ':ends', kept)
  else
    redis.call('ZADD', level, ends, name)
  end
end
while true do
  local first = redis.call('ZRANGE', groups, 0, 0, 'WITHSCORES')
  if #first == 0 then
    return nil
  end
  local accounts = prefix .. 'accounts:' .. first[1]
  local second = redis.call('ZRANGE', accounts, 0, 0, 'WITHSCORES')
  if #second == 0 then
    redis.call('ZREM', groups, first[1])
  else
    local line = prefix .. 'line:' .. first[1] .. '/' .. second[1]
    local turn = redis.call('LPOP', line)
    local cost = tonumber(turn and redis.call('HGET', prefix .. 'turns', turn) or 0)
    serve(accounts, second[1], tonumber(second[2]), cost, redis.call('EXISTS', line) == 0)
    serve(groups, first[1], tonumber(first[2]), cost, redis.call('EXISTS', accounts) == 0)
    if turn then
      redis.call('HDEL', prefix .. 'turns', turn)
      return turn
    end
  end
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOwner:
    """Whose turn waits: the account that opened the game, in its group, and the longest search in ms."""

    account: str
    group: str
    thinking_ms: int

    @classmethod
    def of(cls, record: GameRecord) -> "TurnOwner":
        """Return the owner of a game's turns."""
        return cls(
            account=record.creator, group=record.origin or record.creator, thinking_ms=record.thinking_ms
        )


class FairQueue:
    """The turns that wait. Its methods raise RedisError."""

    def __init__(self, name: str, connection: Redis) -> None:
        self._connection: Final = connection
        self._prefix: Final = f"rummy:{{{name}}}:fair:"
        self._add: Final[Any] = connection.register_script(_ADD)
        self._take: Final[Any] = connection.register_script(_TAKE)

    def add(self, turn: str, owner: TurnOwner) -> None:
        """Add a turn at the end of its account's line, unless it waits already."""
        arguments = [turn, owner.group, owner.account, owner.thinking_ms, _KEPT_MS]
        self._add(keys=[self._prefix], args=arguments)

    def take(self) -> str | None:
        """Take the turn that is next; None if none waits."""
        turn = self._take(keys=[self._prefix], args=[_KEPT_MS])
        return None if turn is None else turn.decode()

    def has(self, turn: str) -> bool:
        """Return whether the turn waits."""
        return bool(self._connection.hexists(f"{self._prefix}turns", turn))

    def count(self) -> int:
        """Return how many turns wait."""
        return int(self._connection.hlen(f"{self._prefix}turns"))
