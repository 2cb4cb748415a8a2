"""The score of one entered deal, by the same functions that score a deal in play."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from service.rummy.cards import Card
from service.rummy.scoring import (
    TARGET_REACHED,
    bonus_for_going_out,
    points,
    points_in_meld,
    score_deal,
    table_points,
)
from service.rummy.state import Deal, Game, LaidCard, Meld, MeldKind, Phase, SeatResult, Stage, Turn
from service.rummy.variants import Variant
from service.scorekeeping.deal_entry import DealEntry, PlayersCards
from service.scorekeeping.real_melds import meld_of_cards


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCard:
    """A card and its points; a joker of a meld also has the card it stands for."""

    card: Card
    points: int
    stands_for: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedMeld:
    """A meld, a run low to high; `extra` are its points beyond those of its cards, as for four aces."""

    kind: MeldKind
    cards: tuple[CountedCard, ...]
    extra: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCards:
    """The cards of a player, each with its points; the points of a hand are positive."""

    melds: tuple[CountedMeld, ...]
    lay_offs: tuple[CountedCard, ...]
    hand: tuple[CountedCard, ...]
    table_points: int
    hand_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersScore:
    """What a player scored: `points` before the bonus, and the cards if the deal was entered so."""

    points: int
    bonus: int
    score: int
    cards: CountedCards | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealScore:
    """The score of a deal by side, bonus included; `players` is empty for points entered by team."""

    sides: tuple[int, ...]
    players: tuple[PlayersScore, ...]


def score_entry(entry: DealEntry, variant: Variant, *, players: int) -> DealScore:
    """Return the score of a checked entry."""
    if entry.cards is not None:
        scores = _of_cards(entry, entry.cards, variant)
    else:
        given = entry.points or ()
        if len(given) < players:
            bonus_side = None if entry.went_out is None else variant.side(entry.went_out)
            by_side = _with_bonus(given, bonus_side, variant, goes_rummy=entry.in_one_turn)
            return DealScore(sides=tuple(score.score for score in by_side), players=())
        scores = _with_bonus(given, entry.went_out, variant, goes_rummy=entry.in_one_turn)
    sides = [0] * variant.sides(players)
    for player, score in enumerate(scores):
        sides[variant.side(player)] += score.score
    return DealScore(sides=tuple(sides), players=scores)


def _with_bonus(
    given: Sequence[int], went_out: int | None, variant: Variant, *, goes_rummy: bool
) -> tuple[PlayersScore, ...]:
    scores = []
    for place, counted in enumerate(given):
        bonus = bonus_for_going_out(variant, counted, goes_rummy=goes_rummy) if place == went_out else 0
        scores.append(PlayersScore(points=counted, bonus=bonus, score=counted + bonus))
    return tuple(scores)


def _of_cards(entry: DealEntry, cards: Sequence[PlayersCards], variant: Variant) -> tuple[PlayersScore, ...]:
    game = _at_the_end(entry, cards, variant)
    reached = entry.reason == TARGET_REACHED
    result = score_deal(game, went_out=entry.went_out, target_reached=reached)
    return tuple(
        PlayersScore(
            points=seat.score - seat.bonus,
            bonus=seat.bonus,
            score=seat.score,
            cards=_counted(game, player, seat, melds=len(cards[player].melds)),
        )
        for player, seat in enumerate(result.seats)
    )


def _at_the_end(entry: DealEntry, cards: Sequence[PlayersCards], variant: Variant) -> Game:
    """Return the game as `score_deal` finds one in play when the deal ends."""
    melds: list[Meld] = []
    for player, held in enumerate(cards):
        melds += _melds(player, held, variant, first=len(melds) + 1)
    turn = Turn(
        seat=entry.went_out or 0,
        phase=Phase.MELD,
        tabled=entry.in_one_turn,
        tabled_before=not entry.in_one_turn,
    )
    deal = Deal(
        number=1,
        dealer=0,
        hands=tuple(held.hand for held in cards),
        known=((),) * len(cards),
        stock=(),
        discard_pile=(),
        melds=tuple(melds),
        turn=turn,
    )
    return Game(
        variant=variant,
        seats=len(cards),
        key=b"",
        dealer_draws=(),
        status=Stage.PLAYING,
        deal=deal,
        deals=(),
        totals=(0,) * variant.sides(len(cards)),
    )


def _melds(player: int, held: PlayersCards, variant: Variant, *, first: int) -> Iterator[Meld]:
    """Yield the melds of a player, then each card laid off as a meld of its own.

    A card laid off counts by its value alone, and an ace by whether it is at the low end of
    a run: it need not be known on whose meld it lies.
    """
    for number, meld in enumerate(held.melds, start=first):
        kind, laid = meld_of_cards(
            meld.cards, stands_for=meld.stands_for, ace=meld.ace, seat=player, variant=variant
        )
        yield Meld(id=f"m{number}", owner=player, kind=kind, cards=laid, laid_at_once=len(laid))
    for number, laid_off in enumerate(held.lay_offs, start=first + len(held.melds)):
        kind = MeldKind.RUN if laid_off.ace == "low" else MeldKind.SET
        card = LaidCard(card=laid_off.card, laid_by=player)
        yield Meld(id=f"m{number}", owner=player, kind=kind, cards=(card,), laid_at_once=1)


def _counted(game: Game, player: int, seat: SeatResult, *, melds: int) -> CountedCards:
    own = [meld for meld in game.deal.melds if meld.owner == player]
    return CountedCards(
        melds=tuple(_counted_meld(game, meld) for meld in own[:melds]),
        lay_offs=tuple(card for meld in own[melds:] for card in _counted_meld(game, meld).cards),
        hand=tuple(CountedCard(card=card, points=points(card, game.variant)) for card in seat.hand),
        table_points=seat.table_points,
        hand_points=seat.hand_points,
    )


def _counted_meld(game: Game, meld: Meld) -> CountedMeld:
    cards = tuple(
        CountedCard(
            card=laid.card, points=points_in_meld(meld, place, game.variant), stands_for=laid.stands_for
        )
        for place, laid in enumerate(meld.cards)
    )
    alone = table_points(replace(game.deal, melds=(meld,)), meld.owner, game.variant)
    return CountedMeld(kind=meld.kind, cards=cards, extra=alone - sum(card.points for card in cards))
