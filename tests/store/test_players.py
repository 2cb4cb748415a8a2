"""Players and their tokens."""

import pytest

from service.store.ids import new_game_id, new_player_id
from service.store.lists import GameList, ListEntry
from service.store.players import StoredToken, TokenHolder
from tests.support.stores import BRIEFLY, DAY, now, see_it_end


@pytest.fixture
def ana(store):
    player_id = new_player_id()
    assert store.put_player(player_id, b"Ana", replaces=None)
    return player_id


class TestPlayers:
    def test_a_player_comes_back(self, store, ana):
        assert store.player(ana) == b"Ana"
        assert store.player("nobody") is None
        assert store.players(["nobody", ana, ana]) == [None, b"Ana", b"Ana"]
        assert store.players([]) == []

    def test_a_new_player_replaces_no_one(self, store, ana):
        assert not store.put_player(ana, b"Eve", replaces=None)
        assert store.player(ana) == b"Ana"

    def test_a_change_is_made_to_what_was_read(self, store, ana):
        assert store.put_player(ana, b"Anna", replaces=b"Ana")
        assert not store.put_player(ana, b"Anne", replaces=b"Ana")
        assert store.player(ana) == b"Anna"

    def test_a_body_that_is_stored_already_succeeds(self, store, ana):
        assert store.put_player(ana, b"Ana", replaces=None)
        assert store.put_player(ana, b"Ana", replaces=b"something else")

    def test_a_change_does_not_restore_a_deleted_player(self, store, ana):
        store.delete_player(ana)

        assert not store.put_player(ana, b"Anna", replaces=b"Ana")
        assert store.player(ana) is None

    def test_the_last_expiry_of_a_guest_counts(self, store):
        brief, kept = new_player_id(), new_player_id()
        for guest in (brief, kept):
            store.put_player(guest, b"guest", replaces=None, expires_at=now() + BRIEFLY)
            store.put_token(guest, "hash", b"")
        store.put_player(kept, b"guest", replaces=b"guest")

        see_it_end()

        assert store.players([brief, kept]) == [None, b"guest"]
        assert store.player_by_token(brief, "hash") is None
        assert store.player_by_token(kept, "hash") is not None


class TestTokens:
    def test_a_token_leads_to_its_player(self, store, ana):
        assert store.put_token(ana, "5f3a", b"scopes")

        assert store.player_by_token(ana, "5f3a") == TokenHolder(
            player_id=ana, player=b"Ana", token=b"scopes"
        )

    @pytest.mark.parametrize("token_hash", ["", "5f3", "body", "5f3a5"])
    def test_another_hash_leads_nowhere(self, store, ana, token_hash):
        store.put_token(ana, "5f3a", b"scopes")

        assert store.player_by_token(ana, token_hash) is None

    def test_a_token_of_another_player_leads_nowhere(self, store, ana):
        ben = new_player_id()
        store.put_player(ben, b"Ben", replaces=None)
        store.put_token(ana, "5f3a", b"")

        assert store.player_by_token(ben, "5f3a") is None

    def test_an_unknown_player_has_no_tokens(self, store):
        assert not store.put_token("nobody", "5f3a", b"")
        assert store.player_by_token("nobody", "5f3a") is None
        assert store.tokens_of("nobody") == []

    def test_tokens_are_listed_by_hash(self, store, ana):
        store.put_token(ana, "b", b"2")
        store.put_token(ana, "a", b"1")
        store.put_token(ana, "b", b"3")

        assert store.tokens_of(ana) == [
            StoredToken(token_hash="a", body=b"1"),
            StoredToken(token_hash="b", body=b"3"),
        ]

    def test_a_revoked_token_leads_nowhere(self, store, ana):
        store.put_token(ana, "a", b"")
        store.put_token(ana, "b", b"")

        assert store.revoke_token(ana, "a")
        assert not store.revoke_token(ana, "a")

        assert store.player_by_token(ana, "a") is None
        assert store.player_by_token(ana, "b") is not None

    def test_a_change_of_the_player_keeps_the_tokens(self, store, ana):
        store.put_token(ana, "a", b"")

        store.put_player(ana, b"Anna", replaces=b"Ana")

        assert store.player_by_token(ana, "a").player == b"Anna"


class TestLeaving:
    def test_player_tokens_and_lists_go_together(self, store, ana):
        game_id = new_game_id()
        lists = [
            GameList.of_player(ana),
            GameList.of_player(ana, sandbox=True),
            GameList.left_by(ana),
            GameList.unfinished(ana),
            GameList.unfinished(ana, sandbox=True),
            GameList.unfinished(),
        ]
        store.put_token(ana, "a", b"")
        store.list_game(game_id, at=1, expires_at=now() + DAY, lists=lists)

        assert store.delete_player(ana)
        assert not store.delete_player(ana)

        assert store.player(ana) is None
        assert store.player_by_token(ana, "a") is None
        assert [store.games_in(listing, limit=9) for listing in lists[:5]] == [[]] * 5
        assert store.games_in(lists[5], limit=9) == [ListEntry(game_id=game_id, at=1)]
