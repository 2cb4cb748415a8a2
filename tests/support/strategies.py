"""Hypothesis strategies: variants, games some moves in, and positions that no deal leads to.

What is drawn is small and readable (a preset, house rules, a seed, a number of moves), so that a failing
example says how to get there: fewer house rules first, then fewer players and fewer moves.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hypothesis import strategies as st

from service.rummy.cards import JOKERS, PACK, Card, full_pack, in_order
from service.rummy.dealing import sandbox_key
from service.rummy.errors import IllegalMove, ImpossiblePosition, VariantContradiction
from service.rummy.events import Event
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import (
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    PlayerMove,
    StartNextDeal,
    TakeDiscard,
)
from service.rummy.options import OPTIONS
from service.rummy.play import new_game, play
from service.rummy.positions import GivenMeld, GivenTurn, Position, game_from_position
from service.rummy.possible_melds import possible_melds
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import Game, LaidCard, Phase, Stage
from service.rummy.variants import Variant
from tests.support.notation import move_in_words

# --- Variants -------------------------------------------------------------------------------------

#: Presets from plain to peculiar: a failing example shrinks towards the first.
PLAIN_FIRST: Final = ("classic", *(name for name in PRESETS if name != "classic"))

#: House rules that make sense only beside another: each is drawn together with what it needs.
_COMPANIONS: Final[Mapping[tuple[str, object], Mapping[str, Any]]] = {
    ("floating", True): {"going_out": "discard_required"},
    ("same_card_back", "allowed"): {"top_discard": "may_keep"},
    ("taken_card_first", True): {"top_discard": "must_use"},
    ("upcard_stays", True): {"stock_empty": "reshuffle"},
    ("set_max", None): {"set_distinct_suits": False},
    ("call_takes", "single_card"): {"call_rummy": "any_meld"},
    ("call_takes", "needed"): {"call_rummy": "any_meld"},
    ("call_reach", "newest"): {"call_rummy": "any_meld"},
    ("going_rummy", "double_bonus"): {"going_out_bonus": 25},
    ("no_minus_at_stock_end", True): {"scoring": "table_minus_hand"},
    ("stock_end_score", "minus_hand"): {"scoring": "winner_takes_hands"},
    ("stock_end_score", "lowest_hand"): {"scoring": "winner_takes_hands"},
    ("target_reached", "at_once"): {"scoring": "table_minus_hand"},
    ("four_aces", 100): {"scoring": "table_minus_hand"},
    ("four_aces_laid", "over_time"): {"scoring": "table_minus_hand", "four_aces": 100},
}
#: Of the options that take any number, the numbers worth playing with.
_NUMBERS: Final[Mapping[str, Sequence[int]]] = {
    "hand_size": (3, 4, 5, 7, 10, 13, 20),
    "first_dealer": (0, 1),
    "target": (500, 100, 30, 1),
    "deals": (1, 2, 3),
}
HOUSE_RULES: Final[tuple[Mapping[str, Any], ...]] = tuple(
    {**_COMPANIONS.get((name, value), {}), name: value}
    for name, option in OPTIONS.items()
    for value in (*option.values, *_NUMBERS.get(name, ()))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The choices before the first deal."""

    variant: Variant
    seats: int


@st.composite
def set_ups(draw, presets: Sequence[str] = PLAIN_FIRST, most_house_rules: int = 8) -> SetUp:
    """Draw a preset, a number of seats and house rules; of rules that exclude each other the later go."""
    preset = PRESETS[draw(st.sampled_from(presets))]
    seats = draw(st.integers(*preset.players))
    chosen = draw(st.lists(st.sampled_from(HOUSE_RULES), max_size=most_house_rules))
    return agree(preset.name, seats, chosen)


def agree(preset: str, seats: int, house_rules: Sequence[Mapping[str, Any]]) -> SetUp:
    """Add house rules to a preset one by one, leaving out those that contradict what is agreed already."""
    agreed: dict[str, Any] = {}
    variant = resolve(preset, agreed, seats=seats)
    for rule in house_rules:
        try:
            variant = resolve(preset, agreed | rule, seats=seats)
        except VariantContradiction:
            continue
        agreed |= rule
    return SetUp(variant=variant, seats=seats)


# --- Games some moves in --------------------------------------------------------------------------

keys = st.integers(0, 999).map(lambda number: sandbox_key(str(number)))

Temper = Mapping[str, float]
"""How much a player likes each kind of move; 1 where nothing is said."""

TEMPERS: Final[Mapping[str, Temper]] = {
    "even": {},
    "tabling": {"discard": 0.1, "draw_stock": 0.3, "pass": 0.3},
    "hoarding": {"meld": 0.05, "lay_off": 0.05, "draw_stock": 0.1, "call_rummy": 0.2},
    "waiting": {"meld": 0.02, "lay_off": 0.02, "take_discard": 0.1, "call_rummy": 0.02},
}
#: At most this many moves are considered: enough to choose from where jokers make thousands.
_LOOKS_AT: Final = 300


