"""Holds the rules against the oracle, one random position and the turns that follow it at a time."""

import random
from collections import Counter
from collections.abc import Iterator

from service.rummy.errors import IllegalMove
from service.rummy.legal_moves import legal_moves
from service.rummy.play import play
from service.rummy.state import Game, Stage
from tests.support import oracle
from tests.support.oracle import Move, Position
from tests.support.positions import random_position, to_game, to_move, to_plain, to_position

STEPS = 4
PROBES = 6


def disagreements(seed: int, counts: Counter[str]) -> list[str]:
    """Return a sentence for each thing on which rules and oracle differ, from one seed's position on.

    `counts` is told what was compared. The same seed gives the same positions and moves.
    """
    chance = random.Random(seed)
    game = to_game(random_position(chance))
    found: list[str] = []
    for _ in range(STEPS):
        position = to_position(game)
        try:
            lawful = {seat: oracle.legal_moves(position, seat) for seat in range(game.seats)}
        except oracle.TooLargeError:
            counts["too large for brute force"] += 1
            break
        counts["positions"] += 1
        counts[f"positions of {game.variant.name}"] += 1
        counts["moves"] += sum(map(len, lawful.values()))
        found += differing_moves(game, position, lawful)
        found += differing_answers(game, position, lawful, chance, counts)
        able = [seat for seat, moves in lawful.items() if moves]
        if found or not able:
            break
        seat = chance.choice(able)
        move = _likely(lawful[seat], chance)
        before, (_, game) = game, play(game, to_move(move, seat, position))
        found += differing_results(position, seat, move, game)
        if game.status is not Stage.PLAYING:
            counts["deals scored"] += 1
            found += differing_scores(before, game)
            break
    return [f"seed {seed}: {sentence}" for sentence in found]


def _likely(moves: set[Move], chance: random.Random) -> Move:
    """Choose the kind of move first, for there are many melds and few passes; rather one that leads on."""
    kinds = sorted({move[0] for move in moves})
    leads_on = [1 if kind in {"discard", "pass", "draw_stock"} else 3 for kind in kinds]
    (kind,) = chance.choices(kinds, leads_on)
    return chance.choice(sorted((move for move in moves if move[0] == kind), key=repr))


def differing_moves(game: Game, position: Position, lawful: dict[int, set[Move]]) -> Iterator[str]:
    """Hold the lists of lawful moves of every seat against each other."""
    for seat, expected in lawful.items():
        listed = legal_moves(game, seat, limit=1_000_000).moves
        plain = [to_plain(move, position) for move in listed]
        if len(set(plain)) != len(plain):
            yield f"seat {seat}: moves are listed twice among {plain} in {position}"
        if set(plain) != expected:
            yield (
                f"seat {seat}: only the rules allow {sorted(set(plain) - expected, key=repr)}, "
                f"only the oracle allows {sorted(expected - set(plain), key=repr)}, in {position}"
            )


def differing_answers(
    game: Game, position: Position, lawful: dict[int, set[Move]], chance: random.Random, counts: Counter[str]
) -> Iterator[str]:
    """Ask for moves of every sort, most of them unlawful, and hold what is answered against the oracle."""
    for _ in range(PROBES):
        seat = chance.randrange(game.seats)
        move = _any_move(position, seat, chance)
        counts["requests"] += 1
        try:
            play(game, to_move(move, seat, position))
        except IllegalMove as refusal:
            if oracle.in_one_form(position, move) in lawful[seat]:
                yield f"seat {seat}: {move} is refused ({refusal.code}) in {position}"
        else:
            if oracle.in_one_form(position, move) not in lawful[seat]:
                yield f"seat {seat}: {move} is not refused in {position}"


def _any_move(position: Position, seat: int, chance: random.Random) -> Move:
    """Return a move that makes some sense, whether lawful or not."""
    hand = position["hands"][seat]
    near = [*hand, *hand, *position["pile"], chance.choice(oracle.FACES)]
    use = chance.choice([_any_meld, _any_lay_off])(position, near, chance)
    moves: list[Move] = [
        ("draw_stock",),
        ("pass",),
        ("keep",),
        ("discard", chance.choice(near)),
        use,
        use,
        use,
    ]
    if position["pile"]:
        place = chance.randrange(len(position["pile"]))
        moves += [("take_discard", place), ("call_rummy", place, use)]
    return chance.choice(moves)


