"""A second opinion on the rules, from RULES.md alone: slow, obvious, sharing no code with the service.

It knows plain values only. A position is a dict:

    options     every option of chapter 12 by name, `packs` and `hand_size` as numbers
    seats       how many players
    hands       a list of cards for each seat
    pile        the discard pile, oldest card first
    stock       the stock (only whether it is empty matters here)
    melds       dicts of id, owner and cards; cards are (card, laid_by, stands_for), a run's from low to high,
                and at_once is the number of them laid together
    turn        seat, phase, must_use, may_not_discard, melds_laid, tabled, tabled_before, floating, asked,
                and quiet, as far as the turn has gone
    quiet_turns   the turns in a row without progress (7.7)

and a move is a tuple, in one form only, so that sets of moves can be compared:

    ("draw_stock",)   ("take_discard", place)   ("pass",)   ("keep",)   ("discard", card)
    ("meld", sorted cards, sorted (joker, stands for), "low" | "high" | None)
    ("lay_off", card, meld id, "low" | "high" | None, stands for | None)
    ("call_rummy", place, meld or lay_off)

Everything is found by trying: all lines of cards that could be a run, all ways to fill them, all orders of
melds and lay-offs until the turn can be ended. Hands to 8 cards and piles to 6 are what it is meant for.
"""

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

Position = dict[str, Any]
Options = dict[str, Any]
Move = tuple[Any, ...]
Shape = tuple[Any, ...]
Table = tuple[tuple[str, int, Shape], ...]
Hand = tuple[str, ...]
State = tuple[Hand, Table, str | None, int, str | None]
"""The middle of a turn: hand, table, card that must be used, melds laid in this turn, card not to discard."""

RANKS = "A23456789TJQK"
SUITS = "CDHS"
FACES = [rank + suit for suit in SUITS for rank in RANKS]
LINE = RANKS * 2
"""The line every run is a piece of: the ace below the two, then above the king, then on round the corner."""
HIGH_ACE = 13
"""The place of the ace above the king in LINE."""


class TooLargeError(Exception):
    """There are more ways to go on than brute force should try."""


def is_joker(card: str) -> bool:
    return card.startswith("X")


# --- Melds (chapters 3 and 5) ---------------------------------------------------------------------


def lawful_piece(low: int, high: int, options: Options) -> bool:
    """Return whether the places low to high of LINE, both included, may be a run (3.5 to 3.8)."""
    if low < 0 or high - low + 1 < 3:
        return False
    if options["ace_in_run"] == "around":  # 3.7: any piece of the circle, each rank once
        return low < len(RANKS) and high - low < len(RANKS)
    if high > HIGH_ACE:
        return False
    ranks = LINE[low : high + 1]
    if ranks.count("A") > 1:  # 3.7: one ace at most
        return False
    if low == 0 and options["ace_in_run"] == "high":  # 3.6
        return False
    if high == HIGH_ACE and options["ace_in_run"] == "low":
        return False
    return options["ace_two_king"] or not {"A", "2", "K"} <= set(ranks)  # 3.8


def lawful_set(faces: list[str], options: Options) -> bool:
    """Return whether faces are a set (3.2 to 3.4)."""
    if len(faces) < 3 or len({face[0] for face in faces}) != 1:
        return False
    if options["set_distinct_suits"] and len({face[1] for face in faces}) != len(faces):
        return False
    return options["set_max"] is None or len(faces) <= options["set_max"]


def lines_of(faces: list[str], options: Options) -> list[int]:
    """Return each place of LINE at which the faces, in any order, make a lawful run that begins there."""
    if len({face[1] for face in faces}) != 1:
        return []
    ranks = sorted(face[0] for face in faces)
    starts = 2 if len(faces) == len(RANKS) else len(RANKS)  # 3.8: a whole suit begins with the ace or the two
    return [
        low
        for low in range(starts)
        if lawful_piece(low, low + len(faces) - 1, options) and sorted(LINE[low : low + len(faces)]) == ranks
    ]


def as_meld(cards: list[str], stands_for: dict[str, str], ace: str | None, options: Options) -> Shape | None:
    """Return what the cards make, or None: ("set", faces) or ("run", suit, low place, high place)."""
    if len(cards) < 3 or set(stands_for) != {card for card in cards if is_joker(card)}:  # 3.1, 5.1
        return None
    if any(face not in FACES for face in stands_for.values()):  # 5.1: for a natural card
        return None
    if all(is_joker(card) for card in cards):  # 5.2
        return None
    faces = [stands_for.get(card, card) for card in cards]
    if lawful_set(faces, options):
        return None if ace else ("set", tuple(sorted(faces)))
    lines = lines_of(faces, options)
    if len(lines) == 2:  # 3.8: all thirteen, the ace at either end; high where nothing is said
        lines = [min(lines)] if ace == "low" else [max(lines)]
    elif ace and "A" in {face[0] for face in faces}:  # It says nothing where there is no ace.
        lines = [low for low in lines if (low == 0) == (ace == "low")]
    return ("run", faces[0][1], lines[0], lines[0] + len(faces) - 1) if lines else None


