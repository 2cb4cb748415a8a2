"""A player who deletes their account is removed from each game once, whatever others do meanwhile."""

import pytest

from service.games.departures import PlayerRemoval
from service.games.opening import NewGame
from service.games.record import FORMER_PLAYER, Player, SeatJoined, SeatKind
from service.games.seating import join, leave, start
from service.games.table import Table
from tests.support.memory_store.store import MemoryStore
from tests.support.outside import ANA, BEN, NoTurns

NOW = 1_790_000_000_000


class Watched(MemoryStore):
    """A store that remembers which logs were rewritten, and lets others be quicker than a commit."""

    def __init__(self):
        super().__init__(now=lambda: NOW)
        self.rewritten = []
        self.quicker = None

    def rewrite_events(self, game_id, bodies):
        self.rewritten.append(game_id)
        super().rewrite_events(game_id, bodies)

    def commit(self, commit):
        quicker, self.quicker = self.quicker, None
        if quicker is not None:
            quicker(commit.game_id)
        return super().commit(commit)


@pytest.fixture
def store():
    return Watched()


@pytest.fixture
def table(store):
    return Table(store=store, turns=NoTurns(), now=lambda: NOW)


@pytest.fixture
def take(store, table):
    """Take Ana from all her tables; return the ids of the games whose logs were rewritten."""

    def take():
        store.rewritten.clear()
        PlayerRemoval(store=store, table=table).remove(ANA.id)
        return list(store.rewritten)

    return take


def sit_down(table, game_id, player):
    return table.change(game_id, lambda game: join(game, player, seat=None, now=NOW)).record


def get_up(table, game_id, player):
    return table.change(game_id, lambda game: leave(game, player)).record


@pytest.fixture
def games(table):
    """Tables of all kinds: with computers, a sandbox, with Ben, waiting for others, left long ago."""
    alone = NewGame(preset="classic", seats=2, opponents=("steady",))
    with_computers = table.open(alone, ANA).record.id
    sandbox = table.open(
        NewGame(preset="classic", seats=2, opponents=("steady",), sandbox=True), ANA
    ).record.id
    with_ben = table.open(NewGame(preset="classic", seats=2), BEN).record.id
    sit_down(table, with_ben, ANA)
    table.change(with_ben, lambda game: start(game, BEN))
    waiting = table.open(NewGame(preset="classic", seats=3), ANA).record.id
    gone = table.open(NewGame(preset="classic", seats=3), BEN).record.id
    sit_down(table, gone, ANA)
    get_up(table, gone, ANA)
    return [with_computers, sandbox, with_ben, waiting, gone]


def names(table, game_id):
    """Return the names of all who sat down, from the log."""
    log = table.whole_log(table.get(game_id))
    return [logged.event.name for logged in log if isinstance(logged.event, SeatJoined)]


class TestHisLogs:
    def test_are_each_rewritten_once(self, take, table, games):
        assert sorted(take()) == sorted(games)

        for game_id in games:
            assert ANA.name not in names(table, game_id)
            assert FORMER_PLAYER in names(table, game_id)

    def test_are_left_alone_when_it_is_done_again(self, take, table, games):
        take()
        before = [table.get(game_id).version for game_id in games]

        assert take() == []

        assert [table.get(game_id).version for game_id in games] == before

    def test_of_a_deleted_player_are_removed_even_if_they_rejoined_at_that_moment(self, take, store, table):
        game_id = table.open(NewGame(preset="classic", seats=3), BEN).record.id
        sit_down(table, game_id, ANA)

        def come_back(game_id):
            get_up(table, game_id, ANA)
            sit_down(table, game_id, ANA)

        store.quicker = come_back

        assert take() == [game_id]

        assert names(table, game_id) == [BEN.name, FORMER_PLAYER, FORMER_PLAYER]

    def test_of_other_players_with_the_same_name_stay(self, take, table):
        namesake = Player(id="pOther", name=ANA.name, kind=SeatKind.HUMAN)
        game_id = table.open(NewGame(preset="classic", seats=3), namesake).record.id
        sit_down(table, game_id, ANA)

        take()

        assert names(table, game_id) == [ANA.name, FORMER_PLAYER]
