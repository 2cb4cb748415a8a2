"""Seeks: each is matched once, never with its own player, and never after its end."""

import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context

import pytest

from service.store.redis.store import RedisStore
from service.store.seeks import MATCH_RETENTION_MS, Seek, SeekKey, SeekState

START = 1_790_000_000_000
LIFE = 30_000


def seek_of(player, *, number=0, pool="classic", kind="human", meets=None, size=2, blocked=()):
    name = SeekKey(pool=pool, id=f"s{player}{number}", player_id=f"p{player}")
    return Seek(name=name, kind=kind, meets=meets, size=size, body=player.encode(), blocked=blocked)


def seek(store, player, *, at=0, game_id=None, life=LIFE, **more):
    """Add or extend a seek; return its state."""
    now = START + at
    return store.seek(seek_of(player, **more), now=now, until=now + life, game_id=game_id or f"g{player}")


def renew(store, player, *, at=0, number=0, pool="classic", whose=None, blocked=()):
    name = SeekKey(pool=pool, id=f"s{player}{number}", player_id=f"p{whose or player}")
    now = START + at
    return store.renew_seek(name, now=now, until=now + LIFE, game_id=f"g{player}", blocked=blocked)


def end(store, player, *, at=0, whose=None):
    name = SeekKey(pool="classic", id=f"s{player}0", player_id=f"p{whose or player}")
    return store.end_seek(name, now=START + at)


class TestABlockedPlayer:
    def test_is_not_matched_by_either_seek(self, store):
        seek(store, "Ana", blocked=("pBen",))
        assert seek(store, "Ben", at=1).game_id is None

        seek(store, "Cem", at=2, pool="jokers")
        assert seek(store, "Dan", at=3, pool="jokers", blocked=("pBen", "pCem")).game_id is None

    def test_does_not_keep_the_others_apart(self, store):
        seek(store, "Ana", blocked=("pBen",))
        seek(store, "Ben", at=1)

        assert seek(store, "Cem", at=2).bodies == (b"Cem", b"Ana")

    def test_is_in_no_group_with_the_blocking_player(self, store):
        seek(store, "Ana", size=3, blocked=("pCem",))
        seek(store, "Ben", at=1, size=3)
        assert seek(store, "Cem", at=2, size=3).game_id is None

        assert seek(store, "Dan", at=3, size=3).bodies == (b"Dan", b"Ana", b"Ben")

    def test_may_be_blocked_while_the_seek_waits(self, store):
        seek(store, "Ana")
        renew(store, "Ana", at=1, blocked=("pBen",))
        assert seek(store, "Ben", at=2).game_id is None

        renew(store, "Ana", at=3)

        assert seek(store, "Ben", at=4, number=1).game_id is not None

    def test_is_known_by_the_whole_id(self, store):
        seek(store, "Ana", blocked=("pBenjamin", "xpBen"))

        assert seek(store, "Ben", at=1).game_id is not None


class TestTheFirstSeek:
    def test_waits(self, store):
        assert seek(store, "Ana") == SeekState(until=START + LIFE, game_id=None, bodies=(b"Ana",))

    def test_waits_on_when_renewed(self, store):
        seek(store, "Ana")

        assert renew(store, "Ana", at=20_000).until == START + 20_000 + LIFE

    def test_is_matched_first(self, store):
        for at, player in enumerate(("Ana", "Ben", "Cem"), start=1):
            seek(store, player, at=at, size=4)

        assert seek(store, "Dan", at=4).bodies == (b"Dan", b"Ana")

    def test_keeps_its_position_when_renewed(self, store):
        seek(store, "Ana", at=1, size=4)
        seek(store, "Ben", at=2, size=4)
        renew(store, "Ana", at=3)

        assert seek(store, "Dan", at=4).bodies == (b"Dan", b"Ana")


class TestAMatch:
    def test_is_the_same_for_all(self, store):
        seek(store, "Ana")
        matched = seek(store, "Ben", at=5)

        assert matched == SeekState(
            until=START + 5 + MATCH_RETENTION_MS, game_id="gBen", bodies=(b"Ben", b"Ana")
        )
        assert renew(store, "Ana", at=10) == matched
        assert renew(store, "Ben", at=10) == matched

    def test_has_as_many_players_as_the_game(self, store):
        told = [seek(store, player, at=at, size=3) for at, player in enumerate(("Ana", "Ben", "Cem"))]

        assert [one.game_id for one in told] == [None, None, "gCem"]
        assert told[2].bodies == (b"Cem", b"Ana", b"Ben")

    def test_is_made_once(self, store):
        seek(store, "Ana")
        seek(store, "Ben")

        assert seek(store, "Cem").game_id is None
        assert seek(store, "Dan").bodies == (b"Dan", b"Cem")

    def test_is_returned_again_to_a_repeated_call(self, store):
        seek(store, "Ana")

        assert seek(store, "Ben", game_id="g1") == seek(store, "Ben", game_id="g2")

    def test_expires(self, store):
        seek(store, "Ana")
        seek(store, "Ben")

        assert renew(store, "Ana", at=MATCH_RETENTION_MS - 1).game_id == "gBen"
        assert renew(store, "Ana", at=MATCH_RETENTION_MS) is None

    def test_happens_in_one_pool_only(self, store):
        seek(store, "Ana", pool="classic")

        assert seek(store, "Ben", pool="jokers").game_id is None


