"""Blocks: whom a player keeps away."""

import pytest

from service.store.blocks import MAX_BLOCKS, Block
from service.store.ids import new_player_id
from tests.support.stores import BRIEFLY, now, see_it_end


@pytest.fixture
def ana(store):
    player_id = new_player_id()
    store.put_player(player_id, b"Ana", replaces=None)
    return player_id


class TestABlock:
    def test_is_listed_newest_first(self, store, ana):
        for at, other in ((1, "pBen"), (3, "pCem"), (3, "pDan")):
            assert store.put_block(ana, other, at=at)

        assert store.blocks_of(ana) == [
            Block(player_id="pDan", at=3),
            Block(player_id="pCem", at=3),
            Block(player_id="pBen", at=1),
        ]
        assert store.blocks_of("pBen") == []

    def test_keeps_its_first_time(self, store, ana):
        assert store.put_block(ana, "pBen", at=1)
        assert store.put_block(ana, "pBen", at=2)

        assert store.blocks_of(ana) == [Block(player_id="pBen", at=1)]

    def test_has_a_direction(self, store, ana):
        store.put_block(ana, "pBen", at=1)

        assert store.have_blocked([(ana, "pBen"), ("pBen", ana), (ana, "pCem")]) == [True, False, False]
        assert store.have_blocked([]) == []

    def test_ends_when_it_is_deleted(self, store, ana):
        store.put_block(ana, "pBen", at=1)

        assert store.delete_block(ana, "pBen")
        assert not store.delete_block(ana, "pBen")
        assert store.have_blocked([(ana, "pBen")]) == [False]

    def test_needs_its_player(self, store):
        assert not store.put_block("pEve", "pBen", at=1)
        assert store.blocks_of("pEve") == []

    def test_goes_with_its_player(self, store, ana):
        store.put_block(ana, "pBen", at=1)
        store.delete_player(ana)
        store.put_player(ana, b"Ana", replaces=None)

        assert store.blocks_of(ana) == []

    def test_expires_with_its_player(self, store):
        early, late = new_player_id(), new_player_id()
        store.put_player(early, b"guest", replaces=None, expires_at=now() + BRIEFLY)
        store.put_player(late, b"guest", replaces=None)
        for guest in (early, late):
            store.put_block(guest, "pBen", at=1)
        store.put_player(late, b"guest", replaces=b"guest", expires_at=now() + BRIEFLY)

        see_it_end()

        assert store.have_blocked([(early, "pBen"), (late, "pBen")]) == [False, False]

    def test_is_one_of_a_limited_number(self, store, ana):
        for number in range(MAX_BLOCKS):
            assert store.put_block(ana, f"p{number}", at=number)

        assert not store.put_block(ana, "pBen", at=1)
        assert store.put_block(ana, "p7", at=1)
        assert len(store.blocks_of(ana)) == MAX_BLOCKS
