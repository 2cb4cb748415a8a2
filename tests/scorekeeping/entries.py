"""Entries of deals, in a line; and those of deals that were played here."""

from service.rummy.cards import ACE, Card, cards
from service.rummy.errors import IllegalMove
from service.rummy.presets import resolve
from service.rummy.state import Game, Meld, MeldKind
from service.rummy.variants import Variant
from service.scorekeeping.changes import NewSheet, begin_sheet
from service.scorekeeping.deal_entry import DealEntry, EnteredLayOff, EnteredMeld, PlayersCards
from service.scorekeeping.real_melds import meld_of_cards

NAMES = ("Ana", "Ben", "Cem", "Dina", "Eva", "Finn", "Gus", "Hana")


def a_sheet(players=3, preset="classic", *, teams=(), first_dealer=None, **overrides):
    new = NewSheet(
        preset=preset,
        overrides=overrides,
        players=NAMES[:players],
        teams=teams,
        first_dealer=first_dealer,
    )
    return begin_sheet(new, sheet_id="s00x", write_hash="", owner=None, now=0)


def by_points(*points, **how):
    return DealEntry(points=points, **how)


def held(text="", *, hand=""):
    """Return a player's cards: melds and lay-offs separated by commas, `AS:low` for an ace at the low end.

    Three cards or more are a meld; one or two were laid off.
    """
    melds, lay_offs = [], []
    for group in filter(None, (part.strip() for part in text.split(","))):
        codes = [code.partition(":") for code in group.split()]
        if len(codes) >= 3:
            ace = next((end for _, _, end in codes if end), None)
            melds.append(EnteredMeld(cards=tuple(Card(code) for code, _, _ in codes), stands_for={}, ace=ace))
        else:
            lay_offs += [EnteredLayOff(card=Card(code), ace=end or None) for code, _, end in codes]
    return PlayersCards(melds=tuple(melds), lay_offs=tuple(lay_offs), hand=cards(hand))


def by_cards(*players, **how):
    return DealEntry(cards=players, **how)


def variant_of(players=2, preset="classic", **overrides) -> Variant:
    return resolve(preset, overrides, seats=players)


def entry_of(game: Game) -> DealEntry:
    """Return a finished deal of a game as the players would enter it from the cards before them."""
    deal, result = game.deal, game.deals[-1]
    melds = {seat: [] for seat in range(game.seats)}
    lay_offs = {seat: [] for seat in range(game.seats)}
    for meld in deal.melds:
        own = _largest_meld(meld, game.variant)
        melds[meld.owner].append(
            EnteredMeld(
                cards=tuple(meld.cards[place].card for place in own),
                stands_for={},
                ace="low" if meld.kind is MeldKind.RUN and meld.low == ACE and 0 in own else "high",
            )
        )
        for place, laid in enumerate(meld.cards):
            if place not in own:
                low = meld.kind is MeldKind.RUN and place == 0
                ace = ("low" if low else "high") if laid.card[0] == "A" else None
                lay_offs[laid.laid_by].append(EnteredLayOff(card=laid.card, ace=ace))
    turn = deal.turn
    return DealEntry(
        cards=tuple(
            PlayersCards(melds=tuple(melds[seat]), lay_offs=tuple(lay_offs[seat]), hand=deal.hands[seat])
            for seat in range(game.seats)
        ),
        went_out=result.went_out,
        reason=result.reason,
        in_one_turn=(
            result.went_out is not None
            and turn.tabled
            and not turn.tabled_before
            and game.variant.going_rummy != "none"
            and game.variant.scoring != "penalty"
        ),
    )


def _largest_meld(meld: Meld, variant: Variant) -> range | list[int]:
    """Return the places of the most cards of its owner that make a meld by themselves."""
    if meld.kind is MeldKind.SET and variant.four_aces_laid == "over_time":
        return [place for place, laid in enumerate(meld.cards) if laid.laid_by == meld.owner]
    if meld.kind is MeldKind.SET:
        return range(meld.laid_at_once)
    for length in range(len(meld.cards), 2, -1):
        for first in range(len(meld.cards) - length + 1):
            places = range(first, first + length)
            own = [meld.cards[place] for place in places]
            if any(laid.laid_by != meld.owner for laid in own):
                continue
            declared = {laid.card: laid.stands_for for laid in own if laid.stands_for}
            try:
                meld_of_cards(
                    [laid.card for laid in own],
                    stands_for=declared,
                    ace="low" if meld.low == ACE and first == 0 else "high",
                    seat=meld.owner,
                    variant=variant,
                )
            except IllegalMove:
                continue
            return places
    raise AssertionError(f"its owner laid no meld: {meld}")
