"""Monte Carlo evaluation: which move comes first, and in how many samples each is tried."""

from itertools import cycle

from service.rummy.moves import Discard
from workers.bots.search.monte_carlo import Elimination, Limit, evaluate

MOVES = [Discard(seat=0, card=card) for card in ("2C", "3D", "KH")]


class FixedReturns:
    """An evaluator with given returns of the three moves: None if no sample allows the move.

    The second move's return alternates by `swing` around its mean.
    """

    def __init__(self, *returns, swing=0.0):
        self.returns = returns
        self.swing = swing

    def samples(self, moves):
        first, second, third = self.returns
        for change in cycle((-self.swing, self.swing)):
            yield (first, second and second + change, third).__getitem__


def samples_by_card(evaluator, *, samples=12, **options):
    """Return the cards, the best discard first, and in how many samples each was tried."""
    candidates = evaluate(MOVES, evaluator, Limit(samples=samples, deadline=0.0), **options)
    return {candidate.move.card: len(candidate.returns) for candidate in candidates}


def best(evaluator, **options):
    return next(iter(samples_by_card(evaluator, **options)))


class TestEvaluate:
    def test_puts_the_highest_mean_return_first(self):
        assert list(samples_by_card(FixedReturns(1.0, 3.0, 2.0))) == ["3D", "KH", "2C"]

    def test_eliminates_a_move_that_is_clearly_behind(self):
        elimination = Elimination(min_samples=6, margin_in_errors=2.0)

        assert samples_by_card(FixedReturns(1.0, 1.0, 0.0, swing=4.0), elimination=elimination) == {
            "2C": 12, "3D": 12, "KH": 6
        }  # fmt: skip

    def test_never_eliminates_the_default_if_told_to_keep_it(self):
        elimination = Elimination(min_samples=6, margin_in_errors=2.0, keeps_default=True)

        assert samples_by_card(FixedReturns(0.0, 1.0, 0.5), elimination=elimination) == {
            "3D": 12, "KH": 6, "2C": 12
        }  # fmt: skip

    def test_keeps_the_default_if_no_other_move_is_clearly_ahead(self):
        slightly_ahead = FixedReturns(1.0, 1.5, 0.0, swing=4.0)

        assert best(slightly_ahead) == "3D"
        assert best(slightly_ahead, margin_in_errors=1.0) == "2C"

    def test_chooses_the_default_after_too_few_samples(self):
        assert best(FixedReturns(1.0, 3.0, 2.0), samples=3) == "2C"

    def test_tries_a_single_move_in_the_minimum_of_samples(self):
        limit = Limit(samples=None, deadline=0.0)

        (only,) = evaluate(MOVES[:1], FixedReturns(1.0, None, None), limit, min_samples=5)

        assert len(only.returns) == 5

    def test_prefers_moves_that_are_legal_in_the_samples(self):
        assert samples_by_card(FixedReturns(None, 1.0, 3.0), margin_in_errors=1.0) == {
            "KH": 6, "3D": 6, "2C": 0
        }  # fmt: skip

    def test_ends_if_no_sample_allows_any_move(self):
        assert samples_by_card(FixedReturns(None, None, None), min_samples=5) == {"2C": 0, "3D": 0, "KH": 0}
