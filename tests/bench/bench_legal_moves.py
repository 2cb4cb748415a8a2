"""How long the list of lawful moves takes in the worst positions that were found.

    python -m tests.bench.bench_legal_moves              times each position of positions.json
    python -m tests.bench.bench_legal_moves --search 60  looks for worse ones, so many seconds for each kind

The target is 50 ms in plain Python for any position: 20 cards in hand and 40 in the pile, with jokers, two
packs, owed cards and rummy calls. The search climbs: it changes a position a little (a card, a house rule, a
meld) and keeps what takes longer. Time is the process's own, the least of some rounds, because the machine
has neighbours; `positions.json` says each position as `createGame` takes it.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from service.rummy.cards import Card, cards, full_pack, in_order
from service.rummy.errors import ImpossiblePosition, VariantContradiction
from service.rummy.legal_moves import LegalMoves, legal_moves, seats_to_act
from service.rummy.options import OPTIONS
from service.rummy.positions import GivenMeld, GivenTurn, Position, game_from_position
from service.rummy.possible_melds import possible_melds
from service.rummy.presets import resolve
from service.rummy.state import Game, LaidCard, Phase
from service.rummy.take_uses import lawful_takes

TARGET_MS: Final = 50
PINNED: Final = Path(__file__).parent / "positions.json"
LARGEST_HAND, DEEPEST_PILE, MOST_MELDS = 20, 40, 12
#: House rules that bear on which moves are lawful.
BEARING: Final = (
    "jokers_per_pack",
    "packs",
    "top_discard",
    "same_card_back",
    "deepest_card_use",
    "melds_per_turn",
    "set_max",
    "set_distinct_suits",
    "ace_in_run",
    "ace_two_king",
    "lay_off_targets",
    "going_out",
    "floating",
    "stock_empty",
    "call_rummy",
    "call_takes",
)
SEATS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position under search: everything that `given` needs, in plain values."""

    house_rules: Mapping[str, Any]
    phase: Phase
    hand: tuple[Card, ...]
    pile: tuple[Card, ...]
    melds: tuple[GivenMeld, ...]
    must_use: Card | None = None

    @property
    def used(self) -> list[Card]:
        """All cards that lie somewhere."""
        return [*self.hand, *self.pile, *(laid.card for meld in self.melds for laid in meld.cards)]


def game_of(place: Place) -> Game:
    """Return the game, seat 0 to act; ImpossiblePosition or VariantContradiction where there is none."""
    variant = resolve("classic", place.house_rules, seats=SEATS)
    seat, discarder = (2, 1) if place.phase is Phase.RUMMY_CALL else (0, None)
    position = Position(
        hands=(place.hand, (), ()),
        discard_pile=place.pile,
        stock=(),
        melds=place.melds,
        turn=GivenTurn(seat=seat, phase=place.phase, must_use=place.must_use, discarder=discarder),
    )
    return game_from_position(variant, seats=SEATS, key=bytes(32), position=position)[1]


def timed(game: Game, rounds: int) -> tuple[float, LegalMoves]:
    """Return the milliseconds a list takes, the least of the rounds, and the list."""
    best = float("inf")
    listed = LegalMoves(moves=())
    (seat, *_) = seats_to_act(game)
    for _ in range(rounds):
        begun = time.process_time()
        listed = legal_moves(game, seat)
        best = min(best, time.process_time() - begun)
    return best * 1000, listed


def timed_uses(game: Game, rounds: int) -> float:
    """Return the milliseconds that the uses of all takes need, the least of the rounds."""
    best = float("inf")
    (seat,) = seats_to_act(game)
    for _ in range(rounds):
        begun = time.process_time()
        lawful_takes(game, seat)
        best = min(best, time.process_time() - begun)
    return best * 1000


# --- The search -----------------------------------------------------------------------------------


def a_place(chance: random.Random, phase: Phase) -> Place:
    """Return a random position to climb from: neighbours and jokers in a full hand."""
    rules: dict[str, Any] = {"packs": 2, "jokers_per_pack": 2}
    if phase is Phase.RUMMY_CALL:
        rules["call_rummy"] = "any_meld"
    pack = [*full_pack(packs=2, jokers_per_pack=2)]
    chance.shuffle(pack)
    width = chance.randint(3, 13)
    pack.sort(key=lambda card: card[0] == "X" or card[0] in "A23456789TJQK"[:width])
    hand = tuple(pack.pop() for _ in range(LARGEST_HAND))
    pile = tuple(pack.pop() for _ in range(DEEPEST_PILE if phase is not Phase.MELD else 1))
    return Place(house_rules=rules, phase=phase, hand=hand, pile=pile, melds=())


def changed_a_little(place: Place, chance: random.Random) -> Place:
    """Return a neighbour of the position; it need not be one that can be given."""
    pack = [*full_pack(packs=2, jokers_per_pack=2)]
    for card in place.used:
        if card in pack:
            pack.remove(card)
    match chance.choice(["hand", "hand", "hand", "pile", "rule", "meld", "no meld", "owe"]):
        case "hand":
            hand = [*place.hand]
            hand[chance.randrange(len(hand))] = chance.choice(pack)
            return replace(place, hand=tuple(hand))
        case "pile":
            pile = [*place.pile]
            pile[chance.randrange(len(pile))] = chance.choice(pack)
            return replace(place, pile=tuple(pile))
        case "rule":
            name = chance.choice(BEARING)
            return replace(place, house_rules=place.house_rules | {name: chance.choice(OPTIONS[name].values)})
        case "owe" if place.phase is Phase.MELD:
            return replace(place, must_use=chance.choice([None, *place.hand]))
        case "meld" if len(place.melds) < MOST_MELDS:
            variant = resolve("classic", place.house_rules, seats=SEATS)
            choice = [*possible_melds(in_order(chance.sample(pack, min(len(pack), 25))), variant)]
            if not choice:
                return place
            meld = chance.choice(choice)
            laid = tuple(
                LaidCard(card=card, laid_by=0, stands_for=meld.stands_for.get(card)) for card in meld.cards
            )
            return replace(place, melds=(*place.melds, GivenMeld(owner=0, cards=laid)))
        case "no meld" if place.melds:
            gone = chance.randrange(len(place.melds))
            return replace(place, melds=place.melds[:gone] + place.melds[gone + 1 :])
    return place


