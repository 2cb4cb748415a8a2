"""The engine plays by the rules: whole games in both, and special cases."""

import os
import random
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from service.rummy.presets import PRESETS, resolve
from service.rummy.views import view_for
from tests.proofs.engine_agrees import any_set_up, play_both, simulated
from tests.proofs.engine_builds import POLICIES, dealt
from tests.support.strategies import agree
from tests.support.tables import table
from workers.bots.engine import card_bits
from workers.bots.engine.compiled_build import is_compiled
from workers.bots.engine.deal_state import OVER
from workers.bots.engine.determinization import HiddenCards
from workers.bots.engine.from_view import deal_of
from workers.bots.engine.policy_weights import SRS, SRS_D, TRAINED, kind_of_game
from workers.bots.engine.random_play import play_at_random
from workers.bots.engine.rollout import DEEPEST, WEIGHED, choose_discard, finish_turn, make_policy, roll_out
from workers.bots.engine.rules import code_of
from workers.bots.engine.scoring import margins, scores
from workers.bots.training.policy_weights import GAMES, SPREADS, mirrored_margin, train

ROOT = Path(__file__).resolve().parents[2]
SET_UPS = [
    pytest.param(agree(preset.name, seats, []), id=f"{preset.name}-{seats}")
    for preset in PRESETS.values()
    for seats in sorted({*preset.players})
]


class TestEngineAndRules:
    """`python -m tests.proofs.engine_agrees --games 5000` does this at length."""

    @pytest.mark.parametrize("set_up", SET_UPS)
    def test_agree_in_every_preset(self, set_up):
        for seed in range(2):
            assert play_both(set_up, seed) is None

    @pytest.mark.parametrize("preset, seats", [("classic", 2), ("kitchen-table", 5), ("jokers", 3)])
    def test_agree_on_the_queen_of_spades(self, preset, seats):
        for seed in range(3):
            assert play_both(agree(preset, seats, [{"queen_of_spades": 40}]), seed, deals=1) is None

    @pytest.mark.parametrize("preset, seats", [("classic", 2), ("kitchen-table", 5), ("jokers", 3)])
    def test_agree_on_takes_without_a_duty(self, preset, seats):
        for seed in range(3):
            assert play_both(agree(preset, seats, [{"deepest_card_use": "free"}]), seed, deals=1) is None

    @pytest.mark.parametrize("seed", range(12))
    def test_agree_under_house_rules(self, seed):
        assert play_both(any_set_up(Random(seed), None), seed, deals=1) is None

    @pytest.mark.parametrize("way", ["flip", "reshuffle"])
    def test_agree_where_the_upcard_stays(self, way):
        set_up = agree("basic-rummy", 3, [{"upcard_stays": True, "stock_empty": way}])

        for seed in range(3):
            assert play_both(set_up, seed, deals=1) is None


class TestPolicies:
    @pytest.mark.parametrize("set_up", SET_UPS)
    def test_end_every_deal_with_every_card_in_its_place(self, set_up):
        chance = random.Random(5)
        for _ in range(6):
            deal = dealt(set_up, chance)
            policies = [chance.choice(POLICIES) for _ in range(set_up.seats)]
            roll_out(deal, policies, chance.random)
            assert deal.phase == OVER
            held = sum(player.size for player in deal.players)
            tabled = sum(meld.size for meld in deal.melds)
            assert held + len(deal.pile) + len(deal.stock) + tabled == set_up.variant.pack_size
            assert len(scores(deal)) == len(margins(deal)) == set_up.seats

    def test_random_play_ends_too(self):
        chance = random.Random(7)
        for preset in ("classic", "jokers", "kitchen-table"):
            deal = dealt(agree(preset, 2, []), chance)
            play_at_random(deal, chance.random)
            assert deal.phase == OVER

    def test_take_the_deepest_card_that_melds_by_the_deepest_rule(self):
        deal = simulated(table(hands=["7S 7C KD 2C", "4H"], pile="7H 9D KC KS 3D").game)

        roll_out(deal, [make_policy(DEEPEST, {})] * 2, random.Random(1).random)

        # The 7H, and with it kings that make a set.
        assert deal.points[0] >= 21 + 30

    def test_keep_a_card_to_discard_if_the_upcard_must_stay(self):
        position = table(
            preset="jokers",
            hands=["4C 5C 6C 7C 8C 9C KD", "2H 9S"],
            pile="3D",
            phase="meld",
            may_not_discard="KD",
        )
        deal = simulated(position.game)

        finish_turn(deal, SRS_D, random.Random(1).random)

        assert deal.seat == 1
        assert deal.players[0].holds(code_of("KD")) == 1

    def test_keep_what_opponents_could_lay_off_on_their_side(self):
        position = table(
            preset="persian",
            seats=4,
            hands=["8S 2D", "3H 4H", "3C 5D", "9D JC"],
            melds=["1: 5S 6S 7S"],
            pile="3D",
            phase="meld",
        )
        deal = simulated(position.game)

        assert choose_discard(deal, SRS_D, random.Random(1).random) == code_of("2D")


