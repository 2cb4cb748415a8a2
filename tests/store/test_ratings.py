"""Ratings: a game is rated once, for all its players or for none; boards are read page by page."""

import threading

import pytest

from service.store.ratings import RATED_RETENTION_MS, RatingUpdate, Standing
from service.store.redis import keys

NOON = 1_800_000_000_000
GAME = "g00one"


def new(player, body, score=0, *, replaces=None):
    return RatingUpdate(player_id=player, replaces=replaces, body=body, score=score)


def board(store, **page):
    return [(entry.player_id, entry.score) for entry in store.standings("people", limit=100, **page)]


class TestRating:
    def test_a_game_gives_all_its_players_a_rating(self, store):
        assert store.rate("people", GAME, [new("pAna", b"up", 60), new("pBen", b"down", -60)], at=NOON)

        assert store.ratings("people", ["pBen", "pCal", "pAna"]) == [b"down", None, b"up"]
        assert board(store) == [("pAna", 60), ("pBen", -60)]
        assert store.ratings("people", []) == []

    def test_a_rated_game_is_not_rated_again(self, store):
        store.rate("people", GAME, [new("pAna", b"once", 60)], at=NOON)

        assert store.rate("people", GAME, [new("pAna", b"twice", 99, replaces=b"once")], at=NOON)

        assert store.ratings("people", ["pAna"]) == [b"once"]
        assert board(store) == [("pAna", 60)]

    def test_ratings_computed_from_older_ones_are_refused_as_a_whole(self, store):
        store.rate("people", GAME, [new("pAna", b"1", 60)], at=NOON)

        late = [new("pBen", b"1", 5), new("pAna", b"other", 7)]
        assert not store.rate("people", "g00two", late, at=NOON)

        assert store.ratings("people", ["pAna", "pBen"]) == [b"1", None]
        assert store.rate("people", "g00two", [new("pAna", b"2", 70, replaces=b"1")], at=NOON)

    def test_a_rating_without_a_score_is_not_on_the_board(self, store):
        store.rate("people", GAME, [new("pAna", b"1", 60), new("pBen", b"1", None)], at=NOON)
        assert board(store) == [("pAna", 60)]

        store.rate("people", "g00two", [new("pAna", b"2", None, replaces=b"1")], at=NOON)

        assert store.ratings("people", ["pAna", "pBen"]) == [b"2", b"1"]
        assert board(store) == []

    def test_pools_are_separate(self, store):
        store.rate("people", GAME, [new("pAna", b"1", 60)], at=NOON)

        assert store.rate("bots", GAME, [new("pBot", b"1", 9)], at=NOON)

        assert store.ratings("bots", ["pAna", "pBot"]) == [None, b"1"]
        assert board(store) == [("pAna", 60)]

    def test_games_rated_long_ago_are_forgotten(self, store):
        store.rate("people", GAME, [new("pAna", b"1")], at=NOON)
        store.rate("people", "g00two", [new("pAna", b"2", replaces=b"1")], at=NOON + RATED_RETENTION_MS + 1)

        assert store.rate(
            "people", GAME, [new("pAna", b"3", replaces=b"2")], at=NOON + RATED_RETENTION_MS + 1
        )

        assert store.ratings("people", ["pAna"]) == [b"3"]

    def test_of_many_at_once_each_game_is_rated_once(self, store):
        """Each counts to one more: what is lost or doubled shows in the sum."""

        def count(games):
            for game in games:
                while True:
                    (stored,) = store.ratings("people", ["pAna"])
                    number = int(stored or b"0") + 1
                    rating = new("pAna", b"%d" % number, number, replaces=stored)
                    if store.rate("people", game, [rating], at=NOON):
                        break

        games = [f"g00x{number}" for number in range(30)]
        threads = [threading.Thread(target=count, args=(games,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert store.ratings("people", ["pAna"]) == [b"30"]


class TestTheBoard:
    def test_pages_follow_each_other_also_where_scores_are_equal(self, store):
        scores = {"pA": 10, "pB": 20, "pC": 10, "pD": 10, "pE": -5}
        store.rate("people", GAME, [new(name, b"x", score) for name, score in scores.items()], at=NOON)
        whole = [("pB", 20), ("pD", 10), ("pC", 10), ("pA", 10), ("pE", -5)]
        assert board(store) == whole

        read, after = [], None
        while page := store.standings("people", after=after, limit=2):
            read += [(entry.player_id, entry.score) for entry in page]
            after = page[-1]

        assert read == whole

    def test_many_of_one_score_are_read_page_by_page(self, store):
        """Newcomers' first games give all of them the same two scores."""
        names = [f"p{letter}{number}" for letter in "AZaz_9" for number in range(60)]
        ratings = [new(name, b"x", 7 * (number % 2)) for number, name in enumerate(names)]
        store.rate("people", GAME, ratings, at=NOON)
        entries = [(rating.player_id, rating.score) for rating in ratings]
        whole = sorted(entries, key=lambda entry: (entry[1], entry[0]), reverse=True)

        read, after = [], None
        while page := store.standings("people", after=after, limit=25):
            assert len(page) <= 25
            read += [(entry.player_id, entry.score) for entry in page]
            after = page[-1]

        assert read == whole

    def test_a_cursor_among_many_of_one_score_holds_when_its_player_has_another(self, store):
        names = [f"p{number:02}" for number in range(40)]
        store.rate("people", GAME, [new(name, b"x", 7) for name in names], at=NOON)

        for number in reversed(range(40)):
            cursor = Standing(player_id=names[number], score=7)
            store.rate("people", f"g00{number}", [new(names[number], b"x", 9, replaces=b"x")], at=NOON)

            page = store.standings("people", after=cursor, limit=3)

            assert [entry.player_id for entry in page] == names[max(0, number - 3) : number][::-1]

    def test_a_cursor_holds_if_no_player_has_its_score(self, store):
        store.rate("people", GAME, [new("pA", b"x", 3), new("pB", b"x", 1)], at=NOON)

        assert board(store, after=Standing(player_id="pC", score=9)) == [("pA", 3), ("pB", 1)]
        assert board(store, after=Standing(player_id="pC", score=2)) == [("pB", 1)]
        assert board(store, after=Standing(player_id="pC", score=0)) == []

    def test_a_cursor_holds_when_its_player_has_left_the_board(self, store):
        store.rate("people", GAME, [new("pA", b"x", 3), new("pB", b"x", 2), new("pC", b"x", 1)], at=NOON)
        store.remove_rating("people", "pB")

        assert board(store, after=Standing(player_id="pB", score=2)) == [("pC", 1)]

    def test_ranks_count_higher_scores(self, store):
        assert store.count_above("people", [0]) == [0]
        store.rate("people", GAME, [new("pA", b"x", 3), new("pB", b"x", 2), new("pC", b"x", 2)], at=NOON)

        assert store.count_above("people", [3, 2, -9]) == [0, 1, 3]

    def test_a_player_who_is_deleted_leaves_every_board(self, store):
        store.put_player("pAna", b"Ana", replaces=None)
        for pool in ("people", "bots"):
            store.rate(pool, GAME, [new("pAna", b"x", 3), new("pBen", b"x", 1)], at=NOON)

        store.delete_player("pAna")

        assert board(store) == [("pBen", 1)]
        assert store.ratings("bots", ["pAna", "pBen"]) == [None, b"x"]

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.standings("people", limit=0)

    def test_removing_from_an_empty_board_does_nothing(self, store):
        store.remove_rating("people", "pAna")

        assert board(store) == []

    def test_no_player_shares_a_slot_with_a_pool(self):
        assert "{pool:people}" in keys.board("people")
