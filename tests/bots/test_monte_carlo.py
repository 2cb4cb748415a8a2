"""Weighing: which of the moves that were tried is named first, and how often each is tried."""

from itertools import cycle

from service.rummy.moves import Discard
from workers.bots.search.monte_carlo import LettingGo, Limit, weigh

MOVES = [Discard(seat=0, card=card) for card in ("2C", "3D", "KH")]


class Told:
    """Trials of which is told what each move brings: None where no world allows it.

    The second brings so much more and less by turns.
    """

    def __init__(self, *brought, ups_and_downs=0.0):
        self.brought = brought
        self.ups_and_downs = ups_and_downs

    def worlds(self, moves):
        first, second, third = self.brought
        for luck in cycle((-self.ups_and_downs, self.ups_and_downs)):
            yield (first, second and second + luck, third).__getitem__


def weighed(trials, *, worlds=12, **how):
    """Return the cards, the best to throw first, and in how many worlds each was tried."""
    found = weigh(MOVES, trials, Limit(worlds=worlds, deadline=0.0), **how)
    return {one.move.card: len(one.worths) for one in found}


class TestWeighing:
    def test_names_what_brought_most_first(self):
        assert list(weighed(Told(1.0, 3.0, 2.0))) == ["3D", "KH", "2C"]

    def test_lets_go_what_is_clearly_behind(self):
        letting_go = LettingGo(worlds=6, behind=2.0)

        assert weighed(Told(1.0, 1.0, 0.0, ups_and_downs=4.0), letting_go=letting_go) == {
            "2C": 12, "3D": 12, "KH": 6
        }  # fmt: skip

    def test_spares_the_first_where_it_is_compared_to_the_end(self):
        letting_go = LettingGo(worlds=6, behind=2.0, spares_first=True)

        assert weighed(Told(0.0, 1.0, 0.5), letting_go=letting_go) == {"3D": 12, "KH": 6, "2C": 12}

    def test_prefers_no_other_to_habit_that_is_not_clearly_ahead(self):
        hardly_ahead = Told(1.0, 1.5, 0.0, ups_and_downs=4.0)

        assert next(iter(weighed(hardly_ahead))) == "3D"
        assert next(iter(weighed(hardly_ahead, caution=1.0))) == "2C"

    def test_leaves_it_to_habit_where_there_was_no_time(self):
        assert next(iter(weighed(Told(1.0, 3.0, 2.0), worlds=3))) == "2C"

    def test_tries_a_single_move_as_often_as_any_is(self):
        only = weigh(MOVES[:1], Told(1.0, None, None), Limit(worlds=None, deadline=0.0), fewest=5)

        assert [len(one.worths) for one in only] == [5]

    def test_prefers_what_the_worlds_allow(self):
        assert weighed(Told(None, 1.0, 3.0), caution=1.0) == {"KH": 6, "3D": 6, "2C": 0}

    def test_comes_to_an_end_where_no_world_allows_a_move(self):
        assert weighed(Told(None, None, None), fewest=5) == {"2C": 0, "3D": 0, "KH": 0}
