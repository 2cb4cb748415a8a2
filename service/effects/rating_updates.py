"""Ratings: which sides of a game are compared, and the ratings after it.

People, bots and computers are rated in a pool each. A rated game that is over counts in every pool with
two sides or more; a side belongs to a pool if all players who began the game on it are of that kind.
Games of people against computers therefore change no ratings, and a game of two people and two bots
counts once among people, once among bots. Computers are rated by level, unless a level sits on two
sides.

Sides are placed as in the game: winners first, then by totals. A side whose players all
resigned is placed after all others, the earlier the worse. If only one partner resigned,
the side keeps its place for the other, and the one who resigned is rated as last.

What keeps ratings from being farmed is in openapi/RATINGS.md: before a deal was finished no player gains; the
same two players count three times a day; who has played much less does not count; and at tables that
players arrange, established players alone count. An opponent who does not count for a player is left out
of that player's comparison.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, cast

from openskill.models import PlackettLuce

from service.games.record import GameRecord, SeatKind, Status
from service.runtime.durations import DAY_MS
from service.store.contract import Store, StoreError
from service.store.ratings import Pool, RatingUpdate
from service.store.schema import StoredCodec, StoredValue

POOL_OF: Final[Mapping[SeatKind, Pool]] = {
    SeatKind.HUMAN: Pool.PEOPLE,
    SeatKind.BOT: Pool.BOTS,
    SeatKind.COMPUTER: Pool.COMPUTERS,
}

#: A player with this many rated games, against this many opponents, is established: on the board, and rated
#: at arranged tables too.
ESTABLISHED_GAMES: Final = 10
ESTABLISHED_OPPONENTS: Final = 3
#: How often the same two players count for each other within MEETING_MS.
MAX_MEETINGS: Final = 3
MEETING_MS: Final = DAY_MS
#: The most meetings that a rating keeps; a player of more games a day meets many others.
_MAX_KEPT: Final = 64

#: Scales the model to whole numbers: every rating begins at 1500.
_SCALE: Final = 60
#: Leaderboards rank by the estimate less three deviations, a skill that is almost certain.
_CAUTION: Final = 3
#: Retries after conflicts with other games that count at the same time.
_MAX_TRIES: Final = 100


class _Skill(Protocol):
    """The part of openskill's ratings used here; the package has no types."""

    mu: float
    sigma: float


_model: Final = PlackettLuce()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """An opponent who counted, and when, in milliseconds."""

    opponent: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(StoredValue):
    """A rating as stored: the model's estimate and its deviation, the number of games, the last meetings.

    `opponents` are the first ESTABLISHED_OPPONENTS players who counted.
    """

    mu: float = _model.mu
    sigma: float = _model.sigma
    games: int = 0
    wins: int = 0
    meetings: tuple[Meeting, ...] = ()
    opponents: tuple[str, ...] = ()

    @property
    def is_established(self) -> bool:
        """Whether there were enough games and opponents for a place on the board."""
        return self.games >= ESTABLISHED_GAMES and len(self.opponents) >= ESTABLISHED_OPPONENTS

    @property
    def rating(self) -> int:
        """The estimate as a whole number; 1500 at first."""
        return round(_SCALE * self.mu)

    @property
    def deviation(self) -> int:
        """The standard deviation of the estimate as a whole number; 500 at first."""
        return round(_SCALE * self.sigma)

    @property
    def score(self) -> int:
        """The score that leaderboards rank by, a cautious estimate; 0 at first."""
        return round(_SCALE * (self.mu - _CAUTION * self.sigma))