def climb(
    phase: Phase, seconds: float, chance: random.Random, known: Place | None = None
) -> tuple[float, Place]:
    """Return the slowest position found in the time: up from the one that is known, then from others."""
    until = time.monotonic() + seconds
    worst: tuple[float, Place] | None = None
    while time.monotonic() < until or worst is None:
        place = a_place(chance, phase) if worst or known is None else known
        slowest, _ = timed(game_of(place), 1)
        tries = 0
        while tries < 60 and time.monotonic() < until:
            tries += 1
            neighbour = changed_a_little(place, chance)
            try:
                game = game_of(neighbour)
            except (ImpossiblePosition, VariantContradiction):
                continue
            milliseconds, _ = timed(game, 1)
            if milliseconds > slowest * 1.02:
                milliseconds, _ = timed(game, 3)
            if milliseconds > slowest:
                slowest, place, tries = milliseconds, neighbour, 0
        if worst is None or slowest > worst[0]:
            worst = (slowest, place)
    return worst


# --- Positions as data ----------------------------------------------------------------------------


def as_json(name: str, place: Place) -> dict[str, Any]:
    """Return a position as `createGame` takes it."""
    turn: dict[str, Any] = {"seat": 0, "phase": place.phase}
    if place.phase is Phase.RUMMY_CALL:
        turn = {"seat": 2, "phase": place.phase, "discarder": 1}
    if place.must_use is not None:
        turn["must_use"] = place.must_use
    melds = [
        {
            "owner": meld.owner,
            "cards": [
                {"card": laid.card, "laid_by": laid.laid_by, "stands_for": laid.stands_for}
                for laid in meld.cards
            ],
        }
        for meld in place.melds
    ]
    return {
        "name": name,
        "variant": {"preset": "classic", "overrides": dict(place.house_rules)},
        "seats": SEATS,
        "position": {
            "hands": [[*place.hand], [], []],
            "discard_pile": [*place.pile],
            "stock": [],
            "melds": melds,
            "turn": turn,
        },
    }


def place_of(entry: Mapping[str, Any]) -> Place:
    """Return a pinned position as the search handles it."""
    position = entry["position"]
    return Place(
        house_rules=entry["variant"]["overrides"],
        phase=Phase(position["turn"]["phase"]),
        hand=cards(" ".join(position["hands"][0])),
        pile=cards(" ".join(position["discard_pile"])),
        melds=tuple(
            GivenMeld(owner=meld["owner"], cards=tuple(LaidCard(**laid) for laid in meld["cards"]))
            for meld in position["melds"]
        ),
        must_use=position["turn"].get("must_use"),
    )


def pinned_places() -> dict[str, Place]:
    """Return the pinned positions by name."""
    return {entry["name"]: place_of(entry) for entry in json.loads(PINNED.read_text(encoding="utf-8"))}


def pinned() -> Iterator[tuple[str, Game]]:
    """Yield the pinned positions by name, as games."""
    for name, place in pinned_places().items():
        yield name, game_of(place)


def measure(rounds: int) -> bool:
    """Print what each pinned position takes; tell whether all keep to the target."""
    print(f"{'position':<28}{'moves':>7}{'ms':>9}   target {TARGET_MS} ms")
    kept = True
    for name, game in pinned():
        milliseconds, listed = timed(game, rounds)
        kept &= milliseconds <= TARGET_MS
        moves = f"{len(listed.moves)}{'' if listed.complete else '+'}"
        print(f"{name:<28}{moves:>7}{milliseconds:>9.2f}{'' if milliseconds <= TARGET_MS else '   too slow'}")
        if game.deal.turn.phase is Phase.DRAW:
            uses = timed_uses(game, rounds)
            kept &= milliseconds + uses <= TARGET_MS
            print(f"{'  and the uses of its takes':<35}{uses:>9.2f}   {uses / TARGET_MS:.0%} of the target")
    return kept


def search(seconds: float, seed: int) -> None:
    """Search each phase and pin what was found."""
    chance = random.Random(seed)
    known = pinned_places() if PINNED.exists() else {}
    found = []
    for phase in Phase:
        for number in (1, 2):
            name = f"{phase} {number}"
            milliseconds, place = climb(phase, seconds / 2, chance, known.get(name))
            print(f"{name}: {milliseconds:.1f} ms")
            found.append(as_json(name, place))
    text = ",\n".join(json.dumps(entry) for entry in found)
    PINNED.write_text(f"[\n{text}\n]\n", encoding="utf-8")


def main() -> None:
    """Measure, or search and then measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--search", type=float, metavar="SECONDS", help="look for worse positions, and pin them"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    if asked.search:
        search(asked.search, asked.seed)
    sys.exit(0 if measure(asked.rounds) else 1)


if __name__ == "__main__":
    main()
