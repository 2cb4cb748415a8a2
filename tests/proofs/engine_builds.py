"""Plays deals of the engine by seed, for what holds in a build: its scores, and that policies play legally.

    [SIMULATOR=plain] python -m tests.proofs.engine_builds scores --deals 1000
    SIMULATOR=plain python -m tests.proofs.engine_builds policies --deals 200

`scores` prints the build and a digest of the scores: both builds must print the same. `policies` checks
every move of the rollout policies against the lists of legal moves; only the plain build can be checked.
Deals go round the presets, their smallest and largest tables, and house rules.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from random import Random

from service.rummy.presets import PRESETS
from tests.proofs.engine_agrees import any_set_up
from tests.support.strategies import SetUp, agree
from workers.bots.engine.card_bits import COMPILED, JOKER, PACK, codes_of
from workers.bots.engine.deal import SimulatedDeal
from workers.bots.engine.legal_plays import can_keep, legal_discards, legal_lay_offs, legal_melds
from workers.bots.engine.legal_takes import legal_takes
from workers.bots.engine.policy_weights import SRS, SRS_D, STRATEGIC, TRAINED
from workers.bots.engine.random_play import play_at_random, shuffle
from workers.bots.engine.rollout import roll_out
from workers.bots.engine.rules import rules_for
from workers.bots.engine.scoring import scores

POLICIES = [SRS, SRS_D, STRATEGIC, *TRAINED.values()]


def dealt(set_up: SetUp, chance: Random, kind: type[SimulatedDeal] = SimulatedDeal) -> SimulatedDeal:
    """Return a deal, shuffled by `chance`."""
    rules = rules_for(set_up.variant, set_up.seats)
    pack = codes_of(PACK) * rules.packs + [JOKER] * rules.jokers
    shuffle(pack, chance.random)
    deal = kind(rules)
    deal.chance = chance
    deal.deal_out(pack, 0)
    return deal


def set_ups(chance: Random) -> Iterator[SetUp]:
    """Yield presets at their smallest and largest tables, then with house rules, without end."""
    while True:
        for preset in PRESETS.values():
            for seats in sorted({*preset.players}):
                yield agree(preset.name, seats, [])
                yield any_set_up(chance, preset.name)


def digest_of_scores(deals: int, seed: int) -> str:
    """Return a digest of the scores of deals played by policies and at random in turn."""
    chance, found = Random(seed), hashlib.sha256()
    for number, set_up in zip(range(deals), set_ups(chance), strict=False):
        deal = dealt(set_up, chance)
        if number % 3:
            roll_out(deal, [chance.choice(POLICIES) for _ in range(set_up.seats)], chance.random)
        else:
            play_at_random(deal, chance.random)
        found.update(repr(scores(deal)).encode())
    return found.hexdigest()


def check_policies(deals: int, seed: int) -> None:
    """Play deals by policies; raise AssertionError for a move that the lists of legal moves lack."""
    chance = Random(seed)
    for _, set_up in zip(range(deals), set_ups(chance), strict=False):
        deal = dealt(set_up, chance, checked_deal())
        roll_out(deal, [chance.choice(POLICIES) for _ in range(set_up.seats)], chance.random)


def checked_deal() -> type[SimulatedDeal]:
    """Return a class of deals that accept only listed moves; a compiled class cannot be subclassed."""

    class CheckedDeal(SimulatedDeal):
        def lay(self, lay):
            listed = {(one.naturals, one.twins, one.wild, one.low) for one in legal_melds(self)}
            assert (lay.naturals, lay.twins, lay.wild, lay.low) in listed
            super().lay(lay)

        def lay_off(self, move):
            listed = {(one.meld, one.code, one.face, one.end) for one in legal_lay_offs(self)}
            assert (move.meld, move.code, move.face, move.end) in listed
            super().lay_off(move)

        def draw_stock(self):
            assert self.can_draw_stock()
            super().draw_stock()

        def take(self, position):
            assert position in legal_takes(self)
            super().take(position)

        def pass_draw(self):
            assert not self.can_draw_stock()
            super().pass_draw()

        def keep(self):
            assert can_keep(self)
            super().keep()

        def discard(self, code):
            assert code in legal_discards(self)
            super().discard(code)

    return CheckedDeal


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["scores", "policies"])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    build = "compiled" if COMPILED else "plain"
    if arguments.what == "scores":
        print(build, digest_of_scores(arguments.deals, arguments.seed))
    elif COMPILED:
        parser.error("only the plain build can be checked: set SIMULATOR=plain")
    else:
        check_policies(arguments.deals, arguments.seed)
        print(f"{arguments.deals} deals: every move of the policies is legal.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