def _any_meld(position: Position, near: list[str], chance: random.Random) -> Move:
    first = chance.choice(near)
    alike = sorted(near, key=lambda card: (card[0] != first[0]) * (card[1] != first[1]))
    chosen = alike[: chance.randint(2, 5)] if chance.random() < 0.7 else chance.choices(near, k=3)
    cards = sorted(set(chosen)) if chance.random() < 0.8 else sorted(chosen)
    jokers = {card for card in cards if oracle.is_joker(card)}
    if jokers and chance.random() < 0.2:
        jokers.pop()
    faces = [card for card in cards if not oracle.is_joker(card)] or ["7H"]
    stands_for = {joker: _beside(chance.choice(faces), chance) for joker in sorted(jokers)}
    if chance.random() < 0.1:
        stands_for[chance.choice(cards)] = chance.choice(faces)
    ace = chance.choice([None, None, None, "low", "high"]) if len({card[0] for card in faces}) > 1 else None
    return ("meld", tuple(cards), tuple(sorted(stands_for.items())), ace)


def _beside(face: str, chance: random.Random) -> str:
    """Return a face of the same rank, or near it in the same suit."""
    if chance.random() < 0.4:
        return face[0] + chance.choice(oracle.SUITS)
    place = oracle.RANKS.index(face[0]) + chance.choice([-2, -1, 1, 2])
    return oracle.RANKS[place % len(oracle.RANKS)] + face[1]


def _any_lay_off(position: Position, near: list[str], chance: random.Random) -> Move:
    card = chance.choice(near)
    meld = chance.choice(position["melds"] or [{"id": "m1", "cards": [("7H", 0, None)]}])
    last, _, stands_for = chance.choice([meld["cards"][0], meld["cards"][-1]])
    stands = oracle.is_joker(card) or chance.random() < 0.1
    face = _beside(stands_for or last, chance) if stands else None
    run = any(name == meld["id"] and shape[0] == "run" for name, _, shape in oracle.table_of(position))
    end = chance.choice([None, None, "low", "high"]) if run else None
    return ("lay_off", card, meld["id"], end, face)


def differing_results(position: Position, seat: int, move: Move, game: Game) -> Iterator[str]:
    """Hold what a move did to the cards, and whether it ended the deal, against what it should have done."""
    expected = oracle.result_of(position, seat, move)
    after = to_position(game)
    actual = {
        "hands": [sorted(hand) for hand in after["hands"]],
        "pile": after["pile"],
        "table": [(meld["owner"], sorted(meld["cards"], key=repr)) for meld in after["melds"]],
        "ended": None if game.status is Stage.PLAYING else game.deals[-1].reason,
    }
    if "turn" in expected:
        turn = {**after["turn"], "asked": sorted(after["turn"]["asked"]), "quiet_turns": after["quiet_turns"]}
        actual["turn"] = {name: turn[name] for name in expected["turn"]}
    for name, value in expected.items():
        if (value is not None or name == "ended") and actual[name] != value:
            yield f"seat {seat}: after {move} {name} is {actual[name]}, not {value}, in {position}"


def differing_scores(before: Game, after: Game) -> Iterator[str]:
    """Hold the scores of a finished deal, and what they mean for the game, against each other."""
    result, options = after.deals[-1], after.variant.options()
    position = to_position(after)
    expected = oracle.deal_scores(position, result.went_out, unfinished=result.reason == "target")
    scores = [
        {"table": seat.table_points, "hand": seat.hand_points, "bonus": seat.bonus, "score": seat.score}
        for seat in result.seats
    ]
    if scores != expected:
        yield f"scores are {scores}, the oracle says {expected}, in {position}, {result.went_out} went out"
    totals = list(before.totals)
    for seat, score in enumerate(expected):
        totals[seat % 2 if options["teams"] == "pairs" else seat] += score["score"]
    if list(after.totals) != totals:
        yield f"totals are {after.totals}, the oracle says {totals}"
    out = result.went_out
    side = out % 2 if out is not None and options["teams"] == "pairs" else out
    earlier = tuple(list(deal.totals) for deal in before.deals) or (list(before.totals),)
    winning = oracle.end_of_game(options, totals, side, after.deal.number, earlier)
    seats = (
        None
        if winning is None
        else {
            seat
            for seat in range(after.seats)
            if (seat % 2 if options["teams"] == "pairs" else seat) in winning
        }
    )
    winners = None if after.winners is None else set(after.winners)
    if winners != seats:
        yield f"winners are {winners}, the oracle says {seats}, of {totals}, side {side} out, {options}"
