import string

import pytest
from redis.crc import key_slot

from service.store.answers import IdempotencyKey
from service.store.ids import (
    SHARDS,
    is_game_id,
    is_sheet_id,
    new_game_id,
    new_player_id,
    new_sheet_id,
    shard_of,
)
from service.store.lists import GameList
from service.store.redis import keys


class TestIds:
    def test_a_game_id_names_its_shard(self):
        assert [shard_of(new_game_id(shard)) for shard in range(SHARDS)] == list(range(SHARDS))

    def test_so_does_the_id_of_a_score_sheet_which_is_no_game(self):
        assert [shard_of(new_sheet_id(shard)) for shard in range(SHARDS)] == list(range(SHARDS))
        assert is_sheet_id(new_sheet_id())
        assert not is_game_id(new_sheet_id())
        assert not is_sheet_id(new_game_id())

    def test_games_spread_over_all_shards(self):
        assert {shard_of(new_game_id()) for _ in range(5000)} == set(range(SHARDS))

    def test_ids_are_long_plain_and_never_the_same(self):
        ids = [make() for make in (new_game_id, new_player_id) for _ in range(1000)]

        assert len(set(ids)) == 2000
        assert set("".join(ids)) <= set(string.ascii_letters + string.digits)
        assert all(len(identifier) in {27, 29} for identifier in ids)
        assert all(is_game_id(identifier) == identifier.startswith("g") for identifier in ids)

    @pytest.mark.parametrize("shard", [-1, SHARDS])
    def test_there_is_no_other_shard(self, shard):
        with pytest.raises(ValueError, match="shard"):
            new_game_id(shard)

    @pytest.mark.parametrize(
        "text", ["", "g", "g40abc", "G00abc", "g00", "g00a b", "g00abc\n", "p00abc", "g00" + "a" * 65]
    )
    def test_what_is_no_game_id_has_no_shard(self, text):
        assert not is_game_id(text)
        with pytest.raises(ValueError, match="game id"):
            shard_of(text)


class TestKeys:
    def test_all_that_a_commit_touches_lies_in_one_slot(self):
        game_id = new_game_id(0x1F)
        key = IdempotencyKey(player_id="pAna", subject_id=game_id, name="}{")
        names = [
            keys.game(game_id),
            keys.events(game_id),
            keys.answer(key),
            keys.due(0x1F),
            keys.attempts(0x1F),
        ]

        assert len(set(names)) == len(names)
        assert len({key_slot(name.encode()) for name in names}) == 1

    def test_shards_lie_in_slots_of_their_own(self):
        assert len({key_slot(keys.due(shard).encode()) for shard in range(SHARDS)}) == SHARDS

    def test_all_of_a_player_lies_in_one_slot(self):
        player_id = new_player_id()
        names = [
            keys.player(player_id),
            keys.games(GameList.of_player(player_id)),
            keys.games(GameList.of_player(player_id, sandbox=True)),
            keys.games(GameList.unfinished(player_id)),
            keys.games(GameList.unfinished(player_id, sandbox=True)),
            keys.games(GameList.left_by(player_id)),
        ]

        assert len(set(names)) == len(names)
        assert len({key_slot(name.encode()) for name in names}) == 1

    def test_a_key_without_a_game_has_always_the_same_shard(self):
        assert IdempotencyKey(player_id="pAna", name="k").shard == 1
        assert {IdempotencyKey(player_id="pAna", name=str(n)).shard for n in range(2000)} == set(
            range(SHARDS)
        )