def choose_move(game: Game, seat: int, chance: random.Random, temper: Temper) -> PlayerMove:
    """Choose a legal move of a seat that may act: first the type, by the temper, then the move."""
    by_kind: dict[str, list[PlayerMove]] = {}
    for move in legal_moves(game, seat, limit=_LOOKS_AT).moves:
        by_kind.setdefault(move.type, []).append(move)
    kinds = [*by_kind]
    (kind,) = chance.choices(kinds, [temper.get(kind, 1.0) for kind in kinds])
    return chance.choice(by_kind[kind])


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a game: what stood before, what happened, what stands after."""

    before: Game
    move: Move
    events: tuple[Event, ...]
    after: Game


@dataclass(slots=True, repr=False)
class Playthrough:
    """A game as far as it was played."""

    opening: tuple[Event, ...]
    begun: Game
    steps: list[Step]

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.steps[-1].after if self.steps else self.begun

    @property
    def events(self) -> list[Event]:
        """All events from the start."""
        return [*self.opening, *(event for step in self.steps for event in step.events)]

    def play(self, move: Move) -> None:
        """Play one move on."""
        before = self.game
        events, after = play(before, move)
        self.steps.append(Step(before, move, events, after))

    def __repr__(self) -> str:
        begun = self.begun
        moves = "; ".join(f"{_seat(step.move)}{move_in_words(step.move)}" for step in self.steps)
        return f"{begun.variant}, {begun.seats} seats\n  {begun.deal}\n  {moves}\n  {self.game.deal}\n"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: FBT001 - Hypothesis asks so
        printer.text(repr(self))


def _seat(move: Move) -> str:
    return f"{move.seat} " if hasattr(move, "seat") else ""


def play_on(
    begun: Playthrough, *, moves: int, chance: random.Random, temper: Temper, deals: bool = True
) -> Playthrough:
    """Play that many legal moves, or until the game (without `deals`: the deal) is over."""
    for _ in range(moves):
        game = begun.game
        if game.status is Stage.FINISHED or (game.status is Stage.DEAL_OVER and not deals):
            break
        if game.status is Stage.DEAL_OVER:
            begun.play(StartNextDeal())
        else:
            begun.play(choose_move(game, chance.choice(seats_to_act(game)), chance, temper))
    return begun


def begin(set_up: SetUp, key: bytes) -> Playthrough:
    """Deal the first cards of a game."""
    events, game = new_game(set_up.variant, seats=set_up.seats, key=key)
    return Playthrough(events, game, [])


chances = st.integers(0, 9999).map(random.Random)
tempers = st.sampled_from([*TEMPERS.values()])


@st.composite
def playthroughs(draw, most_moves: int = 150, deals: bool = True) -> Playthrough:  # noqa: FBT001, FBT002 - a strategy's knob
    """Draw a game of any variant, played from the deal with legal moves."""
    begun = begin(draw(set_ups()), draw(keys))
    moves = draw(st.integers(0, most_moves))
    return play_on(begun, moves=moves, chance=draw(chances), temper=draw(tempers), deals=deals)


def refusal_of(game: Game, move: Move) -> IllegalMove | None:
    """Return what the rules answer to a move they refuse. Any other error is a bug, and shows as one."""
    try:
        play(game, move)
    except IllegalMove as refusal:
        return refusal
    return None


# --- Positions in the middle of a deal ------------------------------------------------------------


@st.composite
def positions(
    draw, largest_hand: int = 12, deepest_pile: int = 12, smallest_hand: int = 1, most_melds: int = 6
) -> Playthrough:
    """Draw a position that may be given: hands, pile, melds and stock of any size, at the start of a turn."""
    set_up = draw(set_ups())
    seats, chance = set_up.seats, draw(chances)
    cards = _close_together(set_up.variant, chance, width=draw(st.integers(3, 13)))
    melds = _some_melds(cards, set_up, chance, most=draw(st.integers(0, most_melds)))
    least = 0 if set_up.variant.floating else smallest_hand
    spare = max(least, 1, len(cards) // (seats + 1))
    sizes = [min(draw(st.integers(least, largest_hand)), spare) for _ in range(seats)]
    hands = tuple(tuple(cards.pop() for _ in range(size)) for size in sizes)
    pile = tuple(cards.pop() for _ in range(min(len(cards), draw(st.integers(0, deepest_pile)))))
    stock = None if draw(st.booleans()) else tuple(cards[: draw(st.integers(0, 3))])
    position = Position(
        hands=hands,
        discard_pile=pile,
        stock=stock,
        melds=melds,
        turn=_turn(set_up, pile, draw(st.integers(0, seats - 1)), calling=draw(st.booleans())),
        dealer=draw(st.integers(0, seats - 1)),
    )
    key = draw(keys)
    try:
        events, game = game_from_position(set_up.variant, seats=seats, key=key, position=position)
    except ImpossiblePosition:
        # Nothing can be called, so no window is open.
        drawing = replace(position, turn=GivenTurn(seat=position.turn.seat, phase=Phase.DRAW))
        events, game = game_from_position(set_up.variant, seats=seats, key=key, position=drawing)
    return Playthrough(events, game, [])


def _turn(set_up: SetUp, pile: Sequence[Card], seat: int, *, calling: bool) -> GivenTurn:
    if calling and set_up.variant.call_rummy != "off" and pile:
        return GivenTurn(seat=seat, phase=Phase.RUMMY_CALL, discarder=(seat - 1) % set_up.seats)
    return GivenTurn(seat=seat, phase=Phase.DRAW)


def _close_together(variant: Variant, chance: random.Random, *, width: int) -> list[Card]:
    """Return the whole pack shuffled, cards of neighbouring ranks last: they are handed out first."""
    pack = [*full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack)]
    chance.shuffle(pack)
    start = chance.randrange(13)
    near = {"A23456789TJQKA23456789TJQK"[start + step] for step in range(width)}
    return sorted(pack, key=lambda card: card[0] in near or card[0] == "X")


def _some_melds(
    cards: list[Card], set_up: SetUp, chance: random.Random, *, most: int
) -> tuple[GivenMeld, ...]:
    """Lay some melds out of the cards, taking them away."""
    melds: list[GivenMeld] = []
    for _ in range(most):
        choice = [*possible_melds(in_order(cards[-17:]), set_up.variant)][:500]
        if not choice:
            break
        meld = chance.choice(choice)
        owner = chance.randrange(set_up.seats)
        laid = tuple(
            LaidCard(card=card, laid_by=owner, stands_for=meld.stands_for.get(card)) for card in meld.cards
        )
        for card in meld.cards:
            cards.remove(card)
        melds.append(GivenMeld(owner=owner, cards=laid))
    return tuple(melds)


@st.composite
def played_positions(draw, most_moves: int = 12, **sizes: int) -> Playthrough:
    """Draw a given position and some legal moves: cards to use, call windows and last cards occur."""
    begun = draw(positions(**sizes))
    moves = draw(st.integers(0, most_moves))
    return play_on(begun, moves=moves, chance=draw(chances), temper=draw(tempers))


#: Any game of any variant, from the deal or from a position.
situations = st.one_of(playthroughs(), played_positions())


# --- Requests of every sort -----------------------------------------------------------------------


@st.composite
def requests(draw, game: Game, seat: int | None = None) -> Move:
    """Draw a move of any type, by any seat, sensible or not; half of its cards the seat really holds."""
    if seat is None:
        seat = draw(st.integers(0, game.seats - 1))
    deal = game.deal
    near = (*deal.hands[seat], *deal.discard_pile, *(laid.card for meld in deal.melds for laid in meld.cards))
    card = st.one_of(st.sampled_from(near), any_card) if near else any_card
    kind = draw(st.sampled_from(KINDS_OF_MOVE))
    if kind is CallRummy:
        # The use names a seat too, which must be that of the caller.
        whose = draw(st.sampled_from([seat, *range(game.seats)]))
        use = draw(st.one_of(_melds(whose, card), _lay_offs(whose, card)))
        called = use.cards[:1] if isinstance(use, LayMeld) else (use.card,)
        return CallRummy(
            seat=seat,
            card=draw(st.sampled_from(called)) if called else draw(card),
            use=use,
            position=draw(_places),
        )
    return draw(_request(kind, seat, card))


def _request(kind: type[Move], seat: int, card: st.SearchStrategy[Card]) -> st.SearchStrategy[Move]:
    if kind in {DrawStock, Pass, KeepCard}:
        return st.just(kind(seat=seat))
    if kind is TakeDiscard:
        return st.builds(TakeDiscard, seat=st.just(seat), card=card, position=_places)
    if kind is Discard:
        return st.builds(Discard, seat=st.just(seat), card=card)
    if kind is LayMeld:
        return _melds(seat, card)
    if kind is LayOff:
        return _lay_offs(seat, card)
    return st.just(kind())


any_card = st.sampled_from(PACK + JOKERS)
_places = st.none() | st.integers(-1, 12)
_ends = st.sampled_from([None, "low", "high"])
#: All that can be asked for in the middle of a game; the service alone ends one before its time.
KINDS_OF_MOVE: Final = (*PlayerMove.__args__, CloseCallWindow, StartNextDeal)


def _melds(seat: int, card: st.SearchStrategy[Card]) -> st.SearchStrategy[LayMeld]:
    return st.builds(
        LayMeld,
        seat=st.just(seat),
        cards=st.lists(card, max_size=6).map(tuple),
        stands_for=st.dictionaries(st.sampled_from(JOKERS), any_card, max_size=2),
        ace=_ends,
    )


def _lay_offs(seat: int, card: st.SearchStrategy[Card]) -> st.SearchStrategy[LayOff]:
    return st.builds(
        LayOff,
        seat=st.just(seat),
        card=card,
        meld_id=st.sampled_from([None, "m1", "m2", "m3", "m9", ""]),
        end=_ends,
        stands_for=st.none() | any_card,
    )
