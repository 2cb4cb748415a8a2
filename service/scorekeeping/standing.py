"""Where a score sheet stands: scores and totals of every deal, who leads, who deals next, who won."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.rummy.scoring import decide_winners, leaders
from service.rummy.state import GameEndReason
from service.rummy.variants import Variant
from service.scorekeeping.deal_entry import DealEntry
from service.scorekeeping.deal_score import PlayersScore, score_entry
from service.scorekeeping.sheet import ScoreSheet


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDeal:
    """A deal of the sheet: its score and the totals after it, both by side."""

    number: int
    dealer: int
    entry: DealEntry
    scores: tuple[int, ...]
    players: tuple[PlayersScore, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetResult:
    """The deal that decided the game, the winning sides (none for a draw), and why."""

    deal: int
    winners: tuple[int, ...]
    reason: GameEndReason


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetStanding:
    """Where a sheet stands. `leaders` are sides, none before the first deal.

    `result` is None while the game goes on. Deals may follow the one that decided the game
    if an amendment decided it earlier; they count in the totals.
    """

    deals: tuple[ScoredDeal, ...]
    totals: tuple[int, ...]
    leaders: tuple[int, ...]
    result: SheetResult | None


def standing_of(sheet: ScoreSheet) -> SheetStanding:
    """Return where the sheet stands, from its deals alone."""
    players = len(sheet.players)
    totals = (0,) * sheet.variant.sides(players)
    earlier = [totals]
    deals: list[ScoredDeal] = []
    result: SheetResult | None = None
    for number, entry in enumerate(sheet.deals, start=1):
        score = score_entry(entry, sheet.variant, players=players)
        totals = tuple(total + points for total, points in zip(totals, score.sides, strict=True))
        deals.append(
            ScoredDeal(
                number=number,
                dealer=sheet.dealer_of(number),
                entry=entry,
                scores=score.sides,
                players=score.players,
                totals=totals,
            )
        )
        result = result or _decide(sheet.variant, entry, totals, earlier)
        earlier.append(totals)
    return SheetStanding(
        deals=tuple(deals),
        totals=totals,
        leaders=leaders(sheet.variant, totals) if deals else (),
        result=result,
    )


def _decide(
    variant: Variant, entry: DealEntry, totals: Sequence[int], earlier: Sequence[Sequence[int]]
) -> SheetResult | None:
    """Return the result if this deal decides the game, by the rules of play (RULES 10)."""
    deal = len(earlier)
    decision = decide_winners(
        variant,
        totals,
        earlier=earlier,
        went_out=None if entry.went_out is None else variant.side(entry.went_out),
        deals=deal,
    )
    return None if decision is None else SheetResult(deal=deal, winners=decision[0], reason=decision[1])
