"""The rules of a preset, its score sheet, and score sheets that are kept, as PDF."""

from functools import lru_cache

from service.api.views.rule_book import preset_rule_book
from service.paper.canvas import Paper
from service.paper.rule_sheet import RuleSheet, SheetChapter, SheetRule, print_rule_sheet
from service.paper.score_sheet import PrintedScores, print_score_sheet
from service.rummy.presets import PRESETS, resolve
from service.scorekeeping.sheet import ScoreSheet
from service.scorekeeping.standing import standing_of

_USUAL_PLAYERS = 4


# Each takes half a second to make and 20 kB to keep.
@lru_cache(maxsize=64)
def preset_rule_sheet(preset: str, paper: Paper) -> bytes:
    """Return the rules of a preset on one page."""
    book = preset_rule_book(preset)
    chapters = tuple(
        SheetChapter(
            title=chapter.title,
            rules=tuple(SheetRule(number=rule.rule, text=rule.text) for rule in chapter.rules),
        )
        for chapter in book.chapters
    )
    sheet = RuleSheet(title=book.title, sentence=book.sentence, chapters=chapters)
    return print_rule_sheet(sheet, paper=paper)


@lru_cache(maxsize=256)
def preset_score_sheet(preset: str, paper: Paper, names: tuple[str, ...]) -> bytes:
    """Return an empty score sheet of a preset with a column for each name; an empty name is written by hand.

    Raises VariantContradiction if the preset is not for that number of players.
    """
    variant = resolve(preset, {}, seats=len(names))
    first_dealer = variant.first_dealer if isinstance(variant.first_dealer, int) else None
    scores = PrintedScores(variant=variant, players=names, first_dealer=first_dealer)
    return print_score_sheet(scores, paper=paper)


def columns(preset: str, players: int | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a name for each player, empty for those without.

    Without `players` there are as many as names, and without names four, or the number closest
    to it that the preset is for.
    """
    fewest, most = PRESETS[preset].players
    if players is None:
        players = len(names) or min(max(_USUAL_PLAYERS, fewest), most)
    return names + ("",) * (players - len(names))


def kept_score_sheet(sheet: ScoreSheet, paper: Paper) -> bytes:
    """Return a score sheet as it stands."""
    standing = standing_of(sheet)
    scores = PrintedScores(
        variant=sheet.variant,
        players=sheet.players,
        teams=sheet.teams,
        first_dealer=sheet.first_dealer,
        deals=tuple(deal.scores for deal in standing.deals),
        winners=None if standing.result is None else standing.result.winners,
    )
    return print_score_sheet(scores, paper=paper)
