"""Golden playthroughs: a whole game as text, from a seed and a simple way of playing.

`python -m tests.support.playthrough` lists the files in tests/playthroughs that no longer match the
rules; `--write` rewrites them. A change of the rules shows there as a change of known games, so read
the difference before it is committed.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from service.rummy.cards import RANK, SUIT, Card
from service.rummy.dealing import sandbox_key
from service.rummy.events import DealEnded, DealStarted, Event, GameEnded, GameStarted
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import (
    CallRummy,
    Discard,
    KeepCard,
    LayMeld,
    LayOff,
    PlayerMove,
    StartNextDeal,
    TakeDiscard,
)
from service.rummy.play import new_game, play
from service.rummy.presets import resolve
from service.rummy.scoring import points
from service.rummy.state import Game, Phase, Stage
from tests.support.notation import (
    event_in_words,
    meld_in_words,
    move_in_words,
    result_in_words,
    row,
    row_of_seats,
)

FOLDER: Final = Path(__file__).parents[1] / "playthroughs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """A game to be played: its variant, and the seed of the cards and of the players' choices."""

    preset: str
    seats: int
    house_rules: Mapping[str, Any] = field(default_factory=dict)
    seed: str


#: One for each preset, by its name, and one for each thing no preset does.
GAMES: Final[Mapping[str, Golden]] = {
    "cardcouch": Golden(preset="cardcouch", seats=2, house_rules={"target": 150}, seed="thistle"),
    "classic": Golden(preset="classic", seats=3, house_rules={"target": 100}, seed="kite"),
    "ace-low": Golden(preset="ace-low", seats=3, house_rules={"target": 100}, seed="moss"),
    "jokers": Golden(preset="jokers", seats=3, house_rules={"target": 120}, seed="river"),
    "basic-rummy": Golden(preset="basic-rummy", seats=4, seed="iris"),
    "kitchen-table": Golden(preset="kitchen-table", seats=4, house_rules={"target": 80}, seed="table"),
    "partnership": Golden(preset="partnership", seats=4, house_rules={"target": 120}, seed="nettle"),
    "persian": Golden(preset="persian", seats=4, house_rules={"target": 120}, seed="brook"),
    "cardcouch-table": Golden(preset="cardcouch-table", seats=5, house_rules={"target": 80}, seed="heather"),
    "block-rummy": Golden(preset="block-rummy", seats=3, house_rules={"target": 40}, seed="otter"),
    "penalty-rummy": Golden(preset="penalty-rummy", seats=4, house_rules={"target": 30}, seed="robin"),
    "five-players-two-packs": Golden(preset="classic", seats=5, house_rules={"target": 60}, seed="wren"),
    "floating": Golden(
        preset="classic",
        seats=2,
        house_rules={"going_out": "discard_required", "floating": True, "hand_size": 7, "target": 150},
        seed="birch",
    ),
    "reshuffle": Golden(
        preset="jokers",
        seats=2,
        house_rules={"stock_empty": "reshuffle", "hand_size": 20, "target": 100},
        seed="river",
    ),
    "fixed-deals": Golden(
        preset="classic",
        seats=2,
        house_rules={"deals": 2, "going_out_bonus": 25, "going_rummy": "double_bonus", "hand_size": 3},
        seed="carpet",
    ),
}


# --- A simple way of playing ----------------------------------------------------------------------


def simple_move(game: Game, seat: int, chance: random.Random) -> PlayerMove:
    """Choose a lawful move as a simple player would, sometimes at random."""
    moves = legal_moves(game, seat).moves
    match game.deal.turn.phase:
        case Phase.DRAW:
            takes = [move for move in moves if isinstance(move, TakeDiscard) and _is_wanted(game, seat, move)]
            return chance.choice(takes) if takes and chance.random() < 0.8 else moves[0]
        case Phase.RUMMY_CALL:
            calls = [move for move in moves if isinstance(move, CallRummy)]
            return chance.choice(calls) if calls and chance.random() < 0.7 else moves[0]
        case Phase.MELD:
            return _tabled(moves, chance) or _thrown(game, seat, moves, chance)


def _is_wanted(game: Game, seat: int, take: TakeDiscard) -> bool:
    """Return whether a taken card is laid at once or, if kept, would go with two cards of the hand."""
    friends = sum(_go_together(take.card, other) for other in game.deal.hands[seat])
    return friends > 1 or play(game, take)[1].deal.turn.must_use is not None


def _tabled(moves: tuple[PlayerMove, ...], chance: random.Random) -> PlayerMove | None:
    """Return the longest meld, else a lay-off; sometimes neither, to keep the cards back."""
    melds = [move for move in moves if isinstance(move, LayMeld)]
    lay_offs = [move for move in moves if isinstance(move, LayOff)]
    ends = any(isinstance(move, Discard | KeepCard) for move in moves)
    if ends and chance.random() < 0.15:
        return None
    return max(melds, key=lambda meld: len(meld.cards), default=None) or (lay_offs[0] if lay_offs else None)