def possible_melds(cards: list[str], options: Options) -> Iterator[tuple[Move, Shape]]:
    """Yield every meld that some of the cards make: the move, and what it makes on the table."""
    for filling in {*fillings_of_runs(cards), *fillings_of_sets(cards)}:
        together = sorted(card for card, _ in filling)
        stands_for = {card: face for card, face in filling if is_joker(card)}
        for ace in aces_to_name(together, stands_for, options):
            made = as_meld(together, stands_for, ace, options)
            if made:
                yield ("meld", tuple(together), tuple(sorted(stands_for.items())), ace), made


def fillings_of_runs(cards: list[str]) -> Iterator[Shape]:
    """Yield each way to fill three or more places in line with cards, as sorted (card, what it counts as)."""
    jokers = sorted(card for card in cards if is_joker(card))
    sizes = range(3, min(len(cards), len(RANKS)) + 1)
    for suit, low, size in product(SUITS, range(len(RANKS)), sizes):
        faces = [rank + suit for rank in LINE[low : low + size]]
        gaps = sum(face not in cards for face in faces)
        if len(faces) < size or gaps > len(jokers):
            continue
        for wild in range(gaps, len(jokers) + 1):
            for replaced in combinations(faces, wild):
                naturals = [face for face in faces if face not in replaced]
                if all(face in cards for face in naturals):
                    for chosen in permutations(jokers, wild):
                        pairs = [*zip(naturals, naturals, strict=True), *zip(chosen, replaced, strict=True)]
                        yield tuple(sorted(pairs))


def fillings_of_sets(cards: list[str]) -> Iterator[Shape]:
    """Yield each choice of three or more cards of a rank, jokers standing for any of its suits."""
    jokers = sorted(card for card in cards if is_joker(card))
    for rank in RANKS:
        same = sorted(card for card in cards if card[0] == rank)
        for size, wild in product(range(len(same) + 1), range(len(jokers) + 1)):
            if size + wild < 3:
                continue
            for naturals, chosen in product(combinations(same, size), combinations(jokers, wild)):
                for suits in product(SUITS, repeat=wild):
                    faces = [rank + suit for suit in suits]
                    pairs = [*zip(naturals, naturals, strict=True), *zip(chosen, faces, strict=True)]
                    yield tuple(sorted(pairs))


def aces_to_name(cards: list[str], stands_for: dict[str, str], options: Options) -> list[str | None]:
    """Return the ways to say where the ace stands: both where both would do, else nothing is said (3.8)."""
    faces = [stands_for.get(card, card) for card in cards]
    return ["low", "high"] if len(lines_of(faces, options)) == 2 else [None]


# --- Lay-offs (chapter 4) -------------------------------------------------------------------------


def table_of(position: Position) -> Table:
    """Return the melds as (id, owner, what it is), what it is as in `as_meld`."""
    table = []
    for meld in position["melds"]:
        faces = [stands_for or card for card, _, stands_for in meld["cards"]]
        if len({face[0] for face in faces}) == 1:
            shape: Shape = ("set", tuple(sorted(faces)))
        else:
            # Cards are ordered low to high: an ace that comes first is low.
            low = LINE.index(faces[0][0])
            shape = ("run", faces[0][1], low, low + len(faces) - 1)
        table.append((meld["id"], meld["owner"], shape))
    return tuple(table)


def grown(shape: Shape, face: str, options: Options) -> dict[str | None, Shape]:
    """Return what a meld becomes with one more face, by the end it joins (None for a set)."""
    if shape[0] == "set":
        faces = [*shape[1], face]
        return {None: ("set", tuple(sorted(faces)))} if lawful_set(faces, options) else {}
    _, suit, low, high = shape
    ends: dict[str | None, Shape] = {}
    if face[1] != suit:
        return ends
    below = low - 1
    if low == 0 and options["ace_in_run"] == "around":
        below, high = HIGH_ACE - 1, high + HIGH_ACE
    if lawful_piece(below, high, options) and LINE[below] == face[0]:
        ends["low"] = ("run", suit, below, high)
    low, high = shape[2:]
    if lawful_piece(low, high + 1, options) and LINE[high + 1] == face[0]:
        ends["high"] = ("run", suit, low, high + 1)
    return ends


