"""A deal as it is entered: points, or the cards on the table and in hand.

`check_entry` says what is wrong with one, and fills in who went out where the cards show it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from service.games.refusals import Refusal
from service.rummy.cards import ACE, RANK, Card, full_pack, long_name
from service.rummy.errors import IllegalMove
from service.rummy.moves import Ace
from service.rummy.scoring import STOCK_END, TARGET_REACHED, WENT_OUT, points
from service.rummy.variants import Variant
from service.scorekeeping.real_melds import meld_of_cards

#: More than all cards of three packs count.
MAX_DEAL_POINTS: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredMeld:
    """A meld as it lies in front of a player; `stands_for` and `ace` are as in a move that lays it."""

    cards: tuple[Card, ...]
    stands_for: Mapping[Card, Card] = field(default_factory=dict)
    ace: Ace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredLayOff:
    """A card that a player laid off on a meld; `ace` is the end of the run that an ace was laid at."""

    card: Card
    ace: Ace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersCards:
    """All cards of one player at the end of a deal."""

    melds: tuple[EnteredMeld, ...] = ()
    lay_offs: tuple[EnteredLayOff, ...] = ()
    hand: tuple[Card, ...] = ()

    def all(self) -> Iterator[Card]:
        """Yield every card of the player."""
        for meld in self.melds:
            yield from meld.cards
        yield from (laid.card for laid in self.lay_offs)
        yield from self.hand

    @property
    def has_tabled(self) -> bool:
        """Whether the player laid a card on the table."""
        return bool(self.melds or self.lay_offs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealEntry:
    """One deal: `points` by player or, with teams, by side; or `cards` by player.

    Points are those counted, without a bonus for going out. `reason` is why the deal ended,
    as in play; None if it was not entered. `went_out` is the player who did. With
    `in_one_turn` that player had laid no card before that turn.
    """

    points: tuple[int, ...] | None = None
    cards: tuple[PlayersCards, ...] | None = None
    reason: str | None = None
    went_out: int | None = None
    in_one_turn: bool = False


def invalid_deal(place: str, message: str) -> Refusal:
    """Return the refusal of a deal; `place` is the member of the entry at fault."""
    return Refusal("invalid_deal", message, errors=[{"field": place, "message": message}])


def must_name_who_went_out(variant: Variant) -> bool:
    """Return whether the score of a deal, or the end of the game, depends on who went out."""
    has_bonus = variant.going_out_bonus > 0 or variant.going_rummy != "none"
    return (
        variant.must_go_out_to_win
        or variant.go_out_breaks_tie
        or (has_bonus and variant.scoring != "penalty")
    )


def check_entry(entry: DealEntry, variant: Variant, *, players: int) -> DealEntry:
    """Return the entry with what follows from it; raise Refusal `invalid_deal` for one that cannot be."""
    if (entry.points is None) == (entry.cards is None):
        raise invalid_deal("", "Send either points or cards.")
    entry = _with_reason(entry, variant, players)
    if entry.points is not None:
        _check_points(entry, entry.points, variant, players)
    if entry.cards is not None:
        if len(entry.cards) != players:
            raise invalid_deal("cards", f"Send the cards of {players} players, in the order of the sheet.")
        entry = _with_who_went_out(entry, entry.cards, variant)
        _check_cards(entry.cards or (), variant)
    _check_one_turn(entry, variant)
    return entry


def _with_reason(entry: DealEntry, variant: Variant, players: int) -> DealEntry:
    """Return the entry with the reason that `went_out` implies."""
    if entry.went_out is not None:
        if entry.went_out >= players:
            raise invalid_deal("went_out", f"The players count from 0 to {players - 1}.")
        if entry.reason not in {None, WENT_OUT}:
            raise invalid_deal(
                "reason",
                f"A player went out, so the reason is {WENT_OUT}: correct it, or leave went_out out.",
            )
        return replace(entry, reason=WENT_OUT)
    if entry.reason == TARGET_REACHED and variant.target_reached != "at_once":
        raise invalid_deal(
            "reason",
            f"In this game a deal does not end at the target: send {WENT_OUT} or {STOCK_END}.",
        )
    return entry


def _check_points(entry: DealEntry, given: Sequence[int], variant: Variant, players: int) -> None:
    sides = variant.sides(players)
    if len(given) not in {players, sides}:
        by_side = "" if sides == players else f", or {sides}, one for each team"
        raise invalid_deal("points", f"Send {players} numbers, one for each player{by_side}.")
    is_open = entry.reason is None or (entry.reason == WENT_OUT and entry.went_out is None)
    if is_open and must_name_who_went_out(variant):
        raise invalid_deal(
            "went_out", f"Send went_out, the player who went out, or reason: {STOCK_END} if no player did."
        )
    if len(given) < players and entry.in_one_turn and variant.going_rummy == "double":
        raise invalid_deal(
            "points", f"Send {players} numbers, one for each player: only the own points of one are doubled."
        )


def _with_who_went_out(entry: DealEntry, cards: Sequence[PlayersCards], variant: Variant) -> DealEntry:
    """Return the entry with the player who went out, whom an empty hand names unless players float."""
    if entry.reason == TARGET_REACHED:
        return entry
    empty = [player for player, held in enumerate(cards) if not held.hand]
    if entry.went_out is not None:
        if entry.went_out not in empty:
            raise invalid_deal(
                f"cards.{entry.went_out}.hand",
                "The player who went out has no cards in hand: empty this hand, or correct went_out.",
            )
        empty.remove(entry.went_out)
    elif entry.reason != STOCK_END and len(empty) == 1 and not variant.floating:
        return replace(entry, reason=WENT_OUT, went_out=empty[0])
    elif entry.reason is None and not empty:
        return replace(entry, reason=STOCK_END)
    if empty and not variant.floating:
        raise invalid_deal(
            f"cards.{empty[-1]}.hand",
            "A player without cards has gone out, which ends the deal: give the cards in this hand, "
            "or correct went_out and reason.",
        )
    if entry.went_out is None and entry.reason != STOCK_END:
        raise invalid_deal(
            "went_out", f"Send went_out, the player who went out, or reason: {STOCK_END} if no player did."
        )
    return entry


def _check_cards(cards: Sequence[PlayersCards], variant: Variant) -> None:
    # First, for a meld of a hundred jokers would be read in as many ways.
    named = Counter(card for held in cards for card in held.all())
    pack = Counter(full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack))
    for card in named - pack:
        raise invalid_deal(
            "cards", f"The {long_name(card)} is given {named[card]} times; the game has {pack[card]}."
        )
    for player, held in enumerate(cards):
        for place, meld in enumerate(held.melds):
            try:
                meld_of_cards(
                    meld.cards, stands_for=meld.stands_for, ace=meld.ace, seat=player, variant=variant
                )
            except IllegalMove as error:
                raise invalid_deal(f"cards.{player}.melds.{place}", error.message) from error
        for place, laid in enumerate(held.lay_offs):
            _check_lay_off(laid, variant, f"cards.{player}.lay_offs.{place}")


def _check_lay_off(laid: EnteredLayOff, variant: Variant, place: str) -> None:
    if RANK[laid.card] != ACE:
        if laid.ace is not None:
            raise invalid_deal(place, f"Leave ace out: the {long_name(laid.card)} is no ace.")
        return
    if variant.ace_in_run == "high":
        if laid.ace == "low":
            raise invalid_deal(place, "In this game an ace in a run is high.")
        return
    low, high = points(laid.card, variant, low_ace=True), points(laid.card, variant)
    if laid.ace is None and low != high:
        raise invalid_deal(
            place,
            f"Send ace: low if this ace is the lowest card of a run ({low}), else ace: high ({high} points).",
        )


def _check_one_turn(entry: DealEntry, variant: Variant) -> None:
    if not entry.in_one_turn:
        return
    if variant.going_rummy == "none" or variant.scoring == "penalty":
        raise invalid_deal("in_one_turn", "Going out in one turn counts nothing extra here: leave it out.")
    if entry.went_out is None:
        raise invalid_deal("in_one_turn", "No player went out: leave in_one_turn out, or send went_out.")
    if entry.cards is not None and not entry.cards[entry.went_out].has_tabled:
        raise invalid_deal(
            "in_one_turn",
            "The player who went out laid no cards, so it was no going rummy: leave in_one_turn out.",
        )