class TestBothBuilds:
    """`python -m tests.proofs.engine_builds` does this at length."""

    def run(self, what, build, deals):
        command = [sys.executable, "-m", "tests.proofs.engine_builds", what, "--deals", str(deals)]
        environment = {**os.environ, "SIMULATOR": build}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    @pytest.mark.skipif(not is_compiled(), reason="there is no compiled build: see `make compiled`")
    def test_score_a_thousand_deals_alike(self):
        plain, scores_of_plain = self.run("scores", "plain", 1000)
        compiled, scores_of_compiled = self.run("scores", "compiled", 1000)

        assert (plain, compiled) == ("plain", "compiled")
        assert scores_of_plain == scores_of_compiled

    def test_the_moves_of_policies_are_legal(self):
        assert self.run("policies", "plain", 300)[0] == "300"


class TestSamples:
    HAND = ("7S", "7C", "KD", "2C")

    def samples(self, preset="classic", *, hidden=2, turns=0, jokers=0):
        """Return the hidden cards for a seat that knows one card of its opponent, the 4H."""
        position = table(
            hands=["7S 7C KD 2C", " ".join(["4H", "5H", "9C", "JS", "KC", "2S", "8D", "QH"][: hidden + 1])],
            pile="7H 9D",
            known=["", "4H"],
            preset=preset,
        )
        base = deal_of(
            view_for(position.game, 0),
            position.game.variant,
            hands=[[code_of(card) for card in self.HAND], [code_of("4H")]],
            stock=(),
        )
        seen = {code_of(card) for card in (*self.HAND, "4H", "7H", "9D")}
        unseen = [code for code in card_bits.codes_of(card_bits.PACK) if code not in seen]
        unseen += [card_bits.JOKER] * jokers
        return unseen, HiddenCards(base, 0, unseen, [0, hidden], len(unseen) - hidden, turns)

    @pytest.mark.parametrize("turns", [0, 5])
    def test_hold_every_unseen_card_once_and_keep_what_was_seen(self, turns):
        unseen, samples = self.samples(turns=turns)

        for number in range(50):
            sample = samples.sample(random.Random(number).random, number % 2 == 0)
            held = card_bits.codes_of(sample.players[1].hand)
            assert code_of("4H") in held
            assert len(held) == sample.players[1].size == 3
            assert sorted([*held, *sample.stock]) == sorted([*unseen, code_of("4H")])

    def test_hold_better_hands_the_more_turns_were_played(self):
        assert self.unlinked(turns=6) < self.unlinked(turns=2) < self.unlinked(turns=0)

    def unlinked(self, *, turns):
        """Return how many cards are unlinked in the likely hands of fifty samples."""
        _, samples = self.samples(hidden=7, turns=turns)
        hands = [samples.sample(random.Random(number).random, True).players[1].hand for number in range(50)]
        return sum(
            card_bits.count(hand & ~card_bits.linked_cards(hand, samples.base.rules.places)) for hand in hands
        )

    def test_drop_high_cards_first_if_only_hands_score(self):
        def points(turns):
            _, samples = self.samples("basic-rummy", hidden=7, turns=turns)
            return sum(
                samples.sample(random.Random(number).random, True).hand_points(1) for number in range(50)
            )

        assert points(6) < points(0)

    def test_hold_no_joker_that_would_have_been_laid(self):
        _, fresh = self.samples("jokers", hidden=7, turns=0, jokers=2)
        _, later = self.samples("jokers", hidden=7, turns=6, jokers=2)

        def jokers(samples):
            return sum(samples.sample(random.Random(n).random, True).players[1].jokers for n in range(50))

        assert jokers(later) < jokers(fresh) / 2


class TestTraining:
    START: ClassVar = {"own": -1.0, "table": 1.0, "cost_lonely": 0.3}

    def found(self, **more):
        weights, _ = train(GAMES["seven"].rules(), self.START, max_rounds=2, deals=1, **more)
        return weights

    def test_moves_every_weight_and_repeats_by_its_seed(self):
        found = self.found(seed=1)

        assert found.keys() == SPREADS.keys()
        assert all(found[name] != self.START.get(name, 0.0) for name in SPREADS)
        assert self.found(seed=1) == found
        assert self.found(seed=2) != found

    def test_never_learns_to_discard_what_fits_onto_the_table(self):
        # At random this weight would become positive for every other seed.
        assert all(self.found(seed=seed)["fits"] <= 0 for seed in range(3, 6))

    def test_ends_when_its_time_is_over(self):
        assert self.found(seed=1, minutes=0) == dict.fromkeys(SPREADS, 0.0) | self.START

    def test_measures_a_policy_against_itself_as_even(self):
        own = make_policy(WEIGHED, self.START)

        def margin(other):
            return mirrored_margin(GAMES["seven"].rules(), own, other, deals=20, seed=3)

        assert margin(SRS) == margin(SRS) != 0
        assert margin(own) == 0

    def test_there_is_a_trained_policy_for_every_game(self):
        assert set(GAMES) == set(TRAINED)
        for preset in PRESETS.values():
            for seats in preset.players:
                assert kind_of_game(resolve(preset.name, {}, seats=seats), seats) in TRAINED
