"""The memory store and Redis give the same results to any sequence of calls."""

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from service.store.accounts import NewAccountEvent
from service.store.answers import Answer, IdempotencyKey, Reservation
from service.store.contract import Commit, StoreError
from service.store.ids import new_game_id, new_sheet_id
from service.store.lists import GameList, ListEntry
from service.store.presence import PresenceLease
from service.store.ratings import RatingUpdate, Standing
from service.store.redis.store import RedisStore
from service.store.seeks import Seek, SeekKey
from service.store.sheets import SheetCommit
from tests.support.memory_store.store import MemoryStore
from tests.support.stores import DAY, now

GAMES = [new_game_id(shard) for shard in (0, 0, 63)]
PLAYERS = ["pAna", "pBen"]
SHEETS = [new_sheet_id(shard) for shard in (0, 63)]
LISTS = [
    *(GameList.open(), GameList.unfinished("pAna")),
    *(GameList.of_player("pAna"), GameList.of_player("pAna", sandbox=True)),
]
KEYS = [
    IdempotencyKey(player_id=player_id, subject_id=subject_id, name="k")
    for player_id in PLAYERS
    for subject_id in (*GAMES[:2], SHEETS[0])
]
TIMES = st.integers(0, 5)
#: Mostly no player, so that seeks are matched.
BLOCKED = st.sampled_from([(), (), ("pBen",), ("pAna", "pEve")])
GONE = 1
LIVES = st.sampled_from([DAY] * 9 + [GONE])

KINDS = st.sampled_from(["link", "ticket"])
HASHES = st.sampled_from(["h1", "h2"])

games = st.sampled_from(GAMES)
players = st.sampled_from(PLAYERS)
leases = st.builds(
    PresenceLease, player_id=players, kind=st.sampled_from(["game", "account"]), name=st.sampled_from("12")
)
lists = st.lists(st.sampled_from(LISTS), max_size=3)
bodies = st.sampled_from([b"", b"a", b"\x00\n\xff"])
answers = st.builds(
    Answer,
    status=st.sampled_from([201, 409]),
    headers=st.sampled_from([(), (("ETag", '"2"'),)]),
    body=bodies,
)


def words(store, player_id):
    return [event.body for event in store.account_events(player_id, limit=1000).events]


