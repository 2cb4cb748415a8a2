"""Tables to test the rules at: a position in a few words, moves by name, refusals by code.

    deal = table(pile="2C 7H 9D", hands=["7S 7C KD", "4H"])
    after = deal.move(take_discard("7H"))
    assert after.hand(0) == hand("7S 7C KD 7H 9D")

Seat 0 is to move unless `turn` says otherwise. Hands and a stock that are not given are filled
with cards not named, the same ones every time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any

import pytest

from service.rummy.cards import Card, card, cards, full_pack, in_order
from service.rummy.errors import RULE_OF_CODE, IllegalMove, ImpossiblePosition, VariantContradiction
from service.rummy.events import Event
from service.rummy.legal_moves import legal_moves
from service.rummy.moves import (
    Ace,
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    End,
    EndGame,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    StartNextDeal,
    TakeDiscard,
)
from service.rummy.play import new_game, play
from service.rummy.positions import GivenMeld, GivenTurn, Position, game_from_position
from service.rummy.presets import PRESETS, resolve
from service.rummy.state import DealResult, Game, LaidCard, Meld, MeldKind, Phase, Stage, Turn
from service.rummy.variants import Variant
from service.rummy.views import view_for

KEY = bytes(range(32))

#: A move without its seat, which the table adds.
Asked = Callable[[int], Move]


def hand(codes: str) -> tuple[Card, ...]:
    """Return the cards as a hand holds them, in canonical order."""
    return in_order(cards(codes))


# --- Moves as players say them --------------------------------------------------------------------


def draw_stock() -> Asked:
    return lambda seat: DrawStock(seat=seat)


def take_discard(code: str, position: int | None = None) -> Asked:
    return lambda seat: TakeDiscard(seat=seat, card=card(code), position=position)


def lay(codes: str, *, ace: Ace | None = None) -> Asked:
    """Lay a meld; `X1=7D` is a joker that stands for the 7D."""
    named, stands_for = _with_jokers(codes)
    return lambda seat: LayMeld(seat=seat, cards=named, stands_for=stands_for, ace=ace)


def lay_off(code: str, on: str | None = None, *, end: End | None = None) -> Asked:
    """Lay a card off on a meld; `X1=7D` is a joker that stands for the 7D."""
    named, stands_for = _with_jokers(code)
    return lambda seat: LayOff(
        seat=seat, card=named[0], meld_id=on, end=end, stands_for=stands_for.get(named[0])
    )


def discard(code: str) -> Asked:
    return lambda seat: Discard(seat=seat, card=card(code))


def pass_() -> Asked:
    return lambda seat: Pass(seat=seat)


def keep() -> Asked:
    return lambda seat: KeepCard(seat=seat)


def call(code: str, use: Asked, position: int | None = None) -> Asked:
    def asked(seat: int) -> Move:
        used = use(seat)
        assert isinstance(used, LayMeld | LayOff)
        return CallRummy(seat=seat, card=card(code), use=used, position=position)

    return asked


def close_window() -> Asked:
    return lambda _: CloseCallWindow()


def next_deal() -> Asked:
    return lambda _: StartNextDeal()


def end_game(*winners: int, reason: str = "resigned") -> Asked:
    return lambda _: EndGame(winners=winners, reason=reason)


def _with_jokers(codes: str) -> tuple[tuple[Card, ...], dict[Card, Card]]:
    named = [code.partition("=") for code in codes.split()]
    stands_for = {card(code): card(face) for code, _, face in named if face}
    return tuple(card(code) for code, _, _ in named), stands_for


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A game and what just happened in it."""

    game: Game
    events: tuple[Event, ...]

    # Cards.

    def hand(self, seat: int) -> tuple[Card, ...]:
        return self.game.deal.hands[seat]

    @property
    def pile(self) -> tuple[Card, ...]:
        return self.game.deal.discard_pile

    @property
    def stock(self) -> tuple[Card, ...]:
        return self.game.deal.stock

    @property
    def stock_count(self) -> int:
        return len(self.stock)

    @property
    def melds(self) -> dict[str, str]:
        """Every meld as a line of cards, by its id; a joker shows as the card it stands for."""
        return {meld.id: " ".join(laid.face for laid in meld.cards) for meld in self.game.deal.melds}

    def meld(self, name: str) -> Meld:
        return next(meld for meld in self.game.deal.melds if meld.id == name)

    def kind(self, name: str) -> MeldKind:
        return self.meld(name).kind

    @property
    def turn(self) -> Turn:
        return self.game.deal.turn

    @property
    def must_use(self) -> Card | None:
        return self.turn.must_use

    @property
    def dealer(self) -> int:
        return self.game.deal.dealer

    @property
    def deal(self) -> int:
        return self.game.deal.number

    @property
    def seats(self) -> int:
        return self.game.seats

    @property
    def variant(self) -> Variant:
        return self.game.variant

    def known(self, seat: int) -> tuple[Card, ...]:
        """The cards of a hand that all players know."""
        return view_for(self.game, None).seats[seat].known_cards

    # Where the game stands.

    @property
    def to_move(self) -> tuple[int, Phase]:
        assert self.game.status is Stage.PLAYING, "the deal is over"
        return self.turn.seat, self.turn.phase

    @property
    def status(self) -> Stage:
        return self.game.status

    @property
    def winners(self) -> tuple[int, ...] | None:
        """The seats that won: none of them in a draw, None while the game runs."""
        return self.game.winners

    @property
    def reason(self) -> str | None:
        """Why the game is over, None while it runs."""
        return self.game.reason

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.game.status is not Stage.PLAYING

    @property
    def result(self) -> DealResult:
        assert self.over, "the deal is not over"
        return self.game.deals[-1]

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(seat.score for seat in self.result.seats)

    def points(self, seat: int) -> int:
        """The public points of a seat's cards on the table."""
        return view_for(self.game, None).seats[seat].table_points

    @property
    def happened(self) -> list[str]:
        return [event.type for event in self.events]

    def told(self, event: str, member: str) -> list[Any]:
        """The values of one member of the events of one type."""
        return [getattr(one, member) for one in self.events if one.type == event]

    def whole_pack(self) -> list[Card]:
        """Every card of the game, wherever it is."""
        return list(_everywhere(self.game))

    def with_turn(self, **changes: Any) -> "Table":
        """The same table with other values in its turn, as an older release may have stored it."""
        deal = replace(self.game.deal, turn=replace(self.game.deal.turn, **changes))
        return Table(game=replace(self.game, deal=deal), events=self.events)

    # What may be done.

    def move(self, *asked: Asked, by: int | None = None) -> "Table":
        """Make the moves, one after the other; no card is lost or doubled by any of them."""
        game, events = self.game, self.events
        for one in asked:
            whose = _to_act(game) if by is None else by
            before = Counter(_everywhere(game))
            events, game = play(game, one(whose))
            if not isinstance(one(whose), StartNextDeal):
                assert Counter(_everywhere(game)) == before, "a card was lost or doubled"
        return Table(game=game, events=events)

    def refusal(self, asked: Asked, by: int | None = None) -> IllegalMove:
        """The refusal of an illegal move; fails if the move is legal or is offered."""
        whose = _to_act(self.game) if by is None else by
        move = asked(whose)
        assert move not in legal_moves(self.game, whose).moves, "an illegal move is offered"
        with pytest.raises(IllegalMove) as refused:
            play(self.game, move)
        assert refused.value.rule == RULE_OF_CODE[refused.value.code]
        assert refused.value.message.endswith(".")
        return refused.value

    def refused(self, asked: Asked, by: int | None = None) -> str:
        """The code with which an illegal move is refused."""
        return self.refusal(asked, by).code

    def knows(self, asked: Asked, member: str) -> bool:
        """Whether a move of this kind can say more by such a member."""
        return member in {one.name for one in fields(asked(_to_act(self.game)))}

    def legal_moves(self, seat: int | None = None) -> list[Move]:
        """All legal moves of the seat to act."""
        found = legal_moves(self.game, _to_act(self.game) if seat is None else seat)
        assert found.complete
        return list(found.moves)

    def offered(self, kind: str) -> list[dict[str, Any]]:
        """The legal moves of one type, as a client posts them."""
        return [body_of(move) for move in self.legal_moves() if move.type == kind]

    def takes(self) -> list[str]:
        """The cards of the pile that may be taken, newest first."""
        return [str(move.card) for move in self.legal_moves() if isinstance(move, TakeDiscard)]

    def discards(self) -> list[str]:
        """The cards that may be discarded."""
        return [str(move.card) for move in self.legal_moves() if isinstance(move, Discard)]


