"""Players who look for others: each meets once, nobody himself, and nobody whose time is over."""

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


def seek_of(player, *, number=0, pool="classic", kind="human", meets=None, size=2):
    name = SeekKey(pool=pool, id=f"s{player}{number}", player_id=f"p{player}")
    return Seek(name=name, kind=kind, meets=meets, size=size, body=player.encode())


def seek(store, player, *, at=0, game_id=None, life=LIFE, **more):
    """Let a player look for others; return what he is told."""
    now = START + at
    return store.seek(seek_of(player, **more), now=now, until=now + life, game_id=game_id or f"g{player}")


def renew(store, player, *, at=0, number=0, pool="classic", whose=None):
    name = SeekKey(pool=pool, id=f"s{player}{number}", player_id=f"p{whose or player}")
    now = START + at
    return store.renew_seek(name, now=now, until=now + LIFE, game_id=f"g{player}")


def end(store, player, *, at=0, whose=None):
    name = SeekKey(pool="classic", id=f"s{player}0", player_id=f"p{whose or player}")
    return store.end_seek(name, now=START + at)


class TestWhoComesFirst:
    def test_waits(self, store):
        assert seek(store, "Ana") == SeekState(until=START + LIFE, game_id=None, bodies=(b"Ana",))

    def test_goes_on_waiting(self, store):
        seek(store, "Ana")

        assert renew(store, "Ana", at=20_000).until == START + 20_000 + LIFE

    def test_is_matched_first(self, store):
        for at, player in enumerate(("Ana", "Ben", "Cem"), start=1):
            seek(store, player, at=at, size=4)

        assert seek(store, "Dan", at=4).bodies == (b"Dan", b"Ana")

    def test_keeps_his_place_while_he_waits_on(self, store):
        seek(store, "Ana", at=1, size=4)
        seek(store, "Ben", at=2, size=4)
        renew(store, "Ana", at=3)

        assert seek(store, "Dan", at=4).bodies == (b"Dan", b"Ana")


class TestAMatch:
    def test_is_the_same_to_all(self, store):
        seek(store, "Ana")
        matched = seek(store, "Ben", at=5)

        assert matched == SeekState(
            until=START + 5 + MATCH_RETENTION_MS, game_id="gBen", bodies=(b"Ben", b"Ana")
        )
        assert renew(store, "Ana", at=10) == matched
        assert renew(store, "Ben", at=10) == matched

    def test_takes_as_many_as_play(self, store):
        told = [seek(store, player, at=at, size=3) for at, player in enumerate(("Ana", "Ben", "Cem"))]

        assert [one.game_id for one in told] == [None, None, "gCem"]
        assert told[2].bodies == (b"Cem", b"Ana", b"Ben")

    def test_is_made_once(self, store):
        seek(store, "Ana")
        seek(store, "Ben")

        assert seek(store, "Cem").game_id is None
        assert seek(store, "Dan").bodies == (b"Dan", b"Cem")

    def test_sent_twice_is_told_twice(self, store):
        seek(store, "Ana")

        assert seek(store, "Ben", game_id="g1") == seek(store, "Ben", game_id="g2")

    def test_is_forgotten_in_the_end(self, store):
        seek(store, "Ana")
        seek(store, "Ben")

        assert renew(store, "Ana", at=MATCH_RETENTION_MS - 1).game_id == "gBen"
        assert renew(store, "Ana", at=MATCH_RETENTION_MS) is None

    def test_happens_in_one_pool_only(self, store):
        seek(store, "Ana", pool="classic")

        assert seek(store, "Ben", pool="jokers").game_id is None


class TestNobodyMeets:
    def test_himself(self, store):
        assert [seek(store, "Ana", number=number).game_id for number in range(3)] == [None] * 3

    def test_one_whose_time_is_over(self, store):
        seek(store, "Ana")

        assert seek(store, "Ben", at=LIFE).game_id is None
        assert renew(store, "Ana", at=LIFE) is None

    def test_one_who_gave_up(self, store):
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
    def test_whom_he_does_not_want_to_meet(self, store, first, second, met):
        seek(store, "Ana", kind=first[0], meets=first[1])
        told = seek(store, "Ben", kind=second[0], meets=second[1])

        assert (told.game_id is not None) is met

    def test_a_third_one_that_the_second_does_not_want(self, store):
        seek(store, "Ana", at=1, size=3)
        seek(store, "Bot", at=2, size=3, kind="bot")
        seek(store, "Cem", at=3, size=3, meets="human")

        assert seek(store, "Dan", at=4, size=3).bodies == (b"Dan", b"Ana", b"Bot")
        assert renew(store, "Cem").game_id is None


class TestAnothersSeek:
    def test_cannot_be_renewed_or_ended(self, store):
        seek(store, "Ana")

        assert renew(store, "Ana", whose="Ben") is None
        assert end(store, "Ana", whose="Ben") is None
        assert seek(store, "Ben").game_id == "gBen"

    def test_is_another_one_though_it_has_the_same_id(self, store):
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

    def test_of_what_is_not_there(self, store):
        assert end(store, "Ana") is None
        seek(store, "Ana")
        assert end(store, "Ana", at=LIFE) is None
        seek(store, "Ana", at=LIFE)
        assert (end(store, "Ana", at=LIFE), end(store, "Ana", at=LIFE)) == ("", None)


def crowd(store, writer, players):
    """Let many players look for others at once, and renew until all have met; return who met where.

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
    """Every player met one other, and both were told the same."""
    assert Counter(Counter(game_id for game_id, _ in met.values()).values()).keys() == {2}
    for player, (_, bodies) in met.items():
        assert player.encode() in bodies
        assert len(set(bodies)) == 2
        assert {met[body.decode()] for body in bodies} == {met[player]}


class TestManyAtOnce:
    def test_threads_meet_once_each(self, store):
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

    def test_processes_meet_once_each(self, valkey):
        with valkey.client() as client:
            client.flushall()
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            found = pool.map(crowd, [valkey.url] * 2, range(2), [40] * 2)
            met = {player: told for some in found for player, told in some.items()}

        assert len(met) == 80
        check(met)