_SKILLS: Final = StoredCodec(Skill)
decode_skill, encode_skill = _SKILLS.decode, _SKILLS.encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The partners who began a game on one side, and their result; the lowest place is the best."""

    members: tuple[str, ...]
    resigned: frozenset[str]
    place: tuple[int, ...]
    won: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """Who began the game on a seat: a player id or the level of a computer."""

    name: str
    kind: SeatKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """The sides that a game compares in a pool.

    `deals` is the number of finished deals: without one, only those lose who resigned. `is_arranged` says
    that the players chose each other, instead of being matched by their seeks.
    """

    pool: str
    sides: tuple[Side, ...]
    deals: int
    is_arranged: bool


def contests(record: GameRecord) -> dict[str, Contest]:
    """Return what a game compares, by pool; empty if it does not count."""
    if not record.rated or record.status is not Status.FINISHED or record.game is None:
        return {}
    by_pool: dict[str, list[Side]] = {}
    for side in range(record.variant.sides(len(record.seats))):
        seats = [seat for seat in range(len(record.seats)) if record.variant.side(seat) == side]
        members = [_who_began(record, seat) for seat in seats]
        if len({member.kind for member in members}) == 1:
            by_pool.setdefault(POOL_OF[members[0].kind], []).append(_side(record, side, seats, members))
    return {
        pool: Contest(
            pool=pool, sides=sides, deals=len(record.game.deals), is_arranged=not record.was_matched
        )
        for pool, found in by_pool.items()
        if len(sides := _comparable(found)) > 1
    }


def _who_began(record: GameRecord, number: int) -> _Member:
    for gone in record.resigned:
        if gone.seat == number:
            return _Member(name=gone.player_id, kind=gone.kind)
    seat = record.seats[number]
    return _Member(
        name=seat.player_id or seat.level or "",
        kind=seat.kind if seat.player_id and seat.kind else SeatKind.COMPUTER,
    )


def _side(record: GameRecord, side: int, seats: Sequence[int], members: Sequence[_Member]) -> Side:
    assert record.game is not None  # noqa: S101 - asked of games that are over
    order = [gone.seat for gone in record.resigned]
    gone = [seat for seat in seats if seat in order]
    won = any(seat in (record.game.winners or ()) for seat in seats)
    total = record.game.totals[side]
    place: tuple[int, ...] = (0, 0 if won else 1, total if record.variant.scoring == "penalty" else -total)
    if len(gone) == len(seats):
        # Behind every side that stayed; among resigned sides, the later the better.
        place, won = (1, -max(map(order.index, gone)), 0), False
    return Side(
        members=tuple(dict.fromkeys(member.name for member in members)),
        resigned=frozenset(members[seats.index(seat)].name for seat in gone),
        place=place,
        won=won,
    )


def _comparable(sides: Sequence[Side]) -> tuple[Side, ...]:
    """Return the sides whose members sit on no other side, so that no one is compared with themselves."""
    names = [name for side in sides for name in side.members]
    return tuple(side for side in sides if all(names.count(name) == 1 for name in side.members))


def rate_contest(contest: Contest, skills: Mapping[str, Skill], *, at: int) -> dict[str, Skill]:
    """Return the new skills of the members for whom the game counts, from those before it."""
    after = {}
    for side in contest.sides:
        for name in side.members:
            has_left = name in side.resigned
            others = [
                other
                for other in contest.sides
                if other is not side and _counts(contest, name, other, skills, at)
            ]
            if others and (contest.deals or has_left):
                seen = {**skills, **_modest(contest, side, others, skills, at)}
                after[name] = _after(side, others, name, seen, at)
    return after


def _counts(contest: Contest, name: str, other: Side, skills: Mapping[str, Skill], at: int) -> bool:
    """Return whether a side counts for a player."""
    if contest.pool == Pool.COMPUTERS:
        return True
    own, theirs = skills[name], [skills[member] for member in other.members]
    if contest.is_arranged and not all(skill.is_established for skill in (own, *theirs)):
        return False
    has_met = [meeting.opponent for meeting in own.meetings if meeting.at > at - MEETING_MS]
    if any(has_met.count(member) >= MAX_MEETINGS for member in other.members):
        return False
    # A new account costs nothing: who beats many of them has beaten no one.
    needed = min(own.games, ESTABLISHED_GAMES)
    return all(2 * skill.games + 1 >= needed for skill in theirs)


def _modest(
    contest: Contest, side: Side, others: Sequence[Side], skills: Mapping[str, Skill], at: int
) -> dict[str, Skill]:
    """Return the beaten opponents for whom the game does not count, as no better than a beginner.

    Else they could give games away, at no cost of their own, to make others champions.
    """
    beaten = [
        member
        for other in others
        if side.place < other.place
        for member in other.members
        if not _counts(contest, member, side, skills, at)
    ]
    return {member: replace(skills[member], mu=min(skills[member].mu, _model.mu)) for member in beaten}


def _after(side: Side, others: Sequence[Side], name: str, skills: Mapping[str, Skill], at: int) -> Skill:
    """Return the skill of a member of a side after the comparison with others."""
    has_left = name in side.resigned
    is_alone = has_left and len(side.resigned) < len(side.members)
    places = [(2,) if is_alone else side.place, *(other.place for other in others)]
    rated = _rate([side, *others], places, skills)[name]
    members = [member for other in others for member in other.members]
    met = (Meeting(opponent=member, at=at) for member in members)
    recent = (meeting for meeting in skills[name].meetings if meeting.at > at - MEETING_MS)
    return replace(
        skills[name],
        mu=rated.mu,
        sigma=rated.sigma,
        games=skills[name].games + 1,
        wins=skills[name].wins + (side.won and not has_left),
        meetings=(*recent, *met)[-_MAX_KEPT:],
        opponents=tuple(dict.fromkeys((*skills[name].opponents, *members)))[:ESTABLISHED_OPPONENTS],
    )


def _rate(
    sides: Sequence[Side], places: Sequence[tuple[int, ...]], skills: Mapping[str, Skill]
) -> dict[str, _Skill]:
    order = sorted(set(places))
    teams = [
        [_model.rating(mu=skills[name].mu, sigma=skills[name].sigma) for name in side.members]
        for side in sides
    ]
    after = _model.rate(teams, ranks=[float(order.index(place)) for place in places])
    return {
        name: cast("_Skill", skill)
        for side, team in zip(sides, after, strict=True)
        for name, skill in zip(side.members, team, strict=True)
    }


def _board_score(pool: str, skill: Skill) -> int | None:
    """Return the score on the board; None for a player who is not established."""
    return skill.score if pool == Pool.COMPUTERS or skill.is_established else None


class RatingUpdater:
    """Applies finished games to the ratings, each once."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def count(self, record: GameRecord, *, at: int) -> None:
        """Update the ratings in each pool in which the game counts; idempotent."""
        for contest in contests(record).values():
            self._count(contest, record, at=at)

    def _count(self, contest: Contest, record: GameRecord, *, at: int) -> None:
        pool = contest.pool
        names = [name for side in contest.sides for name in side.members]
        for _ in range(_MAX_TRIES):
            stored = dict(zip(names, self._store.ratings(pool, names), strict=True))
            skills = {name: Skill() if body is None else decode_skill(body) for name, body in stored.items()}
            after = rate_contest(contest, skills, at=record.updated_at)
            ratings = [
                RatingUpdate(
                    player_id=name,
                    replaces=stored[name],
                    body=encode_skill(after[name]),
                    score=_board_score(pool, after[name]),
                )
                for name in self._still_there(pool, [name for name in names if name in after])
            ]
            if self._store.rate(pool, record.id, ratings, at=at):
                return
        raise StoreError(f"Rating game {record.id} failed after {_MAX_TRIES} conflicts.")

    def _still_there(self, pool: str, names: Sequence[str]) -> list[str]:
        """Return the members who still exist: a deleted account gets no rating."""
        if pool == Pool.COMPUTERS:
            return list(names)
        bodies = self._store.players(names)
        return [name for name, body in zip(names, bodies, strict=True) if body is not None]