def body_of(move: Move) -> dict[str, Any]:
    """Return what a client posts to make the move; what it need not say is left out."""
    match move:
        case TakeDiscard() | LayOff() | Discard() | LayMeld():
            names = ("card", "cards", "position", "meld_id", "end", "stands_for", "ace")
            members = {name: getattr(move, name) for name in names if hasattr(move, name)}
            given = {name: value for name, value in members.items() if value not in (None, {})}
            return {name: list(value) if name == "cards" else value for name, value in given.items()}
        case CallRummy(card=card, position=position, use=use):
            called: dict[str, Any] = {"card": card, "use": {"type": use.type, **body_of(use)}}
            return called if position is None else {**called, "position": position}
        case _:
            return {}


def _to_act(game: Game) -> int:
    turn = game.deal.turn
    return turn.asked[0] if turn.phase is Phase.RUMMY_CALL and turn.asked else turn.seat


def _everywhere(game: Game) -> Iterable[Card]:
    deal = game.deal
    yield from deal.stock
    yield from deal.discard_pile
    for held in deal.hands:
        yield from held
    for meld in deal.melds:
        yield from (laid.card for laid in meld.cards)


def dealt(
    preset: str = "classic", *, seats: int = 2, key: bytes = KEY, seed: str | None = None, **overrides: Any
) -> Table:
    """A new game, dealt from the key, or as a sandbox deals it from a seed."""
    key = key if seed is None else sha256(seed.encode()).digest()
    events, game = new_game(resolve(preset, overrides, seats=seats), seats=seats, key=key)
    return Table(game=game, events=events)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A game to begin in a position."""

    preset: str
    overrides: dict[str, Any]
    seats: int
    position: Position


def table(*, key: bytes = KEY, **said: Any) -> Table:
    """A game that starts in the position; for the arguments see `set_up`."""
    setting = set_up(**said)
    variant = resolve(setting.preset, setting.overrides, seats=setting.seats)
    events, game = game_from_position(variant, seats=setting.seats, key=key, position=setting.position)
    return Table(game=game, events=events)


def set_up(
    *,
    hands: Sequence[str],
    pile: str = "",
    melds: Sequence[str] = (),
    stock: str | int | None = None,
    preset: str = "classic",
    seats: int | None = None,
    phase: str = "draw",
    turn: int = 0,
    must_use: str | None = None,
    may_not_discard: str | None = None,
    discarder: int | None = None,
    melds_laid: int = 0,
    tabled_before: bool | None = None,
    totals: Sequence[int] | None = None,
    known: Sequence[str] | None = None,
    dealer: int = 0,
    deal: int = 1,
    **overrides: Any,
) -> Setting:
    """Return the position of a few words.

    A hand given as "-" is empty; hands not given hold one card each, of those not
    named. `melds` are lines such as "1: 7H 8H X1=9H TH@0": the owner (seat 1 unless
    named), the cards low to high, what a joker stands for, who laid a card off.
    `stock` is its cards, first drawn first, or how many; without it all the rest.
    Further names are options of the variant.
    """
    seats = max(PRESETS[preset].players[0], len(hands)) if seats is None else seats
    given_melds = tuple(_given_meld(line) for line in melds)
    given_hands = [cards("" if line == "-" else line) for line in hands]
    given_pile, given_stock = cards(pile), cards(stock) if isinstance(stock, str) else None
    named = [one for held in given_hands for one in held] + [*given_pile, *(given_stock or ())]
    named += [laid.card for meld in given_melds for laid in meld.cards]
    rest = _not_named(named, resolve(preset, overrides, seats=seats))
    given_hands += [(rest.pop(),) for _ in range(seats - len(given_hands))]
    position = Position(
        hands=tuple(given_hands),
        discard_pile=given_pile,
        stock=tuple(rest[:stock]) if isinstance(stock, int) else given_stock,
        melds=given_melds,
        totals=None if totals is None else tuple(totals),
        known=None if known is None else tuple(cards(line) for line in known),
        dealer=dealer,
        deal=deal,
        turn=GivenTurn(
            seat=turn,
            phase=Phase(phase),
            must_use=card(must_use) if must_use else None,
            may_not_discard=card(may_not_discard) if may_not_discard else None,
            discarder=discarder,
            melds_laid=melds_laid,
            tabled_before_turn=tabled_before,
        ),
    )
    return Setting(preset=preset, overrides=overrides, seats=seats, position=position)


class InTheRules:
    """Tables of the rules themselves, for tests that run over HTTP too."""

    table = staticmethod(table)
    dealt = staticmethod(dealt)

    @staticmethod
    def contradiction(preset: str, overrides: dict[str, Any], *, seats: int) -> str:
        """The option for which no game is made."""
        with pytest.raises(VariantContradiction) as refusal:
            resolve(preset, overrides, seats=seats)
        return refusal.value.option

    @staticmethod
    def impossible(**said: Any) -> str:
        """The member of a position that no game can be in."""
        with pytest.raises(ImpossiblePosition) as refusal:
            table(**said)
        return refusal.value.where


def _not_named(named: Iterable[Card], variant: Variant) -> list[Card]:
    """Return the cards of the packs that are not named, jokers left out."""
    pack = full_pack(packs=variant.packs, jokers_per_pack=0)
    return list(in_order((Counter(pack) - Counter(named)).elements()))


def _given_meld(line: str) -> GivenMeld:
    owner, colon, codes = line.rpartition(":")
    seat = int(owner) if colon else 1
    return GivenMeld(owner=seat, cards=tuple(_laid(word, seat) for word in codes.split()))


def _laid(word: str, owner: int) -> LaidCard:
    word, _, layer = word.partition("@")
    code, _, face = word.partition("=")
    return LaidCard(
        card=card(code),
        laid_by=int(layer) if layer else owner,
        stands_for=card(face) if face else None,
    )