class TestASeekDoesNotMeet:
    def test_another_of_the_same_player(self, store):
        assert [seek(store, "Ana", number=number).game_id for number in range(3)] == [None] * 3

    def test_one_that_has_expired(self, store):
        seek(store, "Ana")

        assert seek(store, "Ben", at=LIFE).game_id is None
        assert renew(store, "Ana", at=LIFE) is None

    def test_one_that_was_ended(self, store):
        seek(store, "Ana")

        assert end(store, "Ana") == ""
        assert seek(store, "Ben").game_id is None
        assert renew(store, "Ana") is None

    @pytest.mark.parametrize(
        "first, second, met",
        [
            (("human", None), ("bot", None), True),
            (("human", "human"), ("bot", None), False),
            (("human", "bot"), ("bot", None), True),
            (("human", None), ("bot", "bot"), False),
            (("human", None), ("bot", "human"), True),
            (("human", "human"), ("human", "human"), True),
            (("human", "bot"), ("human", "bot"), False),
        ],
    )
    def test_an_unwanted_kind(self, store, first, second, met):
        seek(store, "Ana", kind=first[0], meets=first[1])
        told = seek(store, "Ben", kind=second[0], meets=second[1])

        assert (told.game_id is not None) is met

    def test_a_third_one_that_the_second_does_not_want(self, store):
        seek(store, "Ana", at=1, size=3)
        seek(store, "Bot", at=2, size=3, kind="bot")
        seek(store, "Cem", at=3, size=3, meets="human")

        assert seek(store, "Dan", at=4, size=3).bodies == (b"Dan", b"Ana", b"Bot")
        assert renew(store, "Cem").game_id is None


class TestASeekOfAnotherPlayer:
    def test_cannot_be_renewed_or_ended(self, store):
        seek(store, "Ana")

        assert renew(store, "Ana", whose="Ben") is None
        assert end(store, "Ana", whose="Ben") is None
        assert seek(store, "Ben").game_id == "gBen"

    def test_with_the_same_id_is_separate(self, store):
        seek(store, "Ana")
        other = seek_of("Ana")
        other = replace(other, name=replace(other.name, player_id="pBen"), body=b"Ben")

        assert store.seek(other, now=START, until=START + LIFE, game_id="g1").bodies == (b"Ben", b"Ana")


class TestEnding:
    def test_comes_too_late_after_a_match(self, store):
        seek(store, "Ana")
        seek(store, "Ben")

        assert end(store, "Ana") == "gBen"
        assert renew(store, "Ana").game_id == "gBen"

    def test_of_an_unknown_seek_is_none(self, store):
        assert end(store, "Ana") is None
        seek(store, "Ana")
        assert end(store, "Ana", at=LIFE) is None
        seek(store, "Ana", at=LIFE)
        assert (end(store, "Ana", at=LIFE), end(store, "Ana", at=LIFE)) == ("", None)


def crowd(store, writer, players):
    """Run many seeks at once, and renew them until all are matched; return the players by game.

    A store may be given by its URL, to a process of its own.
    """
    if isinstance(store, str):
        with closing(RedisStore.at(store)) as own:
            return crowd(own, writer, players)
    told = {}
    for player in [f"{writer}.{number}" for number in range(players)]:
        told[player] = seek(store, player, game_id=f"g{player}")
    while any(one.game_id is None for one in told.values()):
        told = {player: renew(store, player) for player in told}
    return {player: (one.game_id, one.bodies) for player, one in told.items()}


def check(met):
    """Every player met one other, and both got the same match."""
    assert Counter(Counter(game_id for game_id, _ in met.values()).values()).keys() == {2}
    for player, (_, bodies) in met.items():
        assert player.encode() in bodies
        assert len(set(bodies)) == 2
        assert {met[body.decode()] for body in bodies} == {met[player]}


class TestManyAtOnce:
    def test_threads_are_matched_once_each(self, store):
        found = {}
        threads = [
            threading.Thread(target=lambda writer=writer: found.update(crowd(store, writer, 5)))
            for writer in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(found) == 40
        check(found)

    def test_processes_are_matched_once_each(self, valkey):
        with valkey.client() as client:
            client.flushall()
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            found = pool.map(crowd, [valkey.url] * 2, range(2), [40] * 2)
            met = {player: told for some in found for player, told in some.items()}

        assert len(met) == 80
        check(met)