def seek_name(pool, number):
    return SeekKey(pool=pool, id=f"s{number}", player_id=[*PLAYERS, "pCem"][number // 2])


class Comparison(RuleBasedStateMachine):
    """Makes each call on both stores and compares the results."""

    reservations = Bundle("reservations")

    def __init__(self, url: str) -> None:
        super().__init__()
        self.started = now()
        self.stores = (RedisStore.at(url), MemoryStore(now))
        self.stores[0]._redis.call("FLUSHALL")

    def both(self, ask):
        """Return the result of both stores; an error is a result, too."""
        results = []
        for number, store in enumerate(self.stores):
            try:
                results.append(ask(store, number))
            except StoreError as error:
                results.append((type(error), vars(error)))
        assert results[0] == results[1]
        return results[0]

    def end(self, life):
        return GONE if life == GONE else self.started + life

    @rule(
        game_id=games,
        step=st.sampled_from([0, 0, 0, 0, -1, 1]),
        events=st.lists(bodies, max_size=3).map(tuple),
        state=bodies,
        due_at=st.none() | TIMES,
        effects_due_at=st.none() | TIMES,
        life=LIVES,
    )
    def commit(self, game_id, step, events, state, due_at, effects_due_at, life):
        stored = self.stores[1].load(game_id)
        expected = max(0, (stored.version if stored else 0) + step)
        commit = Commit(
            game_id=game_id,
            expected_version=expected,
            state=state,
            events=events,
            due_at=due_at,
            effects_due_at=effects_due_at,
            expires_at=self.end(life),
        )
        self.both(lambda store, _: store.commit(commit))

    @rule(game_id=games, ids=st.lists(st.tuples(TIMES, TIMES), max_size=3), body=bodies)
    def rewrite_events(self, game_id, ids, body):
        self.both(lambda store, _: store.rewrite_events(game_id, dict.fromkeys(ids, body)))

    @rule(game_id=games, expected_at=TIMES, at=TIMES)
    def reschedule_effects(self, game_id, expected_at, at):
        self.both(lambda store, _: store.reschedule_effects(game_id, expected_at=expected_at, at=at))

    @rule(game_id=games, version=st.integers(0, 5))
    def mark_effects_done(self, game_id, version):
        self.both(lambda store, _: store.mark_effects_done(game_id, version=version))

    @rule(target=reservations, key=st.sampled_from(KEYS), fingerprint=st.sampled_from("xy"))
    def reserve(self, key, fingerprint):
        results = [store.reserve(key, fingerprint) for store in self.stores]
        if isinstance(results[0], Reservation):
            assert isinstance(results[1], Reservation)
        else:
            assert results[0] == results[1]
        # Anything but a reservation from both stores is passed on as None, which the rules ignore.
        return tuple(results) if isinstance(results[0], Reservation) else None

    @rule(reserved=reservations, answer=answers, step=st.sampled_from([0, 0, 0, 1]))
    def commit_with_answer(self, reserved, answer, step):
        if reserved is None:
            return
        game_id = reserved[0].key.subject_id
        if game_id in SHEETS:
            return
        stored = self.stores[1].load(game_id)
        version = (stored.version if stored else 0) + step
        self.both(
            lambda store, number: store.commit(
                Commit(
                    game_id=game_id,
                    expected_version=version,
                    state=b"answered",
                    expires_at=self.end(DAY),
                    answer=(reserved[number], answer),
                )
            )
        )

    @rule(
        sheet_id=st.sampled_from(SHEETS),
        expected_version=st.integers(0, 3),
        body=bodies,
        life=LIVES,
        reserved=st.none() | reservations,
        answer=answers,
    )
    def commit_sheet(self, sheet_id, expected_version, body, life, reserved, answer):
        is_its_own = reserved is not None and reserved[0].key.subject_id == sheet_id
        self.both(
            lambda store, number: store.commit_sheet(
                SheetCommit(
                    sheet_id=sheet_id,
                    expected_version=expected_version,
                    body=body,
                    expires_at=self.end(life),
                    answer=(reserved[number], answer) if is_its_own else None,
                )
            )
        )

    @rule(reserved=reservations, answer=answers)
    def remember(self, reserved, answer):
        if reserved is not None:
            self.both(lambda store, number: store.remember(reserved[number], answer))

    @rule(reserved=reservations)
    def release(self, reserved):
        if reserved is not None:
            self.both(lambda store, number: store.release(reserved[number]))

    @rule(game_id=games, expected_at=st.none() | TIMES, at=TIMES, attempt=st.none() | st.integers(0, 3))
    def lease(self, game_id, expected_at, at, attempt):
        self.both(lambda store, _: store.lease(game_id, expected_at=expected_at, at=at, attempt=attempt))

    @rule(game_id=games, expected_at=TIMES)
    def forget_due(self, game_id, expected_at):
        self.both(lambda store, _: store.forget_due(game_id, expected_at=expected_at))

    @rule(player_id=players, body=bodies, replaces=st.none() | bodies, life=st.none() | LIVES)
    def put_player(self, player_id, body, replaces, life):
        ends = None if life is None else self.end(life)
        self.both(lambda store, _: store.put_player(player_id, body, replaces=replaces, expires_at=ends))

    @rule(player_id=players)
    def delete_player(self, player_id):
        self.both(lambda store, _: store.delete_player(player_id))

    @rule(player_id=players, token_hash=HASHES, body=bodies)
    def put_token(self, player_id, token_hash, body):
        self.both(lambda store, _: store.put_token(player_id, token_hash, body))

    @rule(player_id=players, token_hash=HASHES)
    def revoke_token(self, player_id, token_hash):
        self.both(lambda store, _: store.revoke_token(player_id, token_hash))

    @rule(kind=KINDS, name_hash=HASHES, body=bodies, life=LIVES)
    def put_secret(self, kind, name_hash, body, life):
        ends = self.end(life)
        self.both(lambda store, _: store.put_secret(kind, name_hash, body, expires_at=ends))

    @rule(kind=KINDS, name_hash=HASHES)
    def secret(self, kind, name_hash):
        self.both(lambda store, _: store.secret(kind, name_hash))

    @rule(kind=KINDS, name_hash=HASHES)
    def take_secret(self, kind, name_hash):
        self.both(lambda store, _: store.take_secret(kind, name_hash))

    @rule(kind=KINDS, name_hash=HASHES, holder=KINDS, life=LIVES, takes_over=st.booleans())
    def hold_secret(self, kind, name_hash, holder, life, takes_over):
        ends = self.end(life)
        self.both(
            lambda store, _: store.hold_secret(
                kind, name_hash, holder, expires_at=ends, takes_over=takes_over
            )
        )

    @rule(name=KINDS, body=bodies, replaces=st.none() | bodies, life=LIVES)
    def put_advice_job(self, name, body, replaces, life):
        ends = self.end(life)
        self.both(lambda store, _: store.put_advice_job(name, body, replaces=replaces, expires_at=ends))

    @rule(name=KINDS)
    def advice_job(self, name):
        self.both(lambda store, _: store.advice_job(name))

    @rule(player_id=players, game_id=games, version=TIMES, seq=st.integers(0, 1), body=bodies)
    def append_account_event(self, player_id, game_id, version, seq, body):
        entry = NewAccountEvent(player_id=player_id, game_id=game_id, version=version, seq=seq, body=body)
        self.both(lambda store, _: store.append_account_events([entry]))

    @rule(lease=leases, moment=TIMES, until=TIMES, most=st.none() | st.integers(1, 2))
    def acquire_presence(self, lease, moment, until, most):
        moment, until = self.started + moment, self.started + DAY + until
        self.both(lambda store, _: store.acquire_presence(lease, now=moment, until=until, limit=most))

    @rule(wanted=st.lists(leases, max_size=3), moment=TIMES, until=TIMES)
    def stay(self, wanted, moment, until):
        moment, until = self.started + moment, self.started + DAY + until
        self.both(lambda store, _: store.renew_presence(wanted, now=moment, until=until))

    @rule(lease=leases, until=TIMES)
    def release_presence(self, lease, until):
        self.both(lambda store, _: store.release_presence(lease, until=self.started + DAY + until))

    @rule(moment=TIMES)
    def look_who_is_here(self, moment):
        moment = self.started + DAY + moment
        self.both(lambda store, _: store.online(PLAYERS, now=moment))

    @rule(number=st.integers(0, 5), pool=st.sampled_from("ab"), moment=TIMES, life=TIMES, blocked=BLOCKED)
    def seek(self, number, pool, moment, life, blocked):
        seek = Seek(
            name=seek_name(pool, number),
            kind=("human", "bot")[number % 2],
            meets=(None, "human", "bot")[number % 3],
            size=2 + (pool == "b"),
            body=b"seek %d" % number,
            blocked=blocked,
        )
        until, game_id = moment + life, f"g {number} {moment}"
        self.both(lambda store, _: store.seek(seek, now=moment, until=until, game_id=game_id))

    @rule(
        number=st.integers(0, 5),
        pool=st.sampled_from("ab"),
        whose=players,
        moment=TIMES,
        life=TIMES,
        blocked=BLOCKED,
    )
    def renew_seek(self, number, pool, whose, moment, life, blocked):
        name = replace(seek_name(pool, number), player_id=whose)
        until, game_id = moment + life, f"g {number} {moment}"
        self.both(
            lambda store, _: store.renew_seek(name, now=moment, until=until, game_id=game_id, blocked=blocked)
        )

    @rule(number=st.integers(0, 5), pool=st.sampled_from("ab"), whose=players, moment=TIMES)
    def end_seek(self, number, pool, whose, moment):
        name = replace(seek_name(pool, number), player_id=whose)
        self.both(lambda store, _: store.end_seek(name, now=moment))

    @rule(name=HASHES, window=st.integers(1, 3), hits=st.integers(-3, 5), life=LIVES)
    def count(self, name, window, hits, life):
        ends = self.end(life)
        self.both(lambda store, _: store.count(name, window=window, hits=hits, expires_at=ends))

    @rule(player_id=players, game_id=games, replaces=st.none() | bodies, score=st.integers(-2, 2))
    def rate(self, player_id, game_id, replaces, score):
        rating = RatingUpdate(player_id=player_id, replaces=replaces or None, body=b"a", score=score)
        self.both(lambda store, _: store.rate("people", game_id, [rating], at=score))

    @rule(player_id=players)
    def remove_rating(self, player_id):
        self.both(lambda store, _: store.remove_rating("people", player_id))

    @rule(
        player_id=players, webhook_id=st.sampled_from(["w1", "w2"]), body=bodies, replaces=st.none() | bodies
    )
    def put_webhook(self, player_id, webhook_id, body, replaces):
        self.both(
            lambda store, _: store.put_webhook(
                player_id, webhook_id, body or b"b", replaces=replaces or None, max_webhooks=1
            )
        )

    @rule(player_id=players, webhook_id=st.sampled_from(["w1", "w2"]))
    def delete_webhook(self, player_id, webhook_id):
        self.both(lambda store, _: store.delete_webhook(player_id, webhook_id))

    @rule(delivery_id=st.sampled_from(["m1", "m2"]), body=st.sampled_from([b"a", b"b"]), at=TIMES)
    def put_delivery(self, delivery_id, body, at):
        self.both(lambda store, _: store.put_deliveries([(delivery_id, body)], at=at))

    @rule(
        delivery_id=st.sampled_from(["m1", "m2"]),
        replaces=st.sampled_from([b"a", b"b"]),
        body=st.sampled_from([b"a", b"b", None]),
        at=TIMES,
    )
    def move_delivery(self, delivery_id, replaces, body, at):
        self.both(lambda store, _: store.move_delivery(delivery_id, replaces=replaces, body=body, at=at))

    @rule(game_id=games, at=TIMES, lists=lists, life=LIVES)
    def list_game(self, game_id, at, lists, life):
        ends = self.end(life)
        self.both(lambda store, _: store.list_game(game_id, at=at, expires_at=ends, lists=lists))

    @rule(game_id=games, lists=lists)
    def unlist_game(self, game_id, lists):
        self.both(lambda store, _: store.unlist_game(game_id, lists=lists))

    @rule(game_id=games, version=st.integers(0, 5))
    def wait(self, game_id, version):
        self.both(lambda store, _: store.wait(game_id, version=version, timeout_ms=0))

    @rule(game_id=games, after=st.tuples(TIMES, TIMES), limit=st.integers(1, 4))
    def read_events(self, game_id, after, limit):
        self.both(lambda store, _: store.events(game_id, after=after, limit=limit))

    @rule(listing=st.sampled_from(LISTS), game_id=games, at=TIMES, limit=st.integers(1, 2))
    def read_list(self, listing, game_id, at, limit):
        cursor = ListEntry(game_id=game_id, at=at)
        self.both(lambda store, _: store.games_in(listing, after=cursor, limit=limit))

    @rule(
        player_id=st.sampled_from(["pAna", "pB", "pBen", "pa"]),
        score=st.integers(-3, 3),
        limit=st.integers(1, 2),
    )
    def read_board(self, player_id, score, limit):
        cursor = Standing(player_id=player_id, score=score)
        self.both(lambda store, _: store.standings("people", after=cursor, limit=limit))

    @rule(moment=TIMES, limit=st.integers(1, 2))
    def read_due(self, moment, limit):
        self.both(lambda store, _: store.due(now=moment, limit=limit))

    @invariant()
    def hold_the_same(self):
        self.both(lambda store, _: store.load_many(GAMES))
        self.both(lambda store, _: [store.events(game_id, limit=1000) for game_id in GAMES])
        self.both(lambda store, _: [store.sheet(sheet_id) for sheet_id in SHEETS])
        self.both(lambda store, _: store.due(now=10, limit=100))
        self.both(lambda store, _: store.overdue_effects(now=10, limit=100))
        self.both(lambda store, _: [store.pending_effects(game_id) for game_id in GAMES])
        self.both(lambda store, _: store.players(PLAYERS))
        self.both(lambda store, _: store.ratings("people", PLAYERS))
        self.both(lambda store, _: store.standings("people", limit=9))
        self.both(lambda store, _: store.webhooks_of(PLAYERS))
        self.both(lambda store, _: store.deliveries_due(now=10, limit=9))
        self.both(lambda store, _: [store.tokens_of(player_id) for player_id in PLAYERS])
        self.both(lambda store, _: store.player_by_token("pAna", "h1"))
        # The stores have different cursors, which contain the time of writing.
        for player_id in PLAYERS:
            self.both(lambda store, _, told=player_id: words(store, told))
        self.both(lambda store, _: [store.games_in(listing, limit=100) for listing in LISTS])

    def teardown(self):
        for store in self.stores:
            store.close()


def test_the_stores_agree(valkey):
    run_state_machine_as_test(
        lambda: Comparison(valkey.url),
        settings=settings(max_examples=60, stateful_step_count=40, deadline=None),
    )