def same_side(one: int, other: int, options: Options) -> bool:
    return one == other or (options["teams"] == "pairs" and one % 2 == other % 2)


def possible_lay_offs(
    cards: list[str], seat: int, table: Table, options: Options
) -> Iterator[tuple[Move, Table]]:
    """Yield every lay-off of one of the cards: the move, and the table after it."""
    own_meld = any(same_side(owner, seat, options) for _, owner, _ in table)
    if options["lay_off_after_meld"] and not own_meld:  # 4.6
        return
    for card in sorted(set(cards)):
        for place, (name, owner, shape) in enumerate(table):
            if options["lay_off_targets"] == "own_side" and not same_side(owner, seat, options):  # 4.5
                continue
            for face in FACES if is_joker(card) else [card]:
                ends = grown(shape, face, options)
                for end, bigger in ends.items():
                    said = end if len(ends) == 2 else None  # 4.3
                    after = (*table[:place], (name, owner, bigger), *table[place + 1 :])
                    yield ("lay_off", card, name, said, face if is_joker(card) else None), after


# --- The rest of a turn (2.5 to 2.10, 6.2 to 6.5) -------------------------------------------------


class RestOfTurn:
    """Every way to continue from the middle of a turn, tried one after the other."""

    LIMIT = 20_000

    def __init__(self, options: Options, seat: int, *, began_floating: bool) -> None:
        self.options = options
        self.seat = seat
        self.began_floating = began_floating
        self.known: dict[Shape, bool] = {}

    def tablings(self, state: State) -> Iterator[tuple[Move, State]]:
        """Yield each meld and lay-off that is lawful in itself, with the state after it."""
        first = self.options["taken_card_first"] and state[2] is not None  # 2.13
        for move, after in self.any_tablings(state):
            if not first or after[2] is None:
                yield move, after

    def any_tablings(self, state: State) -> Iterator[tuple[Move, State]]:
        """Yield each meld and lay-off whatever must be laid first."""
        hand, table, owed, melds, banned = state
        options = self.options
        if options["melds_per_turn"] is None or melds < options["melds_per_turn"]:  # 3.9
            for move, shape in possible_melds(list(hand), options):
                left = less(hand, move[1])
                if left or not must_keep_one(options):
                    # What the new meld is called does not matter for what follows, only whose it is.
                    bigger = (*table, ("new", self.seat, shape))
                    still_owed, still_banned = (None if card in move[1] else card for card in (owed, banned))
                    yield move, (left, bigger, still_owed, melds + 1, still_banned)
        for move, bigger in possible_lay_offs(list(hand), self.seat, table, options):
            left = less(hand, move[1:2])
            settles = move[1] == owed and options["deepest_card_use"] != "new_meld_only"  # 2.10
            if left or not must_keep_one(options):
                still_banned = None if move[1] == banned else banned  # 2.9: the copy laid is the one taken
                yield move, (left, bigger, None if settles else owed, melds, still_banned)

    def may_discard(self, card: str, state: State) -> bool:
        """Return whether the card may be discarded now (2.5, 2.9, 6.1)."""
        hand, _, owed, _, banned = state
        return owed is None and not (card == banned and hand.count(card) == 1)

    def may_keep(self, state: State) -> bool:
        """Return whether the turn may end with the one card kept (6.5)."""
        hand, _, owed, _, _ = state
        return self.options["floating"] and self.began_floating and len(hand) == 1 and owed is None

    def can_end(self, state: State) -> bool:
        """Return whether some series of melds and lay-offs, or none, leads to a legal end of the turn."""
        hand, table, owed, melds, banned = state
        if owed is not None and owed not in hand:
            return False
        if owed is None and not hand:
            return True  # Out (6.2) or floating (6.4); 6.3 prevents any other way here.
        if any(self.may_discard(card, state) for card in hand) or self.may_keep(state):
            return True
        key = (hand, tuple(sorted(table)), owed, melds, banned)
        if key not in self.known:
            if len(self.known) > self.LIMIT:
                raise TooLargeError
            self.known[key] = any(self.can_end(after) for _, after in self.tablings(state))
        return self.known[key]

    def lawful_tablings(self, state: State) -> set[Move]:
        """Return the melds and lay-offs after which the turn can still be ended (2.7, 2.9, 6.3)."""
        return {move for move, after in self.tablings(state) if self.can_end(after)}


def must_keep_one(options: Options) -> bool:
    """Return whether no player may lay their last card (6.3)."""
    return options["going_out"] == "discard_required" and not options["floating"]


def less(hand: Hand, gone: Hand) -> Hand:
    left = list(hand)
    for card in gone:
        left.remove(card)
    return tuple(left)


# --- What may be done now -------------------------------------------------------------------------


