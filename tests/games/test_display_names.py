"""Display names: at one table no two seats are shown by the same name."""

from hypothesis import given
from hypothesis import strategies as st

from service.games.display_names import display_names


class TestDisplayNames:
    def test_are_the_chosen_names_where_these_differ(self):
        assert display_names(("Ann", "Ben", None)) == ("Ann", "Ben", None)

    def test_of_equal_names_are_numbered_from_the_second_seat_on(self):
        assert display_names(("Ann", "Ben", "Ann", "Ann")) == ("Ann", "Ben", "Ann (2)", "Ann (3)")

    def test_never_repeat_a_number_that_a_player_chose(self):
        assert display_names(("Ann", "Ann", "Ann (2)")) == ("Ann", "Ann (3)", "Ann (2)")

    def test_distinguish_names_that_only_look_equal(self):
        full_width, joined = "\uff21nn", "A\u200dnn"

        assert display_names(("Ann", "ann", full_width, joined)) == (
            "Ann",
            "ann (2)",
            f"{full_width} (3)",
            f"{joined} (4)",
        )

    @given(st.lists(st.none() | st.sampled_from(["Ann", "ann", "Ann (2)", "ANN (3)", "Ben"]), max_size=8))
    def test_are_unique_at_every_table(self, names):
        shown = display_names(tuple(names))

        assert [name is None for name in shown] == [name is None for name in names]
        folded = [name.casefold() for name in shown if name is not None]
        assert len(set(folded)) == len(folded)