def _thrown(game: Game, seat: int, moves: tuple[PlayerMove, ...], chance: random.Random) -> PlayerMove:
    """Return the discard of the card with the fewest friends in the hand, the dearest of those."""
    hand = game.deal.hands[seat]
    throws = [move for move in moves if isinstance(move, Discard)]
    if not throws or (len(throws) < len(moves) and len(hand) == 1 and chance.random() < 0.5):
        return moves[-1]

    def worth(throw: Discard) -> tuple[int, int]:
        friends = sum(_go_together(throw.card, other) for other in hand)
        return friends, -points(throw.card, game.variant)

    return min(throws, key=worth)


def _go_together(card: Card, other: Card) -> bool:
    if SUIT[card] == SUIT[other]:
        return 0 < abs(RANK[card] - RANK[other]) <= 2
    return RANK[card] == RANK[other]


# --- The text -------------------------------------------------------------------------------------


def text_of(golden: Golden) -> str:
    """Return the whole game as text."""
    return "\n".join(line.rstrip() for line in lines_of(golden)) + "\n"


def lines_of(golden: Golden) -> Iterator[str]:
    """Yield the game line by line: what was agreed, every deal, every move with what came of it."""
    variant = resolve(golden.preset, golden.house_rules, seats=golden.seats)
    agreed = ", ".join(f"{name} {json.dumps(value)}" for name, value in golden.house_rules.items()) or "none"
    yield f'{golden.preset}, {golden.seats} seats, seed "{golden.seed}"; house rules: {agreed}'
    yield "Each line: seat, move, what happens; cards in the hands | in the stock | in the discard pile."
    events, game = new_game(variant, seats=golden.seats, key=sandbox_key(golden.seed))
    yield from openings(events, game)
    chance = random.Random(golden.seed)
    while game.status is not Stage.FINISHED:
        if game.status is Stage.DEAL_OVER:
            events, game = play(game, StartNextDeal())
            yield from openings(events, game)
            continue
        seat = seats_to_act(game)[0]
        move = simple_move(game, seat, chance)
        events, game = play(game, move)
        yield f"  {seat} {move_in_words(move):<34} {happened(events):<60} {state_in_short(game)}"
        yield from endings(events, game)


def happened(events: tuple[Event, ...]) -> str:
    """Return the events of a move in one line; ends of deals and games follow in lines of their own."""
    said = (event_in_words(event) for event in events if not isinstance(event, DealEnded | GameEnded))
    return "; ".join(words for words in said if words)


def state_in_short(game: Game) -> str:
    """Return the public counts."""
    deal = game.deal
    return f"{' '.join(str(len(hand)) for hand in deal.hands)} | {len(deal.stock)} | {len(deal.discard_pile)}"


def openings(events: tuple[Event, ...], game: Game) -> Iterator[str]:
    """Yield how a game and a deal begin."""
    for event in events:
        if isinstance(event, GameStarted) and event.dealer_draws:
            drawn = ", ".join(f"seat {draw.seat} {draw.card}" for draw in event.dealer_draws)
            yield f"For the deal draw {drawn}."
        elif isinstance(event, DealStarted):
            yield ""
            yield f"Deal {event.deal}: seat {event.dealer} deals, commitment {event.commitment[:16]}.."
            for seat, hand in enumerate(game.deal.hands):
                yield f"    hand {seat}: {row(hand)}"
            yield f"    upcard {event.upcard}, stock {row(event.stock or ())}"


def endings(events: tuple[Event, ...], game: Game) -> Iterator[str]:
    """Yield the table and the scores at the end of a deal, and the winners."""
    for event in events:
        if isinstance(event, DealEnded):
            yield f"The deal ends: {event.result.reason}."
            for meld in game.deal.melds:
                yield f"    {meld.id} of seat {meld.owner}: {meld_in_words(meld)}"
            yield from (f"    {line}" for line in result_in_words(event.result))
        elif isinstance(event, GameEnded):
            yield ""
            yield (
                f"Won by {row_of_seats(event.winners)}: {event.reason}."
                if event.winners
                else f"Drawn: {event.reason}."
            )


def path_of(name: str) -> Path:
    """Return the path of the text of a game."""
    return FOLDER / f"{name}.txt"


def keep(description: str | None, texts: Iterable[tuple[Path, str]]) -> int:
    """Compare files with the texts the rules play now, or write them; return 1 where one still differs."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the texts that differ")
    write = parser.parse_args().write
    differ = 0
    for path, text in texts:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if write:
            path.write_text(text, encoding="utf-8")
        else:
            differ = 1
        print(f"{path.name}: {'written' if write else 'differs'}, {len(text.splitlines())} lines")
    return differ


if __name__ == "__main__":
    sys.exit(keep(__doc__, ((path_of(name), text_of(golden)) for name, golden in GAMES.items())))