def legal_moves(position: Position, seat: int) -> set[Move]:
    """Return every lawful move of a seat in a position."""
    turn = position["turn"]
    if turn["phase"] == "rummy_call":
        return {("pass",)} | calls(position, seat) if seat in turn["asked"] else set()
    if seat != turn["seat"]:  # 2.2
        return set()
    return draws(position, seat) if turn["phase"] == "draw" else tablings_and_ends(position, seat)


def draws(position: Position, seat: int) -> set[Move]:
    """Return the lawful beginnings of a turn (2.3 to 2.11, chapter 7)."""
    options, stock = position["options"], position["stock"]
    moves: set[Move] = set()
    if stock or len(position["pile"]) > pile_that_stays(options):
        moves.add(("draw_stock",))
    else:
        moves.add(("pass",))
    moves.update(
        ("take_discard", place) for place in range(len(position["pile"])) if may_take(position, seat, place)
    )
    return moves


def pile_that_stays(options: Options) -> float:
    """Return how many cards of the pile never become the stock (7.2, 7.3, 7.8)."""
    if options["stock_empty"] not in {"reshuffle", "flip"}:
        return float("inf")
    return 1 if options["upcard_stays"] else 0


def may_take(position: Position, seat: int, place: int) -> bool:
    """Return whether the card at a place of the pile may be taken, with all above it (2.4 to 2.11, 7.4)."""
    options, pile = position["options"], position["pile"]
    top = place == len(pile) - 1
    if not options["deep_draw"] and not top:
        return False
    if options["stock_empty"] == "end_at_once" and not position["stock"]:
        return False
    hand = tuple(sorted(position["hands"][seat] + pile[place:]))
    owed, banned = pile[place], None
    if top and options["top_discard"] == "may_keep":
        owed, banned = None, pile[place] if options["same_card_back"] == "forbidden" else None
    elif not top and options["deepest_card_use"] == "free":  # 2.10
        owed = None
    rest = RestOfTurn(options, seat, began_floating=not position["hands"][seat])
    return rest.can_end((hand, table_of(position), owed, 0, banned))


def tablings_and_ends(position: Position, seat: int) -> set[Move]:
    """Return the lawful melds, lay-offs and ends of a turn in which the draw was made."""
    options, turn = position["options"], position["turn"]
    hand = tuple(sorted(position["hands"][seat]))
    state = (hand, table_of(position), turn["must_use"], turn["melds_laid"], turn["may_not_discard"])
    rest = RestOfTurn(options, seat, began_floating=turn["floating"])
    moves = rest.lawful_tablings(state)
    moves.update(("discard", card) for card in hand if rest.may_discard(card, state))
    if rest.may_keep(state):
        moves.add(("keep",))
    return moves


def calls(position: Position, seat: int) -> set[Move]:
    """Return every lawful rummy call (chapter 8)."""
    options, pile = position["options"], position["pile"]
    own = tuple(sorted(position["hands"][seat]))
    rest = RestOfTurn(options, seat, began_floating=not own)
    moves: set[Move] = set()
    single = options["call_takes"] == "single_card"
    newest_only = single or options["call_reach"] == "newest"
    for place, card in enumerate(pile):
        if newest_only and place != len(pile) - 1:  # 8.2, 8.4
            continue
        uses: list[tuple[Move, State]] = []

        def held_after(used: Hand, place: int = place) -> Hand:
            taken = [pile[one] for one in places_of_a_call(position, seat, place, used)]
            return less(tuple(sorted([*own, *taken])), used)

        for move, table in possible_lay_offs([card], seat, table_of(position), options):
            uses.append((move, (held_after((card,)), table, None, 0, None)))
        if not single:
            joining = pile[place:] if options["call_rummy"] == "table_or_pile" else [*own, *pile[place:]]
            for move, shape in possible_melds(sorted(joining), options):
                if card in move[1]:
                    table = (*table_of(position), ("new", seat, shape))
                    uses.append((move, (held_after(move[1]), table, None, 1, None)))
        moves.update(
            ("call_rummy", place, move)
            for move, after in uses
            if (after[0] or not must_keep_one(options)) and rest.can_end(after)
        )
    return moves


def places_of_a_call(position: Position, seat: int, place: int, used: Hand) -> list[int]:
    """Return the places of the pile that a call takes, for a use of these cards (8.4)."""
    options, pile = position["options"], position["pile"]
    if options["call_takes"] != "needed":
        return list(range(place, len(pile)))
    missing = list(used)
    missing.remove(pile[place])
    if options["call_rummy"] == "any_meld":
        for card in position["hands"][seat]:
            if card in missing:
                missing.remove(card)
    places = [place]
    for above in range(place + 1, len(pile)):
        if pile[above] in missing:
            missing.remove(pile[above])
            places.append(above)
    return places


