"""Lists of games: newest first, page by page, sandbox games apart."""

import pytest

from service.store.ids import new_game_id
from service.store.lists import LIST_RETENTION_MS, GameList, ListEntry
from tests.support.stores import BRIEFLY, DAY, now, see_it_end


def listed(store, at, listing, game_id=None):
    game_id = game_id or new_game_id()
    store.list_game(game_id, at=at, expires_at=now() + DAY, lists=[listing])
    return ListEntry(game_id=game_id, at=at)


ALL = [
    make(sandbox=sandbox)
    for make in (
        GameList.open,
        GameList.public,
        GameList.unfinished,
        lambda sandbox: GameList.unfinished("pAna", sandbox=sandbox),
        lambda sandbox: GameList.of_player("pAna", sandbox=sandbox),
    )
    for sandbox in (False, True)
]


class TestLists:
    def test_the_newest_game_comes_first(self, store):
        entries = [listed(store, at, GameList.open()) for at in (5, 9, 7)]

        assert store.games_in(GameList.open(), limit=10) == [entries[1], entries[2], entries[0]]

    @pytest.mark.parametrize("listing", ALL, ids=str)
    def test_no_list_is_mixed_with_another(self, store, listing):
        entry = listed(store, 1, listing)

        others = [*ALL, GameList.of_player("pBen"), GameList.unfinished("pBen")]
        full = [other for other in others if store.games_in(other, limit=10)]

        assert full == [listing]
        assert store.games_in(listing, limit=10) == [entry]

    def test_a_game_goes_into_several_lists_and_out_again(self, store):
        game_id = new_game_id()
        store.list_game(game_id, at=1, expires_at=now() + DAY, lists=ALL)

        store.unlist_game(game_id, lists=ALL[:3])
        store.unlist_game(game_id, lists=ALL[:1])

        assert [bool(store.games_in(listing, limit=1)) for listing in ALL] == [False] * 3 + [True] * 7

    def test_a_game_stands_in_a_list_once(self, store):
        first = listed(store, 1, GameList.open())
        again = listed(store, 2, GameList.open(), game_id=first.game_id)

        assert store.games_in(GameList.open(), limit=10) == [again]

    def test_a_list_does_not_grow_for_ever(self, store):
        listed(store, 1, GameList.public())
        kept = listed(store, 2, GameList.public())

        newest = listed(store, 1 + LIST_RETENTION_MS, GameList.public())

        assert store.games_in(GameList.public(), limit=10) == [newest, kept]

    def test_a_list_lives_as_long_as_its_longest_lived_game(self, store):
        game_id, other = new_game_id(), new_game_id()
        brief, kept = GameList.of_player("pAna"), GameList.of_player("pBen")
        store.list_game(game_id, at=1, expires_at=now() + BRIEFLY, lists=[brief, kept])
        store.list_game(other, at=2, expires_at=now() + DAY, lists=[kept])
        store.list_game(game_id, at=1, expires_at=now() + BRIEFLY, lists=[brief, kept])

        see_it_end()

        assert store.games_in(brief, limit=10) == []
        assert len(store.games_in(kept, limit=10)) == 2


class TestPages:
    def test_pages_leave_no_gap_and_repeat_nothing(self, store):
        entries = [listed(store, at, GameList.open()) for at in (3, 3, 3, 2, 2, 2, 2, 1)]
        seen, cursor = [], None

        while page := store.games_in(GameList.open(), after=cursor, limit=2):
            seen += page
            cursor = page[-1]

        assert seen == sorted(entries, key=lambda entry: (entry.at, entry.game_id), reverse=True)

    def test_a_cursor_holds_when_its_game_has_left(self, store):
        for at in (1, 2, 2, 2, 3):
            listed(store, at, GameList.open())
        every = store.games_in(GameList.open(), limit=10)
        store.unlist_game(every[2].game_id, lists=[GameList.open()])

        assert store.games_in(GameList.open(), after=every[2], limit=10) == every[3:]

    def test_games_that_come_meanwhile_do_not_shift_the_pages(self, store):
        for at in (1, 2, 3, 4):
            listed(store, at, GameList.open())
        every = store.games_in(GameList.open(), limit=10)

        listed(store, 9, GameList.open())

        assert store.games_in(GameList.open(), after=every[1], limit=10) == every[2:]

    def test_a_limit_is_at_least_one(self, store):
        with pytest.raises(ValueError, match="limit"):
            store.games_in(GameList.open(), limit=0)