def in_one_form(position: Position, move: Move) -> Move:
    """Return the move as `legal_moves` names it, where it says more than it needs to (3.8, 4.3, 5.1)."""
    options = position["options"]
    if move[0] == "meld":
        # A card that stands for itself says nothing.
        stands_for = tuple(pair for pair in move[2] if pair[0] != pair[1] or pair[0] not in move[1])
        move = ("meld", move[1], stands_for, move[3])
        shape = as_meld(list(move[1]), dict(move[2]), move[3], options)
        said = move[3] if shape and shape[0] == "run" and len(move[1]) == len(RANKS) else None
        return (*move[:3], said) if shape else move
    if move[0] == "call_rummy":
        return (*move[:2], in_one_form(position, move[2]))
    if move[0] == "lay_off":
        move = (*move[:4], None if move[4] == move[1] else move[4])
        shapes = {name: shape for name, _, shape in table_of(position)}
        ends = grown(shapes[move[2]], move[4] or move[1], options) if move[2] in shapes else {}
        return (*move[:3], None, move[4]) if [*ends] == [move[3]] else move
    return move


# --- What a move does -----------------------------------------------------------------------------


def result_of(position: Position, seat: int, move: Move) -> dict[str, Any]:
    """Return hands, pile, table and turn after a lawful move, or how the deal ended.

    hands are sorted, the table is a list of (owner, sorted cards); ended is None, "went_out", "stock_end" or
    "target", and there is a turn, as in a position, only where the deal goes on. What a reshuffled stock
    gives is not known here: then hands and pile are None.
    """
    after: dict[str, Any] = {
        "hands": [sorted(hand) for hand in position["hands"]],
        "pile": list(position["pile"]),
        "table": [(meld["owner"], sorted(meld["cards"], key=repr)) for meld in position["melds"]],
        "ended": None,
    }
    turn_over = DOING[move[0]](position, seat, move, after)
    if reaches_target(position, seat, move):
        after["ended"] = "target"
    if turn_over and not after["ended"] and ends_between_turns(position, seat, move, after):
        after["ended"] = "stock_end"
    if after["hands"]:
        after["hands"][seat].sort()
    if not after["ended"]:
        after["turn"] = (next_turn if turn_over else rest_of_turn)(position, seat, move, after)
    return after


def reaches_target(position: Position, seat: int, move: Move) -> bool:
    """Return whether laid cards end the game (10.1)."""
    options, use = position["options"], move[2] if move[0] == "call_rummy" else move
    if options["target_reached"] == "deal_end" or use[0] not in {"meld", "lay_off"}:
        return False
    then = {**position, "melds": melds_after(position, seat, use)}
    sides = [same_side(other, seat, options) for other in range(position["seats"])]
    written = sum(table_points(then, other) for other, same in enumerate(sides) if same)
    total = position["totals"][seat % 2 if options["teams"] == "pairs" else seat]
    return bool(total + written >= options["target"])


def melds_after(position: Position, seat: int, use: Move) -> list[dict[str, Any]]:
    """Return the melds on the table after a meld or a lay-off, those of a run from low to high."""
    options = position["options"]
    if use[0] == "meld":
        stands_for = dict(use[2])
        cards = [(card, seat, stands_for.get(card)) for card in use[1]]
        shape = as_meld(list(use[1]), stands_for, use[3], options)
        assert shape is not None
        if shape[0] == "run":
            line = LINE[shape[2] : shape[3] + 1]
            cards.sort(key=lambda laid: line.index((laid[2] or laid[0])[0]))
        laid = {"id": "new", "owner": seat, "cards": cards, "at_once": len(cards)}
        return [*position["melds"], laid]
    card, name, end, face = use[1:]
    melds = []
    for (meld_id, _, shape), meld in zip(table_of(position), position["melds"], strict=True):
        cards = meld["cards"]
        if meld_id == name:
            low = (end or next(iter(grown(shape, face or card, options)))) == "low"
            new = [(card, seat, face)]
            cards = [*new, *cards] if low else [*cards, *new]
        melds.append({**meld, "cards": cards})
    return melds


def next_turn(position: Position, seat: int, move: Move, after: dict[str, Any]) -> dict[str, Any]:
    """Return the turn that begins when a move has ended one, or the call window before it (1.7, 8.1)."""
    turn = position["turn"]
    if turn["phase"] == "rummy_call" and move == ("pass",):
        return beginning(position, turn["seat"], after) | {"quiet_turns": position["quiet_turns"]}
    follows = (seat + 1) % position["seats"]
    quiet = {"quiet_turns": quiet_turns(position, after, move)}
    asked = who_is_asked(position, after, seat) if move[0] == "discard" else []
    if asked:
        return {"seat": follows, "phase": "rummy_call", "discarder": seat, "asked": asked} | quiet
    return beginning(position, follows, after) | quiet


def beginning(position: Position, seat: int, after: dict[str, Any]) -> dict[str, Any]:
    return {
        "seat": seat,
        "phase": "draw",
        "must_use": None,
        "may_not_discard": None,
        "melds_laid": 0,
        "tabled": False,
        "tabled_before": any(laid_by == seat for _, cards in after["table"] for _, laid_by, _ in cards),
        "floating": not after["hands"][seat],
        "quiet": True,
        "asked": [],
    }


def rest_of_turn(position: Position, seat: int, move: Move, after: dict[str, Any]) -> dict[str, Any]:
    """Return the turn after a move that did not end it."""
    turn, options = position["turn"], position["options"]
    if turn["phase"] == "rummy_call" and move == ("pass",):
        return {**turn, "asked": sorted({*turn["asked"]} - {seat})}
    then = {**turn, "seat": seat, "phase": "meld", "asked": []}
    if move[0] == "call_rummy":
        before = {"hands": position["hands"], "table": [(0, meld["cards"]) for meld in position["melds"]]}
        then = {**beginning(position, seat, before), "phase": "meld"}
    use = move[2] if move[0] == "call_rummy" else move
    if use[0] in {"meld", "lay_off"}:
        settled = (
            turn["must_use"] in use[1]
            if use[0] == "meld"
            else (turn["must_use"] == use[1] and options["deepest_card_use"] != "new_meld_only")
        )
        then |= {"tabled": True, "quiet": False, "melds_laid": then["melds_laid"] + (use[0] == "meld")}
        then |= {"must_use": None} if settled else {}
        then |= (
            {"may_not_discard": None}
            if turn["may_not_discard"] in ([*use[1]] if use[0] == "meld" else use[1:2])
            else {}
        )
    elif use[0] == "take_discard":
        alone = move[1] == len(position["pile"]) - 1
        keeps = options["top_discard"] == "may_keep" if alone else options["deepest_card_use"] == "free"
        barred = keeps and alone and options["same_card_back"] == "forbidden"
        taken = position["pile"][move[1]]
        then |= {"must_use": None if keeps else taken, "may_not_discard": taken if barred else None}
    elif use[0] == "pass" or options["stock_empty"] not in {"flip", "reshuffle"}:
        # A player who passes with cards in hand discards one; a stock that is not renewed gets smaller.
        # Under 2.10 `free` another may take that card again without using one.
        then |= {"quiet": use[0] == "pass" and options["deepest_card_use"] == "free"}
    return then


# Each of these does a move to the hands, pile and table in `after`, and returns whether the turn is over.


def _draw(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    if position["stock"]:
        after["hands"][seat].append(position["stock"][0])
    elif position["options"]["stock_empty"] == "flip":  # 7.3
        after["hands"][seat].append(after["pile"][0])
        after["pile"] = after["pile"][-1:] if position["options"]["upcard_stays"] else []
    else:
        after["hands"] = after["pile"] = None
    return False


def _take(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    after["hands"][seat].extend(after["pile"][move[1] :])
    del after["pile"][move[1] :]
    return False


def _meld(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    stands_for = dict(move[2])
    cards = [(card, seat, stands_for.get(card)) for card in move[1]]
    after["table"].append((seat, sorted(cards, key=repr)))
    return _spend(position, seat, move[1], after)


def _lay_off(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    place = [meld["id"] for meld in position["melds"]].index(move[2])
    owner, cards = after["table"][place]
    after["table"][place] = (owner, sorted([*cards, (move[1], seat, move[4])], key=repr))
    return _spend(position, seat, move[1:2], after)


def _spend(position: Position, seat: int, cards: Hand, after: dict[str, Any]) -> bool:
    hand = after["hands"][seat]
    for card in cards:
        hand.remove(card)
    if not hand and position["options"]["going_out"] == "any":  # 6.2; else the player floats (6.4)
        after["ended"] = "went_out"
    return not hand


def _call(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    used = move[2][1] if move[2][0] == "meld" else move[2][1:2]
    places = places_of_a_call(position, seat, move[1], used)
    after["hands"][seat].extend(after["pile"][place] for place in places)
    after["pile"] = [card for place, card in enumerate(after["pile"]) if place not in places]
    return DOING[move[2][0]](position, seat, move[2], after)


def _discard(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    after["hands"][seat].remove(move[1])
    after["pile"].append(move[1])
    after["ended"] = None if after["hands"][seat] else "went_out"
    return True


def _keep(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    return True


def _pass(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    turn = position["turn"]
    if turn["phase"] == "rummy_call":
        return bool(turn["asked"] == [seat])  # The last one asked closes the window; the next turn begins.
    if position["options"]["stock_empty"] != "play_on" or not position["pile"]:  # 7.5, 7.6
        after["ended"] = "stock_end"
    return not after["hands"][seat]


DOING = {
    "draw_stock": _draw,
    "take_discard": _take,
    "meld": _meld,
    "lay_off": _lay_off,
    "call_rummy": _call,
    "discard": _discard,
    "keep": _keep,
    "pass": _pass,
}


def ends_between_turns(position: Position, seat: int, move: Move, after: dict[str, Any]) -> bool:
    """Return whether the deal ends before the next player draws (chapter 7)."""
    options, seats, turn = position["options"], position["seats"], position["turn"]
    closing = turn["phase"] == "rummy_call" and move == ("pass",)
    follows = turn["seat"] if closing else (seat + 1) % seats
    window = move[0] == "discard" and bool(who_is_asked(position, after, seat))
    if not position["stock"]:
        if options["stock_empty"] == "end_at_once" or not after["pile"]:  # 7.4, 7.6
            return True
        none_to_draw = options["stock_empty"] != "play_on" and len(after["pile"]) <= pile_that_stays(options)
        if none_to_draw and not window:  # 7.1, 7.8
            then = standing(position, after)
            if not any(may_take(then, follows, place) for place in range(len(after["pile"]))):
                return True
    return not closing and quiet_turns(position, after, move) >= patience(position)


def who_is_asked(position: Position, after: dict[str, Any], discarder: int) -> list[int]:
    """Return the seats that a discard asks for a call, sorted; none opens no window (8.1, 8.3)."""
    options, seats = position["options"], position["seats"]
    asked = [seat for seat in range(seats) if seat != discarder]
    if options["call_rummy"] == "off":
        return []
    if options["call_rummy"] == "table_or_pile" or options["call_takes"] == "single_card":
        then = standing(position, after)
        asked = [seat for seat in asked if calls(then, seat)]
    alone = asked == [(discarder + 1) % seats]
    return [] if alone and not a_call_does_more_than_a_take(options) else asked


def a_call_does_more_than_a_take(options: Options) -> bool:
    """Return whether the next player may call what they could not take and use in their turn (8.3)."""
    below_the_newest = options["call_takes"] != "single_card" and options["call_reach"] == "any"
    if below_the_newest and (not options["deep_draw"] or options["call_takes"] == "needed"):  # 2.11, 8.4
        return True
    owed_when_taken = below_the_newest or options["top_discard"] == "must_use"  # 2.8
    return owed_when_taken and options["deepest_card_use"] == "new_meld_only"  # 2.10


def quiet_turns(position: Position, after: dict[str, Any], move: Move) -> int:
    """Return how many quiet turns in a row there are with the one that a move ends (7.7)."""
    # What came before the move in this turn is in the position; a pass without cards makes no progress.
    quiet = position["turn"]["quiet"] and move[0] not in {"meld", "lay_off", "call_rummy"}
    return position["quiet_turns"] + 1 if quiet else 0


def patience(position: Position) -> int:
    """Return how many quiet turns in a row end the deal (7.7)."""
    options = position["options"]
    return 3 * int(options["packs"] * (52 + options["jokers_per_pack"]))


def standing(position: Position, after: dict[str, Any]) -> Position:
    """Return the position that a move left, as far as it matters for what may be taken or called."""
    melds = [{"id": "m", "owner": owner, "cards": in_line(cards)} for owner, cards in after["table"]]
    return {**position, "hands": after["hands"], "pile": after["pile"], "melds": melds}


def in_line(cards: list[Any]) -> list[Any]:
    """Return the cards of a meld, those of a run low to high."""
    faces = [stands_for or card for card, _, stands_for in cards]
    ranks = [face[0] for face in faces]
    if len(set(ranks)) == 1:
        return cards
    # The first is the one whose neighbour below is missing; all thirteen begin with the ace.
    first = min((rank for rank in ranks if LINE[RANKS.index(rank) + 12] not in ranks), default="A")
    line = LINE[RANKS.index(first) :]
    return [card for _, card in sorted(zip(map(line.index, ranks), cards, strict=True))]


# --- Scoring (chapter 9) --------------------------------------------------------------------------


def value(card: str, options: Options, *, low_ace: bool = False) -> int:
    """Return what a card counts (9.1 to 9.4, 9.12)."""
    if is_joker(card):
        return 15
    if card == "QS" and options["queen_of_spades"]:
        return int(options["queen_of_spades"])
    five = options["card_values"] == "five_point"
    if card[0] == "A":
        if options["ace_value"] == "by_place" and low_ace:
            return 5 if five else 1
        return 1 if options["ace_value"] == "always_1" else 15
    if card[0] in "TJQK":
        return 10
    return 5 if five else int(card[0])


def table_points(position: Position, seat: int) -> int:
    """Return the points of the cards that a seat laid (4.4, 9.2, 9.5)."""
    options, points = position["options"], 0
    for (_, _, shape), meld in zip(table_of(position), position["melds"], strict=True):
        for place, (card, laid_by, _) in enumerate(meld["cards"]):
            if laid_by == seat:
                points += value(card, options, low_ace=shape[0] == "run" and place == 0)
        counted = meld["cards"]
        if options["four_aces_laid"] == "at_once":
            counted = counted[: meld["at_once"]]
        aces = [card for card, laid_by, _ in counted if card[0] == "A" and laid_by == seat]
        if options["four_aces"] and shape[0] == "set" and len(aces) >= 4:
            points += options["four_aces"] - 4 * value("AS", options)
    return points


def deal_scores(
    position: Position, went_out: int | None, *, unfinished: bool = False
) -> list[dict[str, int]]:
    """Return table, hand, bonus and score of each seat at the end of a deal (9.6 to 9.11, 10.1)."""
    options = position["options"]
    scores = []
    for seat, hand in enumerate(position["hands"]):
        table = table_points(position, seat)
        left = sum(value(card, options) for card in hand)
        score = 0
        if options["scoring"] == "table_minus_hand":
            no_minus = unfinished or (options["no_minus_at_stock_end"] and went_out is None)
            score = table - (0 if no_minus else left)
        elif options["scoring"] == "penalty":
            score = left
        elif went_out is None:
            counts = [sum(value(card, options) for card in cards) for cards in position["hands"]]
            if options["stock_end_score"] == "minus_hand":
                score = -left
            elif options["stock_end_score"] == "lowest_hand" and all(left <= count for count in counts):
                score = sum(
                    count - left for other, count in enumerate(counts) if not same_side(other, seat, options)
                )
        elif seat == went_out:
            score = sum(
                value(card, options)
                for other, cards in enumerate(position["hands"])
                if not same_side(other, seat, options)
                for card in cards
            )
        bonus = 0
        if seat == went_out and options["scoring"] != "penalty":
            turn = position["turn"]
            in_one_turn = turn["tabled"] and not turn["tabled_before"]  # 9.10
            rummy = options["going_rummy"] if in_one_turn else "none"
            bonus = options["going_out_bonus"] * (2 if rummy == "double_bonus" else 1)
            bonus += 10 if rummy == "bonus_10" else 0
            bonus += score + bonus if rummy == "double" else 0
        scores.append({"table": table, "hand": left, "bonus": bonus, "score": score + bonus})
    return scores


# --- The end of a game (chapter 10) ---------------------------------------------------------------


def end_of_game(
    options: Options,
    totals: list[int],
    went_out: int | None,
    deals: int,
    before: tuple[list[int], ...] = (),
) -> list[int] | None:
    """Return the sides that win after so many deals, none for a draw, or None while the game goes on.

    `went_out` is the side that went out on the last deal. Totals are by side, `before` those after each
    deal before it, oldest first.
    """
    ahead = sides_ahead(options, totals)
    unfinished = (ahead if len(ahead) == 1 else []) if deals >= 200 else None  # 10.6
    if options["deals"] is None:
        reached = [side for side, total in enumerate(totals) if total >= options["target"]]
        if options["must_go_out_to_win"]:
            return [went_out] if went_out in reached else unfinished
        if not reached and not tied_at_the_target(options, before):
            return unfinished
        if options["go_out_breaks_tie"] and len(reached) > 1 and went_out in reached:
            return [went_out]
    elif deals < options["deals"]:
        return unfinished
    if len(ahead) == 1:
        return ahead
    return [] if options["tie"] == "draw" else unfinished


def sides_ahead(options: Options, totals: list[int]) -> list[int]:
    """Return the sides with the best total (10.1)."""
    best = min(totals) if options["scoring"] == "penalty" else max(totals)
    return [side for side, total in enumerate(totals) if total == best]


def tied_at_the_target(options: Options, before: tuple[list[int], ...]) -> bool:
    """Return whether a deal is played only because the game was tied at its end (10.3)."""
    if options["tie"] != "until_ahead" or not before or len(sides_ahead(options, before[-1])) == 1:
        return False
    return max(before[-1]) >= options["target"] or tied_at_the_target(options, before[:-1])
